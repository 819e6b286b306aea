"""A change of access is taken back by its event, by whoever may make it, unless it was changed since."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.actor import Actor, Role
from accounts.models import Agent
from accounts.queries import events
from accounts.services import taking_back
from accounts.services.agents import create_agent, get_agent, update_agent
from accounts.services.connections import (
    change_connection,
    connect,
    disconnect,
    get_connection,
    list_connections,
    pause_connection,
)
from accounts.services.invitations import invite, list_invitations
from accounts.services.organizations import get_organization, update_organization
from accounts.services.people import change_role, get_person, list_people, remove_member
from accounts.services.taking_back import last_change, take_back
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, RoleInsufficient
from tests.accounts.people import join
from tests.factories import World


def newest(actor: Actor, target: str) -> str:
    """The event of what was changed last about a target."""
    with acting_as(actor):
        return events.page(actor, target=target, limit=1).items[0].id


def operations(world: World) -> list[str]:
    with acting_as(world.person):
        return [event.operation for event in events.page(world.person).items]


def renamed(world: World) -> tuple[Agent, str]:
    agent = create_agent(world.person, name="Before", description="Reads.")
    update_agent(world.person, agent.id, name="After", description="Writes.")
    return agent, newest(world.person, agent.id)


def test_an_agent_is_called_and_described_as_before(world: World) -> None:
    agent, event = renamed(world)

    take_back(world.person, event)

    back = get_agent(world.person, agent.id)
    assert (back.name, back.description) == ("Before", "Reads.")
    assert operations(world)[0] == "agent.updated"


def test_a_connection_has_its_tier_and_toolsets_back(world: World) -> None:
    change_connection(world.person, world.connection.id, tier="full", toolsets=["notes"])

    take_back(world.person, newest(world.person, world.connection.id))

    back = get_connection(world.person, world.connection.id)
    assert (back.tier, back.toolsets) == (world.connection.tier, world.connection.toolsets)


def test_a_revoked_connection_is_made_again_and_paused_as_it_was(world: World) -> None:
    connection = world.connection
    change_connection(world.person, connection.id, tier="read", toolsets=["graph", "notes"])
    pause_connection(world.person, connection.id)
    disconnect(world.person, connection.id)

    take_back(world.person, newest(world.person, connection.id))

    (back,) = list_connections(world.person, agent=world.agent.id).items
    assert (back.bank_id, back.tier, back.toolsets) == (world.bank.id, "read", ["graph", "notes"])
    assert back.paused_at is not None


def test_a_new_connection_is_taken_away_again(world: World) -> None:
    agent = create_agent(world.person, name="Visitor")
    made = connect(world.person, agent=agent.id, bank=world.bank.id)

    take_back(world.person, newest(world.person, made.id))

    assert list_connections(world.person, agent=agent.id).items == ()


def test_a_new_connection_that_was_changed_stays(world: World) -> None:
    agent = create_agent(world.person, name="Visitor")
    made = connect(world.person, agent=agent.id, bank=world.bank.id)
    event = newest(world.person, made.id)
    change_connection(world.person, made.id, tier="read")

    with pytest.raises(Conflict):
        take_back(world.person, event)


def test_an_organization_is_set_as_before(world: World) -> None:
    update_organization(world.person, name="Other", daily_operation_cap=5)

    take_back(world.person, newest(world.person, world.organization.id))

    back = get_organization(world.person)
    assert (back.name, back.daily_operation_cap) == (world.organization.name, None)


def test_what_another_change_left_alone_is_no_conflict(world: World) -> None:
    update_organization(world.person, name="Other")
    event = newest(world.person, world.organization.id)
    update_organization(world.person, daily_operation_cap=5)

    take_back(world.person, event)

    back = get_organization(world.person)
    assert (back.name, back.daily_operation_cap) == (world.organization.name, 5)


def test_a_role_comes_back_and_not_the_keys(world: World) -> None:
    person = join(world, "admin")
    change_role(world.person, person.id, "viewer")

    take_back(world.person, newest(world.person, person.id))

    assert get_person(world.person, person.id).page.items[0].role == "admin"


def test_a_removed_person_belongs_again(world: World) -> None:
    person = join(world, "member")
    remove_member(world.person, person.id)

    take_back(world.person, newest(world.person, person.id))

    assert get_person(world.person, person.id).page.items[0].role == "member"


def test_whoever_left_is_not_brought_back(world: World) -> None:
    person = join(world, "member")
    remove_member(person, person.id)

    with pytest.raises(Conflict):
        take_back(world.person, newest(world.person, person.id))
    assert len(list_people(world.person).page.items) == 1


def test_an_invitation_is_withdrawn(world: World) -> None:
    issued = invite(world.person, email="late@example.com")

    take_back(world.person, newest(world.person, issued.invitation.id))

    assert list_invitations(world.person).items == ()


def rename_again(world: World) -> str:
    agent, event = renamed(world)
    update_agent(world.person, agent.id, name="Later")
    return event


def change_tier_again(world: World) -> str:
    change_connection(world.person, world.connection.id, tier="read")
    event = newest(world.person, world.connection.id)
    change_connection(world.person, world.connection.id, tier="read_write")
    return event


def cap_again(world: World) -> str:
    update_organization(world.person, daily_operation_cap=5)
    event = newest(world.person, world.organization.id)
    update_organization(world.person, daily_operation_cap=6)
    return event


def promote_again(world: World) -> str:
    person = join(world, "viewer")
    change_role(world.person, person.id, "member")
    event = newest(world.person, person.id)
    change_role(world.person, person.id, "admin")
    return event


def take_back_once(world: World) -> str:
    _, event = renamed(world)
    take_back(world.person, event)
    return event


@pytest.mark.parametrize(
    "begin", [rename_again, change_tier_again, cap_again, promote_again, take_back_once]
)
def test_what_was_changed_since_is_left_alone(world: World, begin: Callable[[World], str]) -> None:
    event = begin(world)
    before = operations(world)

    with pytest.raises(Conflict):
        take_back(world.person, event)
    assert operations(world) == before


def test_a_stranger_takes_nothing_back(world: World, stranger: World) -> None:
    _, event = renamed(world)

    with pytest.raises(NotFound):
        take_back(stranger.person, event)


@pytest.mark.parametrize("role", ["viewer", "member"])
def test_only_who_may_change_it_takes_it_back(world: World, role: Role) -> None:
    _, event = renamed(world)

    with pytest.raises(RoleInsufficient):
        take_back(join(world, role), event)


def test_an_administrator_makes_nobody_an_owner_again(world: World) -> None:
    person = join(world, "owner")
    change_role(world.person, person.id, "viewer")

    with pytest.raises(RoleInsufficient):
        take_back(join(world, "admin"), newest(world.person, person.id))


def test_a_made_agent_has_no_way_back(world: World) -> None:
    agent = create_agent(world.person, name="Here to stay")

    with pytest.raises(InvalidArgument):
        take_back(world.person, newest(world.person, agent.id))


def test_an_old_change_is_left_to_a_new_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _, event = renamed(world)
    monkeypatch.setattr(taking_back, "DAYS", 0)

    with pytest.raises(Conflict):
        take_back(world.person, event)


def test_what_changed_nothing_offers_nothing(world: World) -> None:
    started = timezone.now()
    update_agent(world.person, world.agent.id, name=world.agent.name)
    change_connection(world.person, world.connection.id, tier=world.connection.tier)
    update_organization(world.person, name=world.organization.name)

    targets = (world.agent.id, world.connection.id, world.organization.id)
    assert [last_change(world.person, target, since=started) for target in targets] == ["", "", ""]


def test_only_ones_own_change_is_offered(world: World) -> None:
    started = timezone.now()
    _, event = renamed(world)
    agent = get_agent(world.person, "before").id

    assert last_change(world.person, agent, since=started) == event
    assert last_change(join(world, "owner"), agent, since=started) == ""
