"""One file with the whole database, and back.

Both need a superuser (or, to dump, a role with BYPASSRLS): row security would make anybody else's
dump fail or, worse, be incomplete. Roles and passwords are not in the file.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from memory_app.config import database
from memory_app.config.embedded.binaries import postgres_programs
from memory_app.config.embedded.paths import EmbeddedError
from memory_app.config.environment import database_settings

ARRIVING, LEAVING = "commonplace_arriving", "commonplace_leaving"


def connect_to(superuser_url: str, name: str = "postgres") -> psycopg.Connection[Any]:
    """In autocommit, as making and renaming databases asks for."""
    server = database_settings(superuser_url, name="DATABASE_SUPERUSER_URL")
    return psycopg.connect(
        host=server["HOST"] or None,
        port=server["PORT"] or None,
        user=server["USER"],
        password=server["PASSWORD"] or None,
        dbname=name,
        autocommit=True,
    )


def back_up(superuser_url: str, target: Path) -> None:
    """Write a dump of one moment beside running writers; the file appears only when it is whole."""
    server = database_settings(superuser_url, name="DATABASE_SUPERUSER_URL")
    draft = target.with_name(f".{target.name}.part")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    try:
        _run("pg_dump", server, "--format=custom", f"--file={draft}", server["NAME"])
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def restore(superuser_url: str, source: Path, roles: database.Roles) -> None:
    """Put the dump in the place of the database, which stays as it was if anything fails.

    Refused while somebody works on it: what they write meanwhile would be lost without a word. The
    dump is read into a database beside the old one; only then the two change names, and the old one
    is dropped. Disk space for both is needed meanwhile. Others' connections are ended.
    """
    if not source.is_file():
        raise EmbeddedError(f"There is no file {source}.")
    server = database_settings(superuser_url, name="DATABASE_SUPERUSER_URL")
    name = server["NAME"]
    with connect_to(superuser_url) as connection:
        _refuse_while_in_use(connection, name, roles)
        database.prepare_roles(connection, roles)
        _drop(connection, ARRIVING)
        database.make_database(connection, roles, ARRIVING)
    try:
        _read_in(server, source)
        with connect_to(superuser_url, ARRIVING) as connection:
            database.prepare_database(connection, roles)
            # A dump holds no statistics: without them the first questions would read whole tables.
            connection.execute("VACUUM (ANALYZE)")
    except BaseException:
        with connect_to(superuser_url) as connection:
            _drop(connection, ARRIVING)
        raise
    with connect_to(superuser_url) as connection:
        try:
            _refuse_while_in_use(connection, name, roles)
        except EmbeddedError:
            _drop(connection, ARRIVING)
            raise
        _change_places(connection, name)


def _refuse_while_in_use(
    connection: psycopg.Connection[Any], name: str, roles: database.Roles
) -> None:
    """A web process and a worker that run hold a connection each, whatever machine they are on."""
    found = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND usename IN (%s, %s)",
        [name, roles.application, roles.owner],
    ).fetchone()
    if found and found[0]:
        raise EmbeddedError(
            f"The product is running on the database {name}: {found[0]} of its connections are open. "
            "Stop web, worker and beat first, and a pooler between them and the database. "
            "Nothing was changed."
        )


def _read_in(server: Mapping[str, Any], source: Path) -> None:
    try:
        _run("pg_restore", server, "--exit-on-error", f"--dbname={ARRIVING}", str(source))
    except EmbeddedError as error:
        # Read once more without a database: that fails too only if the file itself is the cause.
        try:
            _run("pg_restore", server, f"--file={os.devnull}", str(source))
        except EmbeddedError as damage:
            raise EmbeddedError(
                f"{source} is damaged, cut off, or no file of 'backup'. Nothing was changed.\n{damage}"
            ) from error
        raise EmbeddedError(f"Nothing was changed. {error}") from error


def _change_places(connection: psycopg.Connection[Any], name: str) -> None:
    connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN (%s, %s)",
        [name, ARRIVING],
    )
    _drop(connection, LEAVING)
    with connection.transaction():
        _rename(connection, name, LEAVING)
        _rename(connection, ARRIVING, name)
    _drop(connection, LEAVING)


def _rename(connection: psycopg.Connection[Any], old: str, new: str) -> None:
    connection.execute(
        sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(old), sql.Identifier(new))
    )


def _drop(connection: psycopg.Connection[Any], name: str) -> None:
    connection.execute(
        sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    )


def _run(program: str, server: Mapping[str, Any], *arguments: str) -> None:
    """One of PostgreSQL's programs; the password goes by the environment, never the arguments."""
    where = {
        "PGHOST": server["HOST"],
        "PGPORT": server["PORT"],
        "PGUSER": server["USER"],
        "PGPASSWORD": server["PASSWORD"],
    }
    done = subprocess.run(
        [postgres_programs(None) / program, *arguments],
        env=os.environ | {name: value for name, value in where.items() if value},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise EmbeddedError(f"{program} failed:\n{done.stderr.strip()[-2000:]}")
