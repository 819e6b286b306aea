"""What is done by several at once is done once, and stands once in the books."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from accounts.models import AccessEvent
from accounts.services.invitations import invite, withdraw_invitation
from accounts.tenancy import acting_as
from memory_app.domain.errors import NotFound
from memory_app.services.bank_bin import bin_bank, restore_bank
from memory_app.services.banks import create_bank
from tests.factories import World


def at_once(work: Callable[[], object], times: int = 8) -> int:
    """How many of so many calls at the same time found something to do."""
    done: list[object] = []

    def call(_: int) -> None:
        with contextlib.suppress(NotFound):
            done.append(work())
        connection.close()

    with ThreadPoolExecutor(times) as threads:
        list(threads.map(call, range(times)))
    return len(done)


def events(world: World, operation: str) -> int:
    with acting_as(world.person):
        found = AccessEvent.objects.filter(
            organization_id=world.organization.id, operation=operation
        )
        return found.count()


def test_a_bank_comes_out_of_the_bin_once(world: World) -> None:
    bank = create_bank(world.person, name="Notes")
    bin_bank(world.person, bank.id, confirm=bank.slug)

    assert at_once(lambda: restore_bank(world.person, bank.id)) == 1
    assert events(world, "bank.restored") == 1


def test_an_invitation_is_withdrawn_once(world: World) -> None:
    issued = invite(world.person, email="guest@example.com")

    assert at_once(lambda: withdraw_invitation(world.person, issued.invitation.id)) == 1
    assert events(world, "invitation.withdrawn") == 1
