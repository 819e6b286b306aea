"""Child processes that never outlive the one that started them."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG = 1
LARGEST_LOG = 10 * 1024 * 1024
STEADY_AFTER = 60.0
LONGEST_PAUSE = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemUser:
    """Whom a server runs as when we are root."""

    name: str
    uid: int
    gid: int


@dataclass(slots=True, kw_only=True)
class Child:
    """One server and how to end it. `start` must be called from the main thread.

    The kernel sends `death_signal` when the *thread* that started the child ends, so a child
    started from a short-lived thread would be stopped at once (Linux; elsewhere there is no such
    signal, and a killed supervisor's children are ended by the next start).
    """

    name: str
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    log: Path
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGKILL
    patience: float = 20.0
    user: SystemUser | None = None
    pass_fds: tuple[int, ...] = ()
    working_folder: Path = Path("/")
    before_start: Callable[[], None] | None = None
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    failures: int = 0
    retry_at: float = field(default=0.0)

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process else None

    def start(self) -> None:
        if self.before_start:
            self.before_start()
        _turn_over(self.log)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(self.environment),
                cwd=self.working_folder,
                start_new_session=True,
                pass_fds=self.pass_fds,
                preexec_fn=_die_with(os.getpid(), self.death_signal),
                user=self.user.uid if self.user else None,
                group=self.user.gid if self.user else None,
                extra_groups=[] if self.user else None,
            )
        self.started_at = time.monotonic()

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def note_failure(self) -> float:
        """Plan the next start, later each time unless it ran steadily. Returns the pause."""
        ran = time.monotonic() - self.started_at
        self.failures = 1 if ran > STEADY_AFTER else self.failures + 1
        pause = min(0.25 * 2.0 ** (self.failures - 1), LONGEST_PAUSE)
        self.retry_at = time.monotonic() + pause
        return pause

    def stop(self) -> None:
        """Ask, wait, and only then kill the whole group of the child."""
        process = self.process
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(self.stop_signal)
            try:
                process.wait(self.patience)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.process = None

    def last_words(self, lines: int = 5) -> str:
        """The end of its log, for an error message."""
        if not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def _turn_over(log: Path) -> None:
    """Keep one older log, so that years of restarts don't fill the disk."""
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))


def _die_with(parent: int, death_signal: signal.Signals) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)

    def ask_the_kernel() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(death_signal))
        # The parent may have gone between fork and prctl; then no signal would ever come.
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return ask_the_kernel
