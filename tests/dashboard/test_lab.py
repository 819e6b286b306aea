from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.services.agents import pause_agent
from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.values import parse_draft
from memory_app.models import Memory, Recall
from memory_app.recall.values import Query
from memory_app.services import memories, recalling
from tests.accounts.people import join
from tests.dashboard.conftest import Desk
from tests.factories import make_bank, make_world

Remember = Callable[..., Memory]
QUESTION = "When is the staging database reset?"


def lab(desk: Desk, **given: str) -> str:
    return desk.url("lab/") + (f"?{urlencode(given)}" if given else "")


def test_every_hit_shows_what_each_channel_made_of_it(desk: Desk, remember: Remember) -> None:
    """F5: every channel's rank and score explained, for a chosen connection."""
    memory = remember("The staging database is reset every Monday.")
    remember("Ada prefers window seats.")

    page = desk.client.get(lab(desk, query=QUESTION, agent=desk.world.agent.id, limit="1"))

    (hit,) = page.context["hits"]
    assert hit.id == memory.id
    assert [line.name for line in hit.lines] == ["Meaning", "Words"]
    assert hit.lines[1].rank == 1
    assert page.context["permission"].tier == "full"
    assert "create_memory" in page.context["permission"].tools
    assert [group.stage for group in page.context["cuts"]] == ["limit"]
    assert {each.name for each in page.context["timings"]} >= {"Query vector", "Meaning", "Words"}


def test_a_look_is_no_recall_of_the_agents(desk: Desk, remember: Remember) -> None:
    memory = remember("The staging database is reset every Monday.")

    desk.client.get(lab(desk, query=QUESTION, agent=desk.world.agent.id))

    with acting_as(desk.world.person):
        assert not Recall.objects.filter(bank=desk.world.bank).exists()
        assert Memory.objects.get(bank=desk.world.bank, id=memory.id).recall_count == 0


def test_why_not_takes_an_id_a_slug_or_words(desk: Desk, remember: Remember) -> None:
    remember("The staging database is reset every Monday.", tags=["ops"])
    other = remember("Ada prefers window seats.")
    asked = {"query": QUESTION, "tags": "ops"}

    by_id = desk.client.get(lab(desk, **asked, why=other.id)).context
    by_slug = desk.client.get(lab(desk, **asked, why=other.slug)).context
    by_words = desk.client.get(lab(desk, **asked, why="window seats of Ada")).context

    assert by_id["reason"].label == "Filter: tags"
    assert by_slug["reason"].id == other.id
    assert by_words["reason"] is None
    assert f"why={other.id}" in by_words["choices"][0][1]


def test_what_is_hidden_is_shown_with_its_text(desk: Desk, remember: Remember) -> None:
    old = remember("The staging database is reset every Monday.")
    memories.retire(desk.world.person, "main", old.id, reason="moved to Friday")

    page = desk.client.get(lab(desk, query=QUESTION))

    (card,) = page.context["hidden"]
    assert (card.id, card.label) == (old.id, "Retired")
    assert "moved to Friday" in page.content.decode()


def test_the_same_call_can_be_copied_and_read_as_json(desk: Desk, remember: Remember) -> None:
    remember("It's the staging database that is reset.", tags=["ops"])
    asked = {"query": "it's staging", "tags": "ops", "limit": "3", "min_score": "0.1"}

    calls = {each.id: each.code for each in desk.client.get(lab(desk, **asked)).context["calls"]}
    reply = desk.client.get(lab(desk, **asked, format="json")).json()

    assert "\"it'\\''s staging\"" in calls["call-curl"]
    assert json.loads(calls["call-mcp"]) == {
        "name": "search_memory",
        "arguments": {"query": "it's staging", "tags": ["ops"], "limit": 3, "min_score": 0.1},
    }
    assert reply["memories"][0]["channels"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limit": "99"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"min_score": "2"}, "min_score"),
        ({"as_of": "someday"}, "as_of"),
        ({"mode": "guess"}, "mode"),
        ({"created_from": "2026-02-01", "created_to": "2026-01-01"}, "created_from"),
        ({"about": "a,b,c"}, "about"),
        ({"surprise": "1"}, "surprise"),
        ({"agent": "nobody"}, "agent"),
    ],
)
def test_a_wrong_option_is_told_beside_what_was_typed(
    desk: Desk, given: dict[str, str], said: str
) -> None:
    page = desk.client.get(lab(desk, query=QUESTION, **given))

    assert page.status_code == 422
    assert said in page.context["problem"].message
    assert page.context["given"]["query"] == QUESTION


@pytest.mark.parametrize("floor", ["-1", "1.5", "abc", "NaN", "Infinity", "1e400"])
def test_a_floor_that_is_none_is_refused(desk: Desk, remember: Remember, floor: str) -> None:
    """Handed case M 66."""
    remember("The staging database is reset every Monday.")

    page = desk.client.get(lab(desk, query=QUESTION, min_score=floor))

    assert page.status_code == 422
    assert "min_score" in page.context["problem"].message


