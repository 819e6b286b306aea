"""The one place that opens a transaction, and with it says for whom.

Row-level security compares every row with the setting made here. `SET LOCAL` ends with the
transaction, so a pooled connection carries nothing over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from accounts.actor import Actor
from memory_app.domain.ids import to_uuid

_SET = (
    "SELECT set_config('app.organization', %s, true), set_config('app.actor', %s, true), "
    "set_config('app.request', %s, true)"
)
_RELAXED = ", set_config('synchronous_commit', 'off', true)"
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_SET_NAMED = _SET.replace("%s", "%({})s").format("_organization", "_actor", "_request") + _RELAXED


@contextmanager
def acting_as(actor: Actor, *, relaxed: bool = False, snapshot: bool = False) -> Iterator[None]:
    """One transaction in the actor's organization; everything inside commits or rolls back
    together.

    `relaxed` answers before the disk has the commit: for read logs, of which a power cut may cost
    the last half second. `snapshot` only reads, and sees one moment however long it takes. Raises
    `RuntimeError` when a transaction is already open: releasing a savepoint would keep the inner
    organization, so contexts never nest. Costs one round trip.
    """
    organization = to_uuid("org", actor.organization_id)
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            if snapshot:
                cursor.execute(_SNAPSHOT)
            cursor.execute(
                _SET + _RELAXED if relaxed else _SET,
                [str(organization), actor.id, actor.request_id],
            )
        yield


def run_alone(actor: Actor, sql: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """One statement in a relaxed transaction of its own, for what each request needs once.

    Both statements travel in one message, so it costs one round trip instead of four; PostgreSQL
    makes a transaction of such a message. Answers the first row. Raises `RuntimeError` inside an
    open transaction.
    """
    if connection.in_atomic_block:
        raise RuntimeError("run_alone() must not run inside a transaction")
    named = {
        "_organization": str(to_uuid("org", actor.organization_id)),
        "_actor": actor.id,
        "_request": actor.request_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(f"{_SET_NAMED};\n{sql}", {**values, **named})
        cursor.nextset()
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row
