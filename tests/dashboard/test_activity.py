from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_app.models import Memory
from memory_app.recall.values import Query
from memory_app.services import recalling
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]


def test_what_an_agent_searched_and_saved_is_listed_newest_first(
    desk: Desk, remember: Remember
) -> None:
    """E8: exactly what each agent searched for and saved."""
    remember("The staging database is reset every Monday.")
    _ask(desk, "staging reset")

    events = desk.client.get(desk.url("activity/")).context["events"]

    assert [(event.did, event.query) for event in events] == [
        ("searched for", "staging reset"),
        ("saved", ""),
    ]
    assert events[0].hits[0].snippet == "The staging database is reset every Monday."
    assert events[0].took_ms > 0


@pytest.mark.parametrize(("kind", "kinds"), [("searched", {"searched"}), ("saved", {"changed"})])
def test_one_kind_of_event_is_shown_alone(
    desk: Desk, remember: Remember, kind: str, kinds: set[str]
) -> None:
    remember("A statement.")
    _ask(desk, "statement")

    events = desk.client.get(desk.url(f"activity/?kind={kind}")).context["events"]

    assert {event.kind for event in events} == kinds


def test_pages_hold_every_event_once_and_keep_the_filter(desk: Desk) -> None:
    """Case 074: the next page is the same list."""
    for number in range(45):
        _ask(desk, f"question {number}")
    address = desk.url(f"activity/?kind=searched&who={desk.world.agent.id}")

    first = desk.client.get(address)
    second = desk.client.get(first.context["older_url"])

    asked = [e.query for e in (*first.context["events"], *second.context["events"])]
    assert asked == [f"question {number}" for number in reversed(range(45))]
    assert second.context["newer_url"] == address


def test_newer_events_are_counted_since_the_page_was_drawn(desk: Desk, remember: Remember) -> None:
    remember("A statement.")
    address = desk.client.get(desk.url("activity/")).context["newer_events_url"]
    quiet = desk.client.get(address).content.decode()
    _ask(desk, "statement")
    _ask(desk, "another")

    told = desk.client.get(address).content.decode()

    assert "new</a>" not in quiet
    assert "2 new</a>" in told
    assert address.replace("&", "&amp;") in told


def test_the_feed_costs_the_same_for_one_event_and_for_forty(
    desk: Desk, remember: Remember
) -> None:
    remember("A statement.")
    _ask(desk, "statement")
    with CaptureQueriesContext(connection) as few:
        desk.client.get(desk.url("activity/"))
    for number in range(40):
        _ask(desk, f"statement {number}")

    with CaptureQueriesContext(connection) as many:
        desk.client.get(desk.url("activity/"))

    assert len(many) <= len(few)


def _ask(desk: Desk, text: str) -> None:
    asking = replace(desk.world.caller, door="mcp", tool="search_memory")
    recalling.search(asking, "main", Query(text=text))
