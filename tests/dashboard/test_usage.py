from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.models import Job, Memory
from memory_app.providers.clock import now
from memory_app.recall.values import Query
from memory_app.services import recalling, saves
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]


def measures(desk: Desk, query: str = "") -> dict[str, tuple[str, str]]:
    found = desk.client.get(desk.url(f"usage/{query}")).context["measures"]
    return {each.label: (each.value, each.url) for each in found}


def test_an_empty_bank_has_figures_and_no_drawing(desk: Desk) -> None:
    page = desk.client.get(desk.url("usage/"))

    assert page.status_code == 200
    assert [chart.rows for chart in page.context["charts"]] == [()] * 6
    assert "Nothing in these 30 days" in page.content.decode()


def test_searches_saves_and_tokens_are_counted_by_day(desk: Desk, remember: Remember) -> None:
    remember("The staging database is reset every Monday.")
    remember("The office closes at six.")
    _ask(desk, "staging reset")
    _ask(desk, "staging reset again")

    page = desk.client.get(desk.url("usage/?days=7"))
    charts = {chart.id: chart for chart in page.context["charts"]}

    assert len(charts["searches"].data["columns"][0]) == 7
    assert charts["searches"].data["columns"][1][-1] == 2
    assert charts["growth"].data["columns"][1][-1] == 2
    assert charts["latency"].data["columns"][1][-1] > 0
    assert charts["tokens"].data["columns"][1][-1] > 0
    assert measures(desk)["Searches"][0] == "2"


def test_every_figure_leads_to_its_list(desk: Desk, remember: Remember) -> None:
    remember("The staging database is reset every Monday.")
    _ask(desk, "staging reset")
    old = remember("Nobody ever asks for this.")
    _age(desk, old, 200)

    found = measures(desk)
    stale = desk.client.get(found["Stale"][1]).context["rows"]
    pages = [desk.client.get(url).status_code for _, url in found.values()]

    assert found["Stale"][0] == "1"
    assert [row.id for row in stale] == [old.id]
    assert set(pages) == {200}


def test_a_list_holds_as_many_as_its_figure_says(desk: Desk, remember: Remember) -> None:
    """In the chosen days, without what is no search and with the saves that count for nothing."""
    memory = remember("The staging database is reset every Monday.")
    remember("Nobody ever asks for this.")
    _ask(desk, "staging reset")
    _ask(desk, "staging")
    recalling.search(desk.world.caller, "main", Query(text="", mode="profile"))
    saves.record_save(desk.world.caller, "main", memory.id, "It spared me a look.")

    page = desk.client.get(desk.url("usage/?days=7"))
    found = {each.label: each for each in page.context["measures"]}
    listed = {label: desk.client.get(each.url).context for label, each in found.items()}

    week = {"since": [(now() - timedelta(days=6)).date().isoformat()]}
    searches = [event for session in listed["Searches"]["sessions"] for event in session.events]
    assert week.items() <= parse_qs(urlsplit(found["Searches"].url).query).items()
    assert len(searches) == int(found["Searches"].value)
    assert found["Recall saves"].note.endswith("; 1 more of one’s own")
    assert len(listed["Recall saves"]["entries"]) == int(found["Recall saves"].value) + 1
    assert len(listed["Never recalled"]["rows"]) == int(found["Never recalled"].value)
    assert len(listed["Memories"]["rows"]) == int(found["Memories"].value)


def test_never_recalled_memories_are_a_list(desk: Desk, remember: Remember) -> None:
    remember("The staging database is reset every Monday.")
    _ask(desk, "staging reset")
    fresh = remember("Nobody asked yet.")

    rows = desk.client.get(desk.url("memories/?recalled=never")).context["rows"]

    assert [row.id for row in rows] == [fresh.id]


def test_failed_jobs_are_shown_with_their_error(desk: Desk) -> None:
    with acting_as(desk.world.person):
        Job.objects.create(
            organization=desk.world.organization,
            bank=desk.world.bank,
            task="index_memories",
            attempts=5,
            failed_at=Now(),
            error="ValueError: <b>boom</b>",
        )

    page = desk.client.get(desk.url("usage/")).content.decode()

    assert "Making vectors of memories" in page
    assert "&lt;b&gt;boom" in page


@pytest.mark.parametrize("days", ["0", "-1", "x", "9999999", "7 "])
def test_a_misspelled_window_is_the_usual_one(desk: Desk, days: str) -> None:
    assert desk.client.get(desk.url("usage/"), {"days": days}).context["window"] == 30


def test_the_page_costs_the_same_for_one_event_and_for_many(desk: Desk, remember: Remember) -> None:
    remember("The office closes at six.")
    _ask(desk, "office")
    with CaptureQueriesContext(connection) as few:
        desk.client.get(desk.url("usage/"))
    for number in range(20):
        remember(f"Room {number} has a window.")
        _ask(desk, f"room {number}")

    with CaptureQueriesContext(connection) as many:
        desk.client.get(desk.url("usage/"))

    assert len(many) <= len(few)


def _ask(desk: Desk, text: str) -> None:
    asking = replace(desk.world.caller, door="mcp", tool="search_memory")
    recalling.search(asking, "main", Query(text=text))


def _age(desk: Desk, memory: Memory, days: int) -> None:
    past = Now() - timedelta(days=days)
    with acting_as(desk.world.person):
        rows = Memory.objects.filter(bank_id=memory.bank_id, id=memory.id)
        rows.update(updated_at=past, created_at=past)
