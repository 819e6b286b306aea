"""An organization that exists for one measurement and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper

from accounts.actor import COMMAND, Actor, system_actor
from accounts.services.organizations import create_organization
from memory_app.domain.ids import to_uuid
from memory_app.models import Bank
from memory_app.services.banks import create_bank

# Below the organization; what hangs on a bank goes with the bank.
_TABLES = (
    "bank_slugs",
    "daily_usage",
    "rate_windows",
    "idempotency_keys",
    "access_events",
    "memberships",
)


@contextmanager
def scratch_organization() -> Iterator[Actor]:
    """The operator in a fresh organization, which is removed afterwards, also after a failure."""
    organization = create_organization(None, name="Evaluation", door="command")
    operator = system_actor(organization.id, COMMAND, door="command")
    try:
        yield operator
    finally:
        _remove(operator)


@contextmanager
def scratch_bank(operator: Actor, name: str) -> Iterator[Bank]:
    """An empty bank with default settings, removed afterwards with everything in it."""
    bank = create_bank(operator, name=name)
    try:
        yield bank
    finally:
        with _owner(operator) as cursor:
            cursor.execute("DELETE FROM banks WHERE id = %s", [to_uuid("bank", bank.id)])


def _remove(operator: Actor) -> None:
    organization = to_uuid("org", operator.organization_id)
    with _owner(operator) as cursor:
        cursor.execute("DELETE FROM banks WHERE organization_id = %s", [organization])
        for table in _TABLES:
            statement = f"DELETE FROM {table} WHERE organization_id = %s"  # noqa: S608 - names above
            cursor.execute(statement, [organization])
        cursor.execute("DELETE FROM organizations WHERE id = %s", [organization])


@contextmanager
def _owner(operator: Actor) -> Iterator[CursorWrapper]:
    """The owner's role in the organization: the application's own may delete neither banks, whose
    ledger goes with them, nor the access log.
    """
    organization = str(to_uuid("org", operator.organization_id))
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT set_config('app.organization', %s, true)", [organization])
        yield cursor
