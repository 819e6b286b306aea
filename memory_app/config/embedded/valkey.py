"""Valkey from the wheel: Celery's broker, the cache and the channel layer, on a unix socket.

It keeps nothing on disk. The database is the only record of work, so losing the broker only delays
what the sweep then takes up again. Access is held by the socket's private folder.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from memory_app.config.embedded.binaries import valkey_program
from memory_app.config.embedded.paths import EmbeddedError
from memory_app.config.embedded.processes import Child, SystemUser

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
        command: list[str | Path] = [valkey_program(self.user), "--port", "0"]
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
