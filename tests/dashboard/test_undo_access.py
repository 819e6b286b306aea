"""Changes of agents, connections, people and the organization offer their way back in the toast."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from accounts.models import User
from accounts.queries import events
from accounts.services.agents import get_agent, update_agent
from accounts.services.connections import get_connection, list_connections
from accounts.services.invitations import invite, list_invitations
from accounts.services.organizations import get_organization
from accounts.services.people import get_person
from accounts.tenancy import acting_as
from tests.accounts.people import join
from tests.dashboard.conftest import Desk
from tests.dashboard.test_people import MAIL, client_of, people_url
from tests.factories import make_world

_UNDO = re.compile(r'data-undo[^>]*>.*?action="([^"]+)"', re.DOTALL)


def undo(page: HttpResponse) -> str:
    """The address behind the toast's undo."""
    return _UNDO.findall(page.content.decode())[-1].replace("&amp;", "&")


def logged(desk: Desk) -> list[str]:
    with acting_as(desk.world.person):
        return [event.operation for event in events.page(desk.world.person).items]


def test_an_agent_gets_its_name_back_where_it_was_renamed(desk: Desk) -> None:
    address = desk.url(f"agents/{desk.world.agent.id}/")
    form = {"name": "Reviewer", "description": "Reads."}

    renamed = desk.client.post(address, form, follow=True)
    undone = desk.client.post(undo(renamed))

    back = get_agent(desk.world.person, desk.world.agent.id)
    assert (back.name, back.description) == ("Coder", "")
    assert undone["Location"] == address
    assert logged(desk)[:2] == ["agent.updated", "agent.updated"]


def test_what_somebody_else_named_since_stays(desk: Desk) -> None:
    address = desk.url(f"agents/{desk.world.agent.id}/")
    renamed = desk.client.post(address, {"name": "Reviewer"}, follow=True)
    update_agent(join(desk.world, "admin"), desk.world.agent.id, name="Auditor")

    refused = desk.client.post(undo(renamed), follow=True)

    assert "changed since" in refused.content.decode()
    assert refused.request["PATH_INFO"] == address
    assert get_agent(desk.world.person, desk.world.agent.id).name == "Auditor"


def test_a_name_that_stays_offers_no_undo(desk: Desk) -> None:
    address = desk.url(f"agents/{desk.world.agent.id}/")

    page = desk.client.post(address, {"name": "Coder"}, follow=True)

    assert "access-log" not in "".join(_UNDO.findall(page.content.decode()))


def test_a_connection_gets_tier_and_toolsets_back(desk: Desk) -> None:
    connection = desk.world.connection
    form = {"tier": "read", "toolsets": ["facts"], "next": desk.url("agents/")}

    saved = desk.client.post(desk.url(f"connections/{connection.id}"), form, follow=True)
    undone = desk.client.post(undo(saved))

    back = get_connection(desk.world.person, connection.id)
    assert (back.tier, back.toolsets) == (connection.tier, connection.toolsets)
    assert undone["Location"] == desk.url("agents/")


def test_a_revoked_connection_comes_back_and_goes_again(desk: Desk) -> None:
    connection, agent = desk.world.connection, desk.world.agent
    address = desk.url(f"connections/{connection.id}")

    revoked = desk.client.post(address, {"action": "revoke"}, follow=True)
    desk.client.post(undo(revoked))
    (back,) = list_connections(desk.world.person, agent=agent.id).items
    gone = desk.client.post(desk.url(f"connections/{back.id}"), {"action": "revoke"}, follow=True)
    connected = desk.client.post(
        desk.url(f"agents/{agent.id}/connections"), {"bank": desk.world.bank.id}, follow=True
    )
    desk.client.post(undo(connected))

    assert (back.tier, back.toolsets) == (connection.tier, connection.toolsets)
    assert "access-log" in undo(gone)
    assert list_connections(desk.world.person, agent=agent.id).items == ()


@pytest.mark.parametrize("form", [{"name": "Other", "daily_operation_cap": "5"}, {"name": "Other"}])
def test_an_organization_is_set_as_before(desk: Desk, form: dict[str, str]) -> None:
    address = f"/o/{desk.world.organization.slug}/settings/"

    saved = desk.client.post(address, form, follow=True)
    undone = desk.client.post(undo(saved))

    back = get_organization(desk.world.person)
    assert (back.name, back.daily_operation_cap) == (desk.world.organization.name, None)
    assert undone["Location"] == address


@pytest.mark.parametrize("form", [{"role": "viewer"}, {"action": "remove"}])
def test_a_person_has_the_role_back(desk: Desk, form: dict[str, str]) -> None:
    person = join(desk.world, "admin")

    changed = desk.client.post(people_url(desk.world, f"members/{person.id}"), form, follow=True)
    undone = desk.client.post(undo(changed), follow=True)

    assert get_person(desk.world.person, person.id).page.items[0].role == "admin"
    assert "stay revoked" in undone.content.decode()


def test_an_invitation_is_taken_back(desk: Desk, settings: Settings) -> None:
    settings.EMAIL_URL = MAIL
    sent = desk.client.post(
        people_url(desk.world, "invitations"), {"email": "guest@example.com"}, follow=True
    )
    desk.client.post(undo(sent))

    assert list_invitations(desk.world.person).items == ()


def test_nobody_without_the_right_and_no_stranger_takes_back(desk: Desk) -> None:
    address = f"/o/{desk.world.organization.slug}/settings/"
    way = undo(desk.client.post(address, {"name": "Other"}, follow=True))
    admin, stranger = client_of(user_of(desk)), client_of(make_world().owner)

    refused = admin.post(way, follow=True)
    unknown = stranger.post(way)

    assert "role" in refused.content.decode()
    assert unknown.status_code == 404
    assert get_organization(desk.world.person).name == "Other"


def test_an_administrator_is_offered_nothing_about_an_owners_invitation(desk: Desk) -> None:
    invite(desk.world.person, email="boss@example.com", role="owner")
    invite(desk.world.person, email="guest@example.com", role="viewer")

    theirs = client_of(user_of(desk)).get(people_url(desk.world)).content.decode()
    own = desk.client.get(people_url(desk.world)).content.decode()

    assert (theirs.count("Send again"), theirs.count("An owner’s to change")) == (1, 1)
    assert (own.count("Send again"), own.count("An owner’s to change")) == (2, 0)


def user_of(desk: Desk) -> User:
    """An administrator of the desk's organization."""
    return User.objects.get(id=join(desk.world, "admin").id)
