"""Lists of an organization that has a thousand of everything."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Agent, ApiKey, Connection, Membership, User
from accounts.tenancy import acting_as
from memory_app.models import Bank
from tests.dashboard.conftest import Desk

ROWS = 1_100
SCREENS = ("agents/", "agents/coder/", "people/", "banks/", "connect/", "memories/", "lab/")


def crowd(desk: Desk) -> None:
    """A thousand banks, agents and people; one agent that has a thousand connections and keys."""
    world = desk.world
    mine = {"organization_id": world.organization.id}
    numbers = range(ROWS)
    people = [
        User(email=f"p{n}-{world.organization.slug}@example.com", password="!") for n in numbers
    ]
    User.objects.bulk_create(people)
    with acting_as(world.person):
        Membership.objects.bulk_create(
            Membership(user=user, role="viewer", **mine) for user in people
        )
        banks = [
            Bank(
                slug=f"b{n}",
                name=f"Bank {n:04}",
                embedding_model=world.bank.embedding_model,
                dimensions=world.bank.dimensions,
                **mine,
            )
            for n in numbers
        ]
        Bank.objects.bulk_create(banks)
        Agent.objects.bulk_create(
            Agent(name=f"Agent {n:04}", slug=f"a{n}", **mine) for n in numbers
        )
        Connection.objects.bulk_create(
            Connection(agent=world.agent, bank=bank, **mine) for bank in banks
        )
        ApiKey.objects.bulk_create(
            ApiKey(agent=world.agent, digest=bank.id, preview="cpl_abcd", created_by="x", **mine)
            for bank in banks
        )


def address(desk: Desk, screen: str) -> str:
    """A screen of the bank, or one of the organization."""
    above = {"people/", "banks/"}
    return f"/o/{desk.world.organization.slug}/{screen}" if screen in above else desk.url(screen)


@pytest.fixture
def crowded(desk: Desk) -> Desk:
    crowd(desk)
    return desk


def cost(desk: Desk, screen: str) -> tuple[int, int]:
    """Statements and bytes of a screen that opens."""
    with CaptureQueriesContext(connection) as counted:
        answer = desk.client.get(address(desk, screen))
    assert answer.status_code == 200
    return len(counted), len(answer.content)


def test_screens_open_at_nearly_the_cost_of_an_organization_of_one(desk: Desk) -> None:
    for screen in SCREENS:
        cost(desk, screen)
    before = {screen: cost(desk, screen) for screen in SCREENS}

    crowd(desk)
    after = {screen: cost(desk, screen) for screen in SCREENS}

    more = {screen: after[screen][0] - before[screen][0] for screen in SCREENS}
    large = {screen: size for screen, (_, size) in after.items() if size > 400_000}
    assert {screen: number for screen, number in more.items() if number > 1} == {}
    assert large == {}


def test_every_agent_bank_and_person_is_found_by_name(crowded: Desk) -> None:
    pages = {
        screen: crowded.client.get(address(crowded, screen), {"q": wanted})
        for screen, wanted in (
            ("agents/", "agent 1099"),
            ("banks/", "BANK 1099"),
            ("people/", "p1099-"),
        )
    }

    assert [agent.slug for agent in pages["agents/"].context["agents"]] == ["a1099"]
    assert [bank.slug for bank in pages["banks/"].context["banks"]] == ["b1099"]
    [person] = pages["people/"].context["people"]
    assert person.email.startswith("p1099-")


@pytest.mark.parametrize(
    ("screen", "name", "least"),
    [("agents/", "agents", 25), ("banks/", "banks", 50), ("people/", "people", 50)],
)
def test_pages_lead_on_and_repeat_nothing(
    crowded: Desk, screen: str, name: str, least: int
) -> None:
    first = crowded.client.get(address(crowded, screen))
    second = crowded.client.get(first.context["older_url"])

    shown = [{row.url for row in page.context[name]} for page in (first, second)]
    assert [len(one) for one in shown] == [least, least]
    assert not shown[0] & shown[1]


def test_an_agents_own_page_leads_to_every_connection_and_key(crowded: Desk) -> None:
    first = crowded.client.get(crowded.url("agents/coder/"))
    agent = first.context["agent"]
    connections = crowded.client.get(agent.more_connections_url).context["agent"].connections
    keys = crowded.client.get(first.context["older_url"]).context["agent"].keys

    assert (len(agent.connections), len(agent.keys)) == (50, 50)
    assert not {one.id for one in agent.connections} & {one.id for one in connections}
    assert not {one.id for one in agent.keys} & {one.id for one in keys}


def test_a_bank_beyond_the_first_ones_has_its_screens_and_is_connected_by_its_address(
    crowded: Desk,
) -> None:
    far = crowded.url("").replace("/main/", "/b1099/")

    page = crowded.client.get(f"{far}agents/?q=agent 0007")
    [agent] = page.context["agents"]
    connected = crowded.client.post(agent.connect_url, {"bank": "b1099"}, follow=True)

    assert page.context["shell"].bank.name == "Bank 1099"
    assert page.context["shell"].all_banks_url
    assert agent.any_bank
    assert "Connected." in connected.content.decode()
    assert crowded.client.get(far.replace("b1099", "b9999") + "agents/").status_code == 404
