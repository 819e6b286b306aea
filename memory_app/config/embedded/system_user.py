"""Whom the servers run as when the product is started by root: PostgreSQL refuses to be root."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from memory_app.config.embedded.processes import SystemUser

NAME = "commonplace"


def servers_user() -> SystemUser | None:
    """None unless we are root. A user of its own keeps other services away from the data.

    Made once with `useradd --system`; where that fails (read-only system, no such program) the
    servers run as `nobody`, and only the passwords stand between them and other processes of it.
    """
    if os.geteuid() != 0:
        return None
    return _named(NAME) or _made() or _named("nobody")


def _made() -> SystemUser | None:
    useradd = shutil.which("useradd")
    if useradd is None:
        return None
    command = [useradd, "--system", "--no-create-home", "--home-dir", "/nonexistent"]
    command += ["--shell", "/usr/sbin/nologin", NAME]
    subprocess.run(command, capture_output=True, check=False)
    return _named(NAME)


def _named(name: str) -> SystemUser | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return SystemUser(name=name, uid=entry.pw_uid, gid=entry.pw_gid)


def can_enter(folder: Path, user: SystemUser) -> bool:
    """Whether `user` gets into the folder, asked of the system itself (modes, groups, ACLs)."""
    answer = subprocess.run(
        ["/bin/sh", "-c", 'cd -- "$0"', str(folder)],
        cwd="/",
        user=user.uid,
        group=user.gid,
        extra_groups=[],
        capture_output=True,
        check=False,
    )
    return answer.returncode == 0


def give(folder: Path, user: SystemUser) -> None:
    """Make the whole folder the user's, if it isn't yet (data moved between machines)."""
    if folder.stat().st_uid == user.uid:
        return
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, user.uid, user.gid, follow_symlinks=False)
