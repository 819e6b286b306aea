"""What the database says of itself: tables, keys, policies, grants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

# Rows of no organization: people, sessions, and what the frameworks keep.
GLOBAL_TABLES = {
    "account_emailaddress",
    "account_emailconfirmation",
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "django_content_type",
    "django_migrations",
    "django_session",
    "mfa_authenticator",
    "usersessions_usersession",
    "users",
    "users_groups",
    "users_user_permissions",
}
# They name a bank but aren't below it: small global tables that stay whole when banks are spread.
BESIDE_BANKS = {"bank_slugs", "connections"}
APPEND_ONLY = {"access_events", "ledger_contents", "ledger_entries"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A primary key, unique index or foreign key with its columns."""

    table: str
    name: str
    columns: tuple[str, ...]
    target: str = ""


def rows(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchall()


def tables() -> set[str]:
    return {
        name
        for (name,) in rows(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
            "AND relkind IN ('r', 'p')"
        )
    }


def tables_with(column: str) -> set[str]:
    return {
        name
        for (name,) in rows(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
            "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') "
            "AND a.attname = %s AND NOT a.attisdropped",
            column,
        )
    }


def tenant_tables() -> set[str]:
    return tables_with("organization_id") | {"organizations"}


def tables_below_bank() -> set[str]:
    return tables_with("bank_id") - BESIDE_BANKS


def unique_keys() -> list[Key]:
    """Every unique index, those of primary keys and constraints included."""
    found = rows(
        "SELECT t.relname, i.relname, array_agg(a.attname ORDER BY k.position) "
        "FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid "
        "JOIN pg_class t ON t.oid = x.indrelid "
        "CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, position) "
        "JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number "
        "WHERE x.indisunique AND t.relnamespace = 'public'::regnamespace "
        "AND k.position <= x.indnkeyatts GROUP BY 1, 2"
    )
    return [Key(table=table, name=name, columns=tuple(columns)) for table, name, columns in found]


def foreign_keys() -> list[Key]:
    found = rows(
        "SELECT t.relname, c.conname, f.relname, "
        "(SELECT array_agg(a.attname ORDER BY k.position) "
        " FROM unnest(c.conkey) WITH ORDINALITY AS k (number, position) "
        " JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number) "
        "FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid "
        "JOIN pg_class f ON f.oid = c.confrelid "
        "WHERE c.contype = 'f' AND t.relnamespace = 'public'::regnamespace"
    )
    return [
        Key(table=table, name=name, target=target, columns=tuple(columns))
        for table, name, target, columns in found
    ]
