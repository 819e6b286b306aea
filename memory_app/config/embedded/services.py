"""The two servers of one data folder, started and made ready together."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from memory_app.config import database
from memory_app.config.embedded.paths import (
    DataFolder,
    EmbeddedError,
    Secrets,
    load_secrets,
    make_socket_folder,
    write_private,
)
from memory_app.config.embedded.postgres import SUPERUSER, Postgres
from memory_app.config.embedded.processes import Child, SystemUser
from memory_app.config.embedded.system_user import servers_user
from memory_app.config.embedded.valkey import Valkey

PROJECT = Path(__file__).resolve().parents[3]
"""The folder of manage.py."""

SETTINGS_MODULE = "memory_app.config.settings.embedded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """What runs on a data folder, and how to reach it."""

    folder: DataFolder
    secrets: Secrets
    postgres: Postgres
    valkey: Valkey

    def environment(self, *, with_broker: bool) -> dict[str, str]:
        """Settings for processes of this installation: the same names a deployment sets by hand."""
        return addresses(
            self.folder, self.secrets, self.postgres, broker=self.valkey.url if with_broker else ""
        )


def describe(folder: DataFolder, sockets: Path, user: SystemUser | None) -> Servers:
    secrets = load_secrets(folder)
    return Servers(
        folder=folder,
        secrets=secrets,
        postgres=Postgres(
            folder=folder.postgres,
            sockets=sockets,
            log=folder.logs / "postgres.log",
            superuser_password=secrets.superuser,
            user=user,
        ),
        valkey=Valkey(sockets=sockets, log=folder.logs / "valkey.log", user=user),
    )


def addresses(
    folder: DataFolder, secrets: Secrets, postgres: Postgres, *, broker: str
) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", SETTINGS_MODULE),
        "COMMONPLACE_DATA_DIR": str(folder.root),
        "EMBEDDING_CACHE_DIR": os.environ.get("EMBEDDING_CACHE_DIR") or str(folder.models),
        "FILES_DIR": os.environ.get("FILES_DIR") or str(folder.files),
        "SECRET_KEY": secrets.secret_key,
        "DATABASE_URL": postgres.url(database.APPLICATION, secrets.application, database.DATABASE),
        "DATABASE_OWNER_URL": postgres.url(database.OWNER, secrets.owner, database.DATABASE),
        "DATABASE_SUPERUSER_URL": postgres.url(SUPERUSER, secrets.superuser, database.DATABASE),
        "REDIS_URL": broker,
    }


@contextmanager
def sockets_of(folder: DataFolder, **known: object) -> Iterator[Path]:
    """A fresh socket folder, written down for commands that join; a crashed copy's is removed."""
    with suppress(FileNotFoundError, KeyError, json.JSONDecodeError):
        old = Path(json.loads(folder.runtime.read_text())["sockets"])
        if old.name.startswith("commonplace-"):
            shutil.rmtree(old, ignore_errors=True)
    sockets = make_socket_folder()
    write_private(folder.runtime, json.dumps({"sockets": str(sockets), **known}))
    try:
        yield sockets
    finally:
        folder.runtime.unlink(missing_ok=True)
        shutil.rmtree(sockets, ignore_errors=True)


def start_database(servers: Servers, children: list[Child]) -> None:
    """PostgreSQL up, with its roles, the database and what only a superuser sets.

    The child is put into `children` before anything can fail, so the caller stops it in any case.
    """
    postgres, secrets = servers.postgres, servers.secrets
    postgres.wait_for_old_server()
    child = postgres.child()
    children.append(child)
    postgres.start(child)
    with psycopg.connect(
        postgres.url(SUPERUSER, secrets.superuser, "postgres"), autocommit=True
    ) as connection:
        database.prepare_roles(connection, secrets.roles)
        database.make_database(connection, secrets.roles)
    with psycopg.connect(
        postgres.url(SUPERUSER, secrets.superuser, database.DATABASE), autocommit=True
    ) as connection:
        database.prepare_database(connection, secrets.roles)


def note(folder: DataFolder, **known: object) -> None:
    """Write down more about the running copy, for commands that join it and for the next start."""
    write_private(folder.runtime, json.dumps(json.loads(folder.runtime.read_text()) | known))


def set_up(environment: Mapping[str, str], *arguments: str) -> dict[str, str]:
    """Migrate in a process of its own; what it made is its answer's last line."""
    done = subprocess.run(
        command("set_up", *arguments), env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise EmbeddedError(f"Setting up the database failed:\n{done.stderr.strip()[-4000:]}")
    made: dict[str, str] = json.loads(done.stdout.strip().splitlines()[-1])
    return made


def first_owner(servers: Servers) -> str:
    """The address of whoever has owned an organization for longest; empty if nobody does.

    Asked of the tables, not kept from the first start: an address can change, a dump be restored.
    """
    url = servers.postgres.url(SUPERUSER, servers.secrets.superuser, database.DATABASE)
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id"
            " WHERE m.role = 'owner' AND u.is_active ORDER BY m.created_at, u.id LIMIT 1"
        ).fetchone()
    return str(found[0]) if found else ""


def joined(folder: DataFolder) -> Servers:
    """The servers that a running copy has started on this folder."""
    note = json.loads(folder.runtime.read_text())
    return describe(folder, Path(note["sockets"]), servers_user())


def command(*arguments: str) -> list[str]:
    """A management command in a process of its own."""
    return [sys.executable, str(PROJECT / "manage.py"), *arguments]
