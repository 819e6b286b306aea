"""The one function that opens a transaction, and with it says for whom.

Row-level security compares every row with the setting made here. `SET LOCAL` ends with the
transaction, so a pooled connection carries nothing over; after the block it is emptied even where
an outer test transaction goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from accounts.actor import Actor
from memory_app.domain.ids import to_uuid

_SET = (
    "SELECT set_config('app.organization', %s, true), set_config('app.actor', %s, true), "
    "set_config('app.request', %s, true)"
)
_RELAXED = ", set_config('synchronous_commit', 'off', true)"


@contextmanager
def acting_as(actor: Actor, *, relaxed: bool = False) -> Iterator[None]:
    """One transaction in the actor's organization; everything inside commits or rolls back
    together.

    `relaxed` answers before the disk has the commit: for read logs, of which a power cut may cost
    the last half second. Raises `RuntimeError` when a transaction is already open: releasing a
    savepoint would keep the inner organization, so contexts never nest. Costs one round trip.
    """
    organization = to_uuid("org", actor.organization_id)
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute(
                _SET + _RELAXED if relaxed else _SET,
                [str(organization), actor.id, actor.request_id],
            )
        yield
