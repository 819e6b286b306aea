"""The data folder: where each thing lies, who may run, and the secrets of first start."""

import fcntl
import json
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memory_app.config.database import Roles

LONGEST_SOCKET_FOLDER = 70
"""A socket's whole path must stay below 104 bytes (macOS) with `/.s.PGSQL.5432` behind it."""


class EmbeddedError(Exception):
    """A start that cannot go on; the message is a plain sentence for whoever sits there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder:
    """All that one installation keeps. Copying the stopped folder copies the installation."""

    root: Path

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def files(self) -> Path:
        return self.root / "files"

    @property
    def runtime(self) -> Path:
        """Where the running copy's sockets are; there only while one runs, or after a crash."""
        return self.root / "runtime.json"

    @property
    def migrated(self) -> Path:
        """Fingerprint of the migrations that the database already holds."""
        return self.root / "migrated"

    @property
    def mail(self) -> Path:
        """What nobody delivers is written here; it holds links that let people in."""
        return self.root / "mail"

    @property
    def welcomed(self) -> Path:
        """There once the first start has made somebody to sign in as."""
        return self.root / "welcomed"

    @property
    def address(self) -> Path:
        """The URL at which the last run answered, for links that are printed while none does."""
        return self.root / "address"

    def migrated_to(self) -> str:
        return self.migrated.read_text() if self.migrated.exists() else ""

    def prepare(self) -> None:
        """Make the folder. The database's user may pass through it, not read its secrets."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self.root.chmod(0o711)
            for folder in (self.logs, self.models, self.files, self.mail):
                folder.mkdir(mode=0o700, exist_ok=True)
                folder.chmod(0o700)
        except OSError as error:
            raise EmbeddedError(
                f"The data folder {self.root} cannot be used: {error.strerror}. "
                "Name another one with --data-dir."
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Made once, kept in `secrets.json`, readable by nobody but the one who runs the product."""

    secret_key: str
    superuser: str
    owner: str
    application: str

    @property
    def roles(self) -> Roles:
        return Roles(owner_password=self.owner, application_password=self.application)


def load_secrets(folder: DataFolder) -> Secrets:
    path = folder.root / "secrets.json"
    if not path.exists():
        made = {
            "secret_key": secrets.token_urlsafe(48),
            "superuser": secrets.token_hex(24),
            "owner": secrets.token_hex(24),
            "application": secrets.token_hex(24),
        }
        write_private(path, json.dumps(made, indent=1))
    return Secrets(**json.loads(path.read_text()))


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads, whole or not at all."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)


@contextmanager
def exclusive(folder: DataFolder) -> Iterator[None]:
    """Hold the folder, or say who does. The lock goes with the process, however it ends."""
    with (folder.root / "lock").open("a+") as file:
        if not _lock(file, patience=1.0):
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise EmbeddedError(
                f"Another copy is already running on {folder.root} (process {holder}). "
                "Stop it first, or name another folder with --data-dir."
            )
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def is_held(folder: DataFolder) -> bool:
    """Whether a running process holds the folder."""
    path = folder.root / "lock"
    if not path.exists():
        return False
    with path.open("a") as file:
        return not _lock(file, patience=0.0)


def _lock(file: IO[str], *, patience: float) -> bool:
    """Take the lock; a moment's patience outlasts another command that only looks."""
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)
        else:
            return True


def make_socket_folder() -> Path:
    """A fresh private folder with a short name, whatever the depth of the data folder.

    A socket's path has room for about a hundred bytes, and the data folder may lie deep, hold
    spaces, or stand on a file system that knows no sockets.
    """
    for parent in (Path("/tmp"), Path(tempfile.gettempdir()), Path("/var/tmp")):  # noqa: S108
        if len(os.fsencode(parent)) < LONGEST_SOCKET_FOLDER - 16 and os.access(
            parent, os.W_OK | os.X_OK
        ):
            return Path(tempfile.mkdtemp(prefix="commonplace-", dir=parent))
    raise EmbeddedError(
        "No temporary folder with a short name can be written to. Set TMPDIR to one."
    )
