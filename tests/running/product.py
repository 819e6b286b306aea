"""The product as a person starts it: `manage.py serve` in processes of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import psutil

from memory_app.config.embedded.services import PROJECT

PATIENCE = 180.0
OURS = ("DATABASE", "DJANGO", "REDIS", "SECRET_KEY", "PUBLIC_URL", "ALLOWED_HOSTS", "COMMONPLACE")


class Product:
    """One installation on `folder`; started, killed and started again by a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.output = folder.parent / "output.txt"
        self.process: subprocess.Popen[bytes] | None = None
        self.key = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> str:
        """Start and wait for the greeting, which is returned."""
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                manage("serve", "--port", str(self.port), "--data-dir", str(self.folder)),
                env=environment(),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        wait_for(lambda: "Stop it with Ctrl-C" in self.printed() or self.process.poll() is not None)
        assert self.process.poll() is None, self.printed()
        if found := re.search(r"cpl_\w+", self.printed()):
            self.key = found.group()
        return self.printed()

    def printed(self) -> str:
        return self.output.read_text()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(60)

    def pid(self, name: str) -> int:
        """The process number of one child: web, worker, valkey or postgres."""
        marks = {
            "web": "memory_app.config.embedded.web",
            "worker": "memory_app.config.celery",
            "valkey": "valkey-server",
            "postgres": "bin/postgres",
        }
        assert self.process is not None
        below = psutil.Process(self.process.pid).children()
        return next((found.pid for found in below if marks[name] in _command_of(found)), 0)

    def family(self) -> set[int]:
        """Every process below the supervisor, and itself."""
        assert self.process is not None
        supervisor = psutil.Process(self.process.pid)
        return {supervisor.pid} | {found.pid for found in supervisor.children(recursive=True)}

    def ready(self) -> bool:
        return self.call("GET", "/readyz")[0] == 200

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and parsed body; status 0 when nobody answers."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, None
        except OSError:
            return 0, None


def manage(*arguments: str) -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), *arguments]


def environment() -> dict[str, str]:
    """Ours without what the test run has set; the model that was made once is used again."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return kept | {"EMBEDDING_CACHE_DIR": str(PROJECT / "var" / "models")}


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        manage(*arguments), env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(condition: Any, *, patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"Not within {patience:.0f} s"
        time.sleep(0.1)


def alive(pids: set[int]) -> set[int]:
    """Those still running; a zombie has ended, whoever reaps it."""
    return {pid for pid in pids if psutil.pid_exists(pid) and not _is_zombie(pid)}


def _is_zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _command_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
