"""The tests' own PostgreSQL: thrown away after the run, migrated once, one database a process.

Tests commit for real, with the application's role: row security, deferred keys, `SET LOCAL` and
threads behave as in production. What keeps tests apart is that each makes its own organization.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.core.management import call_command
from django.db import connections

from memory_app.config import database
from memory_app.config.embedded.migrations import fingerprint
from memory_app.config.embedded.paths import make_socket_folder
from memory_app.config.embedded.postgres import SUPERUSER, UNSAFE_BUT_FAST, Postgres
from memory_app.config.embedded.processes import Child
from memory_app.config.embedded.services import PROJECT
from memory_app.config.embedded.system_user import servers_user
from memory_app.config.environment import database_settings

PASSWORD = "only-for-tests"
ROLES = database.Roles(owner_password=PASSWORD, application_password=PASSWORD)
KEPT = PROJECT / "var" / "test-cluster"


@dataclass(slots=True)
class Cluster:
    """A running server and the folder that goes with it."""

    postgres: Postgres
    child: Child
    folder: Path

    def urls(self, name: str) -> dict[str, str]:
        return {
            "DATABASE_URL": self.postgres.url(database.APPLICATION, PASSWORD, name),
            "DATABASE_OWNER_URL": self.postgres.url(database.OWNER, PASSWORD, name),
            "DATABASE_SUPERUSER_URL": self.postgres.url(SUPERUSER, PASSWORD, name),
        }

    def copy_database(self, name: str) -> dict[str, str]:
        """A migrated database for one test process."""
        with self.superuser("postgres") as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {database.DATABASE}")
        with self.superuser(name) as connection:
            # A copy takes over what is in the database, not who may do what with it.
            database.prepare_database(connection, ROLES)
        return self.urls(name)

    def superuser(self, name: str) -> psycopg.Connection[Any]:
        url = self.postgres.url(SUPERUSER, PASSWORD, name)
        return psycopg.connect(url, autocommit=True)

    def stop(self) -> None:
        self.child.stop()
        shutil.rmtree(self.postgres.sockets, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def start_cluster() -> Cluster:
    """A server with a migrated database; about half a second when these migrations ran before."""
    kept = KEPT / _fingerprint()
    folder = Path(tempfile.mkdtemp(prefix="commonplace-tests-"))
    folder.chmod(0o711)
    if kept.exists():
        shutil.copytree(kept, folder / "postgres", symlinks=True)
        return _started(folder)
    cluster = _started(folder)
    _make_database(cluster)
    cluster.child.stop()
    _keep(folder / "postgres", kept)
    cluster.postgres.start(cluster.child)
    return cluster


def point_django_at(urls: dict[str, str]) -> None:
    """Every connection of this process and of its children goes to this database from now on."""
    os.environ.update(urls)
    for alias, name in (("default", "DATABASE_URL"), ("owner", "DATABASE_OWNER_URL")):
        assert urlsplit(urls[name]).path
        connections[alias].close()
        connections.settings[alias].update(database_settings(urls[name]))


def _started(folder: Path) -> Cluster:
    postgres = Postgres(
        folder=folder / "postgres",
        sockets=make_socket_folder(),
        log=folder / "postgres.log",
        superuser_password=PASSWORD,
        user=servers_user(),
        settings=UNSAFE_BUT_FAST,
    )
    child = postgres.child()
    postgres.start(child)
    return Cluster(postgres, child, folder)


def _make_database(cluster: Cluster) -> None:
    with cluster.superuser("postgres") as connection:
        database.prepare_roles(connection, ROLES)
        database.make_database(connection, ROLES)
    with cluster.superuser(database.DATABASE) as connection:
        database.prepare_database(connection, ROLES)
    point_django_at(cluster.urls(database.DATABASE))
    call_command("migrate", database="owner", verbosity=0)
    connections.close_all()


def _keep(data: Path, kept: Path) -> None:
    """Keep the stopped cluster for the next run; only the newest one."""
    shutil.rmtree(KEPT, ignore_errors=True)
    draft = KEPT.with_name(f"{KEPT.name}.{os.getpid()}")
    shutil.copytree(data, draft / kept.name, symlinks=True)
    try:
        draft.rename(KEPT)
    except OSError:
        shutil.rmtree(draft)


def _fingerprint() -> str:
    source = Path(database.__file__).read_bytes()
    return hashlib.sha256(fingerprint().encode() + source).hexdigest()[:16]