@pytest.mark.parametrize("floor", ["0", "0.3", "0.6", "0.9", "1"])
def test_a_floor_keeps_the_good_and_drops_the_bad(
    desk: Desk, remember: Remember, floor: str
) -> None:
    """Handed case M 66: everything served reaches the floor, everything below it says so."""
    for number in range(6):
        remember(f"The staging database {number} is reset every Monday.")

    page = desk.client.get(lab(desk, query=QUESTION, min_score=floor)).context

    assert all((hit.score or 0) >= float(floor) for hit in page["hits"])
    cut = [card for group in page["cuts"] if group.stage == "floor" for card in group.cards]
    assert len(page["hits"]) + len(cut) == 6
    assert all("missed by" in card.missed for card in cut)


def test_more_filters_never_bring_more(desk: Desk, remember: Remember) -> None:
    """Handed case M 64."""
    for number in range(8):
        tags = [name for name, step in (("a", 1), ("b", 2), ("c", 4)) if number % step == 0]
        remember(f"The staging database {number} is reset every Monday.", tags=tags)
    filters = ({}, {"tags": "a"}, {"tags": "a,b"}, {"tags": "a,b,c", "category": "none"})

    served = [
        {hit.id for hit in desk.client.get(lab(desk, query=QUESTION, **given)).context["hits"]}
        for given in filters
    ]

    assert [len(each) for each in served] == [8, 8, 4, 0]
    assert served[3] <= served[2] <= served[1] <= served[0]


def test_a_paused_agent_gets_nothing_and_the_lab_says_why(desk: Desk) -> None:
    pause_agent(desk.world.person, desk.world.agent.id)

    page = desk.client.get(lab(desk, query=QUESTION, agent=desk.world.agent.id))

    assert page.status_code == 422
    assert "paused" in page.content.decode()


def test_a_tool_that_the_connection_lacks_is_named(desk: Desk, remember: Remember) -> None:
    asked = {"query": QUESTION, "agent": desk.world.agent.id, "tool": "query_memory"}

    page = desk.client.get(lab(desk, **asked))

    assert page.context["permission"].missing == "facts"


def test_the_start_offers_what_was_asked_lately(desk: Desk) -> None:
    empty = desk.client.get(lab(desk))
    recall = recalling.search(desk.world.caller, "main", Query(text=QUESTION)).recall_id
    start = desk.client.get(lab(desk))

    assert "See the profile" in empty.content.decode()
    assert [each["query"] for each in start.context["recent"]] == [QUESTION]
    assert desk.url(f"recalls/{recall}/") in start.content.decode()


def test_htmx_gets_the_results_alone(desk: Desk, remember: Remember) -> None:
    remember("The staging database is reset every Monday.")

    part = desk.client.get(lab(desk, query=QUESTION), headers={"HX-Request": "true"})

    assert "<html" not in part.content.decode()
    assert "Served: 1" in part.content.decode()


def test_an_unknown_memory_is_not_there(desk: Desk) -> None:
    page = desk.client.get(lab(desk, query=QUESTION, why=new_id("mem")))

    assert page.status_code == 404
    assert page.context["problem"].message == "No memory of this bank has that id."
    assert page.context["given"]["query"] == QUESTION


def test_a_memory_of_another_bank_is_told_to_those_who_see_that_bank(desk: Desk) -> None:
    """A stranger's memory and a private bank's are answered like an id that never was."""
    draft = parse_draft(content="The harp stands in the hall.", default_source="test")
    shared, hidden = (
        memories.save(desk.world.person, make_bank(desk.world, slug, visibility=seen).slug, draft)
        for slug, seen in (("shared", "organization"), ("hidden", "private"))
    )
    stranger = make_world()
    theirs = memories.save(stranger.person, "main", draft)
    member = Client()
    person = User.objects.get(id=join(desk.world, "member").id)
    member.force_login(person, backend="django.contrib.auth.backends.ModelBackend")

    said = [
        member.get(lab(desk, query=QUESTION, why=saved.memory.id)).context["problem"].hint
        for saved in (shared, hidden, theirs)
    ]

    assert "in the bank shared" in said[0].lower()
    assert said[1] == said[2] == "Choose one of this bank, by its id, its slug or its words."


def test_the_lab_costs_the_same_for_ten_memories_and_for_sixty(
    desk: Desk, remember: Remember
) -> None:
    for number in range(12):
        remember(f"Database {number} is reset on day {number}.")
    few = statements(desk)
    for number in range(12, 60):
        remember(f"Database {number} is reset on day {number}.")

    assert statements(desk) == few


def statements(desk: Desk) -> int:
    desk.client.get(lab(desk, query=QUESTION))
    with CaptureQueriesContext(connection) as counted:
        desk.client.get(lab(desk, query=QUESTION, limit="5"))
    return len(counted)
