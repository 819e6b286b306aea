from __future__ import annotations

from dataclasses import replace

from accounts.models import Connection
from accounts.services.connections import note_seen_at
from accounts.tenancy import acting_as
from tests.factories import World


def seen(world: World) -> Connection:
    with acting_as(world.person):
        return Connection.objects.get(id=world.connection.id)


def test_a_visit_is_remembered_with_the_client(world: World) -> None:
    note_seen_at(replace(world.caller, client="curl/8"), "main")

    assert seen(world).last_seen_at is not None
    assert seen(world).last_client == "curl/8"


def test_visits_close_together_are_written_once(world: World) -> None:
    note_seen_at(world.caller, world.bank.id)
    first = seen(world).last_seen_at
    note_seen_at(world.caller, world.bank.id)

    assert seen(world).last_seen_at == first


def test_a_strangers_visit_leaves_no_trace(world: World, stranger: World) -> None:
    note_seen_at(stranger.caller, world.bank.id)

    assert seen(world).last_seen_at is None


def test_a_person_is_no_agent(world: World) -> None:
    note_seen_at(world.person, "main")

    assert seen(world).last_seen_at is None
