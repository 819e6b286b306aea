"""PostgreSQL from the wheel's binaries, as a direct child, on a unix socket only.

The wheel's own `get_server()` is not used: it opens every folder above the data to other users,
gives up on a recovery that takes more than ten seconds, takes no settings, and mistakes a zombie
for a running server.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from memory_app.config.embedded.binaries import postgres_programs
from memory_app.config.embedded.paths import EmbeddedError, write_private
from memory_app.config.embedded.processes import Child, SystemUser
from memory_app.config.embedded.system_user import can_enter, give

SUPERUSER = "postgres"
LEAST_SHARED_MEMORY = 1024**3

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "256MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "autovacuum_vacuum_insert_scale_factor": "0.02",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %u ",
}
"""Read by the recall queries: without the page cost, big banks fall off the covering index."""

UNSAFE_BUT_FAST: Mapping[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
}
"""For tests only: a crash of the machine may lose the cluster."""


@dataclass(slots=True, kw_only=True)
class Postgres:
    """One cluster: `folder` holds the data, `sockets` is a private folder with a short name."""

    folder: Path
    sockets: Path
    log: Path
    superuser_password: str
    user: SystemUser | None
    settings: Mapping[str, str] = field(default_factory=dict)
    _folder_descriptor: int | None = None

    def url(self, role: str, password: str, database: str) -> str:
        return f"postgresql://{role}:{password}@{quote(str(self.sockets), safe='')}/{database}"

    def child(self) -> Child:
        """The server as a child to be started; makes the cluster if there is none yet."""
        binaries = postgres_programs(self.user)
        self._hand_over()
        if not (self.folder / "PG_VERSION").exists():
            self._make_cluster(binaries)
        settings = {**SETTINGS, **_shared_memory(), **self.settings}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return Child(
            name="postgres",
            command=[binaries / "postgres", "-D", self._address(), "-k", self.sockets, *options],
            environment=_environment(),
            log=self.log,
            stop_signal=signal.SIGINT,
            death_signal=signal.SIGINT,
            patience=60.0,
            user=self.user,
            pass_fds=self._descriptors(),
            before_start=self._disown_dead_server,
        )

    def is_ready(self, pid: int | None) -> bool:
        """Whether *our* server, not an earlier one's leftover file, accepts connections."""
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
            return len(lines) > 7 and lines[7].strip() == "ready" and int(lines[0]) == pid
        except (FileNotFoundError, ValueError):
            return False

    def start(self, child: Child, *, patience: float = 300.0) -> None:
        """Start and wait until it is ready; a long recovery after a crash is waited for."""
        deadline = time.monotonic() + patience
        child.start()
        while not self.is_ready(child.pid):
            if child.has_ended():
                # Backends of a killed server live on for a moment and hold its shared memory.
                if time.monotonic() - child.started_at > 15 or child.failures >= 20:
                    raise EmbeddedError(f"PostgreSQL did not start:\n{child.last_words()}")
                child.failures += 1
                time.sleep(0.5)
                child.start()
            if time.monotonic() > deadline:
                child.stop()
                raise EmbeddedError(
                    f"PostgreSQL is not ready after {patience:.0f} s; see {self.log}."
                )
            time.sleep(0.02)
        child.failures = 0

    def _hand_over(self) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if self.user is None:
            return
        give(self.folder, self.user)
        give(self.sockets, self.user)
        if self._folder_descriptor is None and not can_enter(self.folder, self.user):
            if sys.platform != "linux":
                raise EmbeddedError(
                    f"The user {self.user.name} cannot get into {self.folder}. "
                    "Start the product as an ordinary user, or name a folder that others may pass."
                )
            self._folder_descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)

    def _address(self) -> Path:
        """How the server reaches its data.

        Below a closed folder such as root's home the path leads nowhere for another user. An open
        descriptor does, and nobody's permissions have to be changed for it.
        """
        if self._folder_descriptor is None:
            return self.folder
        return Path(f"/proc/self/fd/{self._folder_descriptor}")

    def _descriptors(self) -> tuple[int, ...]:
        return () if self._folder_descriptor is None else (self._folder_descriptor,)

    def _make_cluster(self, binaries: Path) -> None:
        """`initdb` into a folder that is empty or holds what an interrupted first start left."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        password = self.sockets / "password"
        write_private(password, self.superuser_password)
        if self.user:
            os.chown(password, self.user.uid, self.user.gid)
        command = [binaries / "initdb", "-D", self._address(), "-U", SUPERUSER, "-E", "UTF8"]
        command += ["--auth=scram-sha-256", f"--pwfile={password}"]
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        made = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=_environment(),
            cwd="/",
            pass_fds=self._descriptors(),
            check=False,
            user=self.user.uid if self.user else None,
            group=self.user.gid if self.user else None,
            extra_groups=[] if self.user else None,
        )
        password.unlink()
        if made.returncode != 0:
            raise EmbeddedError(f"The database cluster could not be made:\n{made.stderr.strip()}")

    def _disown_dead_server(self) -> None:
        """Let a start go on when the last server's process is a zombie that nobody reaps.

        PostgreSQL takes any process with that number for a running server, except its own parent.
        Writing our number instead keeps its check of the shared memory, which deleting the file
        would lose.
        """
        path = self.folder / "postmaster.pid"
        try:
            lines = path.read_text().splitlines()
            pid = int(lines[0])
        except (FileNotFoundError, ValueError, IndexError):
            return
        if _is_zombie(pid):
            lines[0] = str(os.getpid())
            path.write_text("\n".join(lines) + "\n")

    def wait_for_old_server(self, *, patience: float = 60.0) -> None:
        """After a killed supervisor its server is still writing its last checkpoint."""
        deadline = time.monotonic() + patience
        while (pid := self._running()) is not None:
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"PostgreSQL (process {pid}) still runs on {self.folder}. Stop it first."
                )
            time.sleep(0.1)

    def _running(self) -> int | None:
        try:
            pid = int((self.folder / "postmaster.pid").read_text().split("\n", 1)[0])
            os.kill(pid, 0)
        except (FileNotFoundError, ValueError, ProcessLookupError):
            return None
        except PermissionError:
            return None
        return None if _is_zombie(pid) or not _is_postgres(pid) else pid


def _environment() -> dict[str, str]:
    """Ours without what would redirect the server: PGDATA, PGPORT, PGOPTIONS and the like."""
    return {k: v for k, v in os.environ.items() if not k.startswith("PG")} | {"LC_ALL": "C"}


def _shared_memory() -> dict[str, str]:
    """Containers often get 64 MB of /dev/shm, too little for a parallel index build."""
    shared = Path("/dev/shm")  # noqa: S108
    if not shared.is_dir():
        return {}
    room = os.statvfs(shared)
    if room.f_bavail * room.f_frsize >= LEAST_SHARED_MEMORY:
        return {}
    return {"dynamic_shared_memory_type": "mmap"}


def _is_zombie(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] == "Z"


def _is_postgres(pid: int) -> bool:
    """A recycled number may belong to anything; unknown counts as ours (no /proc on macOS)."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "postgres"
    except FileNotFoundError:
        return sys.platform != "linux"
