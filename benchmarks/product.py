"""The real product, started by `manage.py serve` on a folder of its own, as a client meets it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import httpx

PROJECT = Path(__file__).resolve().parents[1]
PATIENCE = 180.0


@dataclass(slots=True)
class Product:
    """`with Product() as product:` serves; `seconds_to_ready` says how long the start took."""

    folder: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="commonplace-bench-"))
    )
    port: int = field(default_factory=lambda: _free_port())
    process: subprocess.Popen[bytes] | None = None
    seconds_to_ready: float = 0.0
    # Of every process that was seen: its kind and its processor time, also once it is gone.
    _spent: dict[int, tuple[str, float]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Serve until `/readyz` answers 200. Raises `RuntimeError` when it doesn't in three minutes."""
        started = time.perf_counter()
        log = (self.folder / "serve.log").open("ab")
        self.process = subprocess.Popen(
            [
                sys.executable,
                str(PROJECT / "manage.py"),
                "serve",
                "--port",
                str(self.port),
                "--data-dir",
                str(self.folder / "data"),
            ],
            cwd=PROJECT,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=_environment(),
        )
        while time.perf_counter() - started < PATIENCE:
            if self.process.poll() is not None:
                break
            if _ready(self.url):
                self.seconds_to_ready = time.perf_counter() - started
                return
            time.sleep(0.05)
        raise RuntimeError((self.folder / "serve.log").read_text()[-3_000:])

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)

    def client(self, bank: str, *, tier: str = "full") -> httpx.Client:
        """A REST client of a new agent in a bank of that name (made if missing)."""
        answer = subprocess.run(
            [
                sys.executable,
                str(PROJECT / "manage.py"),
                "create_access",
                "--data-dir",
                str(self.folder / "data"),
                *("--organization", "bench", "--bank", bank, "--agent", f"agent-{bank}"),
                *("--tier", tier, "--url", self.url, "--json"),
            ],
            cwd=PROJECT,
            check=True,
            capture_output=True,
            env=_environment(),
        )
        key = json.loads(answer.stdout.decode().strip().splitlines()[-1])["key"]
        return httpx.Client(
            base_url=f"{self.url}/api/v1/banks/{bank}/",
            headers={"Authorization": f"Bearer {key}"},
            timeout=120,
        )

    def resident_mb(self) -> dict[str, float]:
        """Proportional set size by kind of process, in megabytes; shared pages count once."""
        if self.process is None:
            return {}
        sizes: dict[str, float] = {}
        for pid in _family(self.process.pid):
            with suppress(OSError):  # it ended meanwhile
                sizes[_kind(pid)] = sizes.get(_kind(pid), 0.0) + _pss_mb(pid)
        return sizes

    def processor_seconds(self) -> dict[str, float]:
        """Processor time so far by kind of process. One that lived between two calls is missed."""
        if self.process is not None:
            for pid in _family(self.process.pid):
                with suppress(OSError):
                    self._spent[pid] = (_kind(pid), _processor_seconds(pid))
        sums: dict[str, float] = {}
        for kind, seconds in self._spent.values():
            sums[kind] = sums.get(kind, 0.0) + seconds
        return sums

    def kill(self, kind: str) -> None:
        """End every process of a kind at once, as a crash does; the supervisor starts another."""
        if self.process is not None:
            for pid in _family(self.process.pid):
                if _kind(pid) == kind:
                    os.kill(pid, signal.SIGKILL)

    def __enter__(self) -> Product:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _environment() -> dict[str, str]:
    """Limits out of the way: what is measured is the work, not the cap."""
    own = {"DAILY_OPERATION_CAP": "100000000", "KEY_REQUESTS_PER_MINUTE": "100000000"}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_", "DJANGO_"))}
    return kept | own


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it ended meanwhile
        return []
    return [pid] + [one for child in children for one in _family(int(child))]


def _kind(pid: int) -> str:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    for mark, name in (
        ("postgres", "database"),
        ("valkey", "valkey"),
        ("celery", "worker"),
        ("uvicorn", "web"),
    ):
        if mark in command:
            return name
    return "supervisor"


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pss_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1_024
    return 0.0
