"""A vector index of its own for a big bank; small ones are read exactly through the covering index.

One index for everybody loses rows under a tenant's filter, and one for each bank is looked at by
every plan: so a bank gets one above 20,000 live cells, loses it below 10,000, and there are at most
200. Vectors too long for the covering index always need one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Unavailable
from memory_app.domain.ids import to_uuid
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import Bank
from memory_app.queries.access import resolve

BUILD_ABOVE = 20_000
DROP_BELOW = 10_000
INDEXES_LIMIT = 200
# What pgvector's graph can hold of half-precision numbers.
DIMENSIONS_LIMIT = 4_000
PREFIX = "cells_hnsw_"
_BUILD_LOCK = 0x636F6D6D


def wanted(bank: Bank) -> bool:
    """Whether the bank should have an index, given whether it has one."""
    if bank.dimensions > DIMENSIONS_LIMIT:
        return False
    if bank.dimensions > COMPACT_DIMENSIONS:
        return bank.live_cells > 0
    return bank.live_cells > (DROP_BELOW if bank.vector_index else BUILD_ABOVE)


def tend(actor: Actor, bank_id: str) -> str:
    """Build or drop the bank's index: `built`, `dropped`, `kept`, `full` or `busy`.

    Uses the owner's connection and blocks no writer. Building takes about half a second for a
    thousand cells. An index that a crash left half-built is dropped first.
    """
    with acting_as(actor):
        bank = resolve(actor, bank_id).bank
    name = PREFIX + to_uuid("bank", bank.id).hex
    with _building() as owner:
        if owner is None:
            return "busy"
        state = _state(owner, name)
        if not wanted(bank):
            _remember(actor, bank, "")
            if state is None:
                return "kept"
            owner.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')
            return "dropped"
        if state is not True:
            if _number(owner) >= INDEXES_LIMIT:
                return "full"
            owner.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')
            owner.execute(_statement(bank, name))
        _remember(actor, bank, name)
        return "built" if state is not True else "kept"


def drop(actor: Actor, bank_id: str) -> None:
    """Take the bank's index away, for vectors of another length; recall reads exactly meanwhile."""
    with acting_as(actor):
        bank = resolve(actor, bank_id).bank
    _remember(actor, bank, "")
    name = PREFIX + to_uuid("bank", bank.id).hex
    with _building() as owner:
        if owner is None:
            raise Unavailable(
                "Another index is being built just now.", hint="Try again in a few minutes."
            )
        owner.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')


def _statement(bank: Bank, name: str) -> str:
    """A partial index over one bank; its expression is the one that recall orders by."""
    return (
        f'CREATE INDEX CONCURRENTLY "{name}" ON cells '
        f"USING hnsw ((embedding::halfvec({int(bank.dimensions)})) halfvec_cosine_ops) "
        f"WHERE bank_id = '{to_uuid('bank', bank.id)}' AND live AND embedding IS NOT NULL"
    )


def _state(owner: Any, name: str) -> bool | None:
    """Whether the index is valid; None when there is none."""
    owner.execute(
        "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid "
        "WHERE c.relname = %s",
        [name],
    )
    row = owner.fetchone()
    return None if row is None else bool(row[0])


def _number(owner: Any) -> int:
    owner.execute("SELECT count(*) FROM pg_class WHERE relname LIKE %s", [PREFIX + "%"])
    return int(owner.fetchone()[0])


def _remember(actor: Actor, bank: Bank, name: str) -> None:
    """Recall asks through the index only once it is complete."""
    if bank.vector_index != name:
        with acting_as(actor):
            Bank.objects.filter(id=bank.id).update(vector_index=name)


@contextmanager
def _building() -> Iterator[Any]:
    """The owner's cursor, or None while another process builds: one at a time is enough."""
    connection = connections["owner"]
    with connection.cursor() as owner:
        owner.execute("SELECT pg_try_advisory_lock(%s)", [_BUILD_LOCK])
        if not owner.fetchone()[0]:
            yield None
            return
        try:
            yield owner
        finally:
            owner.execute("SELECT pg_advisory_unlock(%s)", [_BUILD_LOCK])
    connection.close()
