from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id, to_uuid
from memory_app.models import Memory
from memory_app.recall.values import Filters, Query
from memory_app.services import memories, recalling
from tests.dashboard.conftest import Desk
from tests.memory_app.rest.client import rest_of

Remember = Callable[..., Memory]
QUESTION = "When is the staging database reset?"


@pytest.fixture
def asked(desk: Desk, remember: Remember) -> tuple[Memory, str]:
    memory = remember("The staging database is reset on Monday.", tags=["ops"])
    query = Query(text=QUESTION, filters=Filters(tags=("ops",)))
    recall = recalling.search(desk.world.caller, "main", query).recall_id
    return memory, desk.url(f"recalls/{recall}/")


def test_a_receipt_says_who_asked_what_when_and_what_was_served(
    desk: Desk, asked: tuple[Memory, str]
) -> None:
    """F5: each real recall has a permalink."""
    memory, address = asked

    page = desk.client.get(address)

    receipt = page.context["receipt"]
    assert (receipt.query, receipt.who.name) == (QUESTION, "Coder")
    assert ("tags", "ops") in receipt.conditions
    assert receipt.served[0].text == memory.content
    assert "tags=ops" in page.context["lab_url"]
    assert f"agent={desk.world.agent.id}" in page.context["lab_url"]


def test_a_replay_shows_the_difference_and_why(
    desk: Desk, asked: tuple[Memory, str], remember: Remember
) -> None:
    memory, address = asked
    new = remember("When is the staging database reset? On Friday.", tags=["ops"])
    memories.retire(desk.world.person, "main", memory.id, reason="moved", superseded_by=new.id)

    today = desk.client.get(f"{address}?at=today")
    then = desk.client.get(f"{address}?at=then")

    assert dict(today.context["counts"]) == {"gained": 1, "lost": 1, "moved": 0, "same": 0}
    assert "moved" in today.context["differences"][1].reason
    assert dict(then.context["counts"]) == {"gained": 0, "lost": 0, "moved": 0, "same": 1}


SCREENS = ("gaps/", "activity/", "usage/", "review/", "recalls/{}/", "recalls/{}/?at=today")
PATHS = ("gaps", "activity", "recalls/{}", "health", "memory-tests")


@pytest.mark.parametrize(
    "hits",
    [
        '{"id": "mem_1"}',
        "7",
        "null",
        '["mem_1", 7, {}, null]',
        '[{"id": 7, "score": 1}]',
        '[{"id": "mem_1", "rank": 1}]',
        '[{"id": "mem_01M8QW1H2D1C0G7JCDYMB6APVW", "rank": "first", "score": "high", "matched": "dense"}]',
    ],
)
def test_what_an_old_read_holds_instead_of_hits_breaks_no_page(
    desk: Desk, asked: tuple[Memory, str], hits: str
) -> None:
    """Rows of the read log from before today's rules."""
    memory, address = asked
    recall = address.rsplit("/", 2)[1]
    with acting_as(desk.world.person), connection.cursor() as cursor:
        bank = to_uuid("bank", desk.world.bank.id)
        cursor.execute(
            "UPDATE recalls SET hits = %s WHERE bank_id = %s AND id = %s",
            [hits, bank, to_uuid("rec", recall)],
        )
    screens = [desk.url(path.format(recall)) for path in SCREENS] + [desk.memory_url(memory)]
    rest = rest_of(desk.world)

    assert [path for path in screens if desk.client.get(path).status_code != 200] == []
    assert [path for path in PATHS if rest.get(path.format(recall)).status_code != 200] == []


def test_a_memory_page_leads_to_the_receipts_that_served_it(
    desk: Desk, asked: tuple[Memory, str]
) -> None:
    memory, address = asked

    assert address in desk.client.get(desk.memory_url(memory)).content.decode()


def test_an_unknown_moment_is_told(desk: Desk, asked: tuple[Memory, str]) -> None:
    page = desk.client.get(f"{asked[1]}?at=tomorrow")

    assert page.status_code == 400
    assert "Choose today or then" in page.content.decode()


def test_an_unknown_recall_is_not_there(desk: Desk) -> None:
    assert desk.client.get(desk.url(f"recalls/{new_id('rec')}/")).status_code == 404
    assert desk.client.get(desk.url("recalls/mem_1/")).status_code == 404


def test_a_replay_costs_the_same_for_few_hits_and_for_many(desk: Desk, remember: Remember) -> None:
    for number in range(4):
        remember(f"Database {number} is reset on day {number}.")
    few = statements(desk, limit=3)
    for number in range(4, 60):
        remember(f"Database {number} is reset on day {number}.")

    assert statements(desk, limit=50) == few


def statements(desk: Desk, *, limit: int) -> int:
    query = Query(text="database reset day", limit=limit)
    answer = recalling.search(desk.world.caller, "main", query)
    gone = answer.result.hits[0].memory.id
    memories.retire(desk.world.person, "main", gone)
    address = desk.url(f"recalls/{answer.recall_id}/?at=today")
    desk.client.get(address)
    with CaptureQueriesContext(connection) as counted:
        desk.client.get(address)
    return len(counted)
