"""What only a superuser can set up in a database, before the first migration.

Two roles log in: the owner (migrations, index builds, purge) and the application, which owns
nothing and is bound by row security. A third, which nobody logs in as, owns the few functions that
must look before the organization is known.
"""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

OWNER = "commonplace_owner"
APPLICATION = "commonplace_app"
LOOKUP = "commonplace_lookup"
DATABASE = "commonplace"
EXTENSIONS = ("vector", "btree_gin", "pg_trgm")
# Row security keeps a condition from its index unless its function is known not to tell what it saw.
# Neither of these fails or speaks for any value that a column here can hold.
_LEAKPROOF = {
    "ts_match_vq(tsvector, tsquery)": "word search",
    "arraycontains(anyarray, anyarray)": "a filter by tag",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Who logs in, and with which password."""

    owner_password: str
    application_password: str
    owner: str = OWNER
    application: str = APPLICATION


def prepare_roles(connection: psycopg.Connection[Any], roles: Roles) -> None:
    """Make the three roles, or set what they may and their passwords again. Needs a superuser."""
    log_in = sql.SQL(
        "ALTER ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD {}"
    )
    for name, password in (
        (roles.owner, roles.owner_password),
        (roles.application, roles.application_password),
    ):
        _make_role(connection, name)
        connection.execute(log_in.format(sql.Identifier(name), sql.Literal(password)))
    _make_role(connection, LOOKUP)
    connection.execute(f"ALTER ROLE {LOOKUP} NOLOGIN NOSUPERUSER NOBYPASSRLS")
    connection.execute(
        sql.SQL("GRANT {} TO {}").format(sql.Identifier(LOOKUP), sql.Identifier(roles.owner))
    )


def make_database(connection: psycopg.Connection[Any], roles: Roles, name: str = DATABASE) -> None:
    """Make the database if there is none. The connection must be in autocommit."""
    found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
    if found is None:
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE template0").format(
                sql.Identifier(name), sql.Identifier(roles.owner)
            )
        )


def prepare_database(connection: psycopg.Connection[Any], roles: Roles) -> list[str]:
    """Set up the connected database: extensions, schema rights, text search under row security.

    Runs at each start: what it sets on functions is in no dump, so a restored database lacks it, and
    a search would read a whole bank for each word or tag. Returns what could not be set.
    """
    names = {
        "database": sql.Identifier(connection.info.dbname),
        "owner": sql.Identifier(roles.owner),
        "application": sql.Identifier(roles.application),
        "lookup": sql.Identifier(LOOKUP),
    }
    for extension in EXTENSIONS:
        connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}")
    for statement in (
        "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
        "GRANT CONNECT ON DATABASE {database} TO {owner}, {application}",
        "GRANT USAGE, CREATE ON SCHEMA public TO {owner}",
        "GRANT USAGE ON SCHEMA public TO {application}, {lookup}",
    ):
        connection.execute(sql.SQL(statement).format(**names))
    refused = []
    for function, slow in _LEAKPROOF.items():
        try:
            connection.execute(f"ALTER FUNCTION pg_catalog.{function} LEAKPROOF")
        except psycopg.errors.InsufficientPrivilege:
            name = function.partition("(")[0]
            refused.append(
                f"{name} could not be marked LEAKPROOF: {slow} will be slow in big banks."
            )
    return refused


def _make_role(connection: psycopg.Connection[Any], name: str) -> None:
    found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone()
    if found is None:
        connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(name)))
