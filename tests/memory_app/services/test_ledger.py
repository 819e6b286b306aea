from __future__ import annotations

import pytest
from django.db import ProgrammingError, connections

from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from memory_app.domain.values import parse_draft
from memory_app.models import LedgerEntry
from memory_app.services import ledger
from memory_app.services.memories import save
from tests.factories import World


def as_owner(world: World, statement: str) -> None:
    """Run a statement as the database's owner, who alone could tamper."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("BEGIN")
        organization = str(to_uuid("org", world.organization.id))
        cursor.execute("SELECT set_config('app.organization', %s, true)", [organization])
        cursor.execute(statement, [to_uuid("bank", world.bank.id)])
        cursor.execute("COMMIT")


@pytest.fixture
def kept(world: World) -> World:
    for text in ("First statement.", "Second one.", "A third thing."):
        save(world.caller, "main", parse_draft(content=text))
    return world


def test_an_untouched_chain_verifies(kept: World) -> None:
    """F2"""
    found = ledger.verify(kept.person, "main")

    assert (found.valid, found.entries) == (True, 3)


@pytest.mark.parametrize(
    ("statement", "broken_at"),
    [
        ("UPDATE ledger_entries SET actor = 'agent_x' WHERE bank_id = %s AND seq = 2", 2),
        ("UPDATE ledger_contents SET content = '{}' WHERE bank_id = %s AND seq = 2", 2),
        ("DELETE FROM ledger_entries WHERE bank_id = %s AND seq = 2", 3),
        ("DELETE FROM ledger_entries WHERE bank_id = %s AND seq = 3", 3),
        ("UPDATE ledger_entries SET seq = 9 - seq WHERE bank_id = %s AND seq > 1", 6),
    ],
)
def test_a_change_a_gap_and_a_missing_end_are_found(
    kept: World, statement: str, broken_at: int
) -> None:
    """F2, B13"""
    as_owner(kept, statement)

    found = ledger.verify(kept.person, "main")

    assert (found.valid, found.broken_at) == (False, broken_at)


def test_erased_content_does_not_break_the_chain(kept: World) -> None:
    """B13"""
    as_owner(kept, "DELETE FROM ledger_contents WHERE bank_id = %s")

    assert ledger.verify(kept.person, "main").valid


def test_the_applications_role_can_not_rewrite_the_ledger(kept: World) -> None:
    """B13"""
    with pytest.raises(ProgrammingError), acting_as(kept.person):
        LedgerEntry.objects.filter(bank=kept.bank).update(actor="agent_x")
    with pytest.raises(ProgrammingError), acting_as(kept.person):
        LedgerEntry.objects.filter(bank=kept.bank)._raw_delete("default")
