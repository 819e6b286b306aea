from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Agent, ApiKey, Connection
from accounts.services.invitations import invite
from accounts.tenancy import acting_as
from memory_app.services.bank_bin import bin_bank
from tests.accounts.people import join
from tests.factories import World, make_bank
from tests.memory_app.rest.client import Rest, rest_of, session_of

ROWS = 12
LISTS = [
    ("agents", "agents"),
    ("connections", "connections"),
    ("keys", "keys"),
    ("banks", "banks"),
    ("people", "people"),
    ("invitations", "invitations"),
    ("binned-banks", "banks"),
    ("access-log", "events"),
]


def fill(world: World, first: int, rows: int = ROWS) -> None:
    """So many of everything that these lists hold, beside what a world has."""
    numbers = range(first, first + rows)
    mine = {"organization_id": world.organization.id}
    with acting_as(world.person):
        agents = [Agent(name=f"Bot {n:03}", slug=f"bot-{n}", **mine) for n in numbers]
        Agent.objects.bulk_create(agents)
        Connection.objects.bulk_create(
            Connection(agent=agent, bank_id=world.bank.id, **mine) for agent in agents
        )
        ApiKey.objects.bulk_create(
            ApiKey(agent=agent, digest=f"{agent.id}", preview="cpl_abcd", created_by="x", **mine)
            for agent in agents
        )
    for number in numbers:
        join(world, "viewer")
        invite(world.person, email=f"guest-{number}@example.com")
        make_bank(world, f"kept-{number:03}")
        make_bank(world, f"gone-{number:03}")
        bin_bank(world.person, f"gone-{number:03}", confirm=f"gone-{number:03}")


def walk(rest: Rest, path: str, name: str) -> list[dict[str, Any]]:
    """Every row by nothing but the cursor, five a page."""
    found: list[dict[str, Any]] = []
    query = f"/api/v1/{path}?limit=5"
    while query:
        body = rest.get(query).json()
        found += body[name]
        cursor = body.get("next_cursor")
        query = f"/api/v1/{path}?limit=5&cursor={cursor}" if cursor else ""
    return found


@pytest.mark.parametrize(("path", "name"), LISTS, ids=[path for path, _ in LISTS])
def test_every_row_is_reached_once(world: World, path: str, name: str) -> None:
    fill(world, 1)

    rows = walk(session_of(world), path, name)

    ids = [row["id"] for row in rows]
    assert len(ids) == len(set(ids)) >= ROWS


@pytest.mark.parametrize(("path", "name"), LISTS, ids=[path for path, _ in LISTS])
def test_a_page_costs_the_same_for_a_few_rows_and_for_many(
    world: World, path: str, name: str
) -> None:
    client = session_of(world)
    fill(world, 1)
    with CaptureQueriesContext(connection) as few:
        first = client.get(f"/api/v1/{path}?limit=10").json()

    fill(world, 100)
    with CaptureQueriesContext(connection) as many:
        second = client.get(f"/api/v1/{path}?limit=10").json()

    assert len(first[name]) == len(second[name]) == 10
    assert len(many) == len(few)


def test_names_are_in_order_and_searched_by_a_part(world: World) -> None:
    fill(world, 1)
    client = session_of(world)

    agents = [row["name"] for row in walk(client, "agents", "agents")]
    found = client.get("/api/v1/agents?name=BOT 00&limit=3").json()
    further = client.get(f"/api/v1/agents?limit=50&cursor={found['next_cursor']}").json()

    assert agents == sorted(agents)
    assert [row["name"] for row in found["agents"]] == ["Bot 001", "Bot 002", "Bot 003"]
    assert [row["name"] for row in further["agents"]] == [f"Bot 00{n}" for n in range(4, 10)]


def test_a_bank_that_went_between_two_pages_loses_no_other(world: World) -> None:
    fill(world, 1)
    client = session_of(world)
    page = client.get("/api/v1/banks?limit=3").json()
    last = page["banks"][-1]["slug"]
    bin_bank(world.person, last, confirm=last)

    following = client.get(f"/api/v1/banks?limit=1&cursor={page['next_cursor']}").json()

    assert following["banks"][0]["slug"] == "kept-004"


def test_an_agent_pages_through_what_it_sees_and_no_people(world: World) -> None:
    fill(world, 1)
    agent = rest_of(world)

    banks = walk(agent, "banks", "banks")
    own = {path: walk(agent, path, path) for path in ("agents", "connections", "keys")}
    refused = [agent.get(f"/api/v1/{path}") for path, _ in LISTS[4:]]

    assert len(banks) == ROWS + 1
    assert {path: len(rows) for path, rows in own.items()} == {
        "agents": 1,
        "connections": 1,
        "keys": 1,
    }
    assert [(one.status_code, one.json()["code"]) for one in refused] == [
        (403, "role_insufficient")
    ] * 4


@pytest.mark.parametrize("path", [path for path, _ in LISTS])
def test_a_strange_cursor_and_a_limit_over_the_most_are_refused(world: World, path: str) -> None:
    client = session_of(world)

    strange = client.get(f"/api/v1/{path}?cursor=bank_01M8PVJ4DE7WVGKJWFP81Y1XC4")
    over = client.get(f"/api/v1/{path}?limit=201")

    assert (strange.status_code, strange.json()["field"]) == (400, "cursor")
    assert (over.status_code, over.json()["field"]) == (400, "limit")
