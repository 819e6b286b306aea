from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.models import Memory
from memory_app.services import memories
from tests.dashboard.conftest import Desk
from tests.factories import World

Remember = Callable[..., Memory]


def test_a_pinned_memory_comes_first(desk: Desk, remember: Remember) -> None:
    first = remember("The office closes at six.")
    remember("The canteen opens at noon.")
    memories.pin(desk.world.person, "main", first.id)

    page = desk.client.get(desk.url("memories/")).content.decode()

    assert page.index("The office closes") < page.index("The canteen opens")


def test_a_retired_memory_is_struck_through_beside_what_replaced_it(
    desk: Desk, remember: Remember
) -> None:
    """E6: gone from the live list, struck through, history visible."""
    old = remember("The limit is 100 requests a minute.")
    new = remember("Nobody limits requests any more.")
    memories.retire(desk.world.person, "main", old.id, superseded_by=new.id)

    live = desk.client.get(desk.url("memories/")).content.decode()
    retired = desk.client.get(desk.url("memories/?state=retired")).content.decode()

    assert "The limit is 100" not in live
    assert "line-through" in retired
    assert retired.index("The limit is 100") < retired.index("Nobody limits requests")


def test_the_next_page_keeps_every_filter(desk: Desk) -> None:
    """Case 074: filters survive paging, by htmx and by a full load."""
    _fill(desk.world, 60, tag="deploy")
    _fill(desk.world, 3, tag="other")
    author = desk.world.agent.id
    address = desk.url(f"memories/?author={author}&tag=deploy&since=2020-01-01")

    first = desk.client.get(address)
    older = first.context["older_url"]
    second = desk.client.get(older)
    part = desk.client.get(older, headers={"HX-Request": "true"})

    asked = parse_qs(urlsplit(older).query)
    assert {name: asked[name] for name in ("tag", "author", "since")} == {
        "tag": ["deploy"],
        "author": [author],
        "since": ["2020-01-01"],
    }
    assert len(first.context["rows"]) == 50
    assert len(second.context["rows"]) == 10
    assert not _ids(first) & _ids(second)
    assert b"<html" in second.content
    assert b"<html" not in part.content
    assert second.context["newer_url"] == address


def test_paging_goes_from_the_pinned_into_the_others_without_a_gap(desk: Desk) -> None:
    _fill(desk.world, 70, pinned=55)

    first = desk.client.get(desk.url("memories/"))
    second = desk.client.get(first.context["older_url"])

    assert len(_ids(first) | _ids(second)) == 70
    assert [row.pinned for row in second.context["rows"]] == [True] * 5 + [False] * 15


def test_a_search_is_answered_by_recall(desk: Desk, remember: Remember) -> None:
    remember("The staging database is reset every Monday.")
    remember("Bananas ripen faster in a paper bag.")

    page = desk.client.get(desk.url("memories/?q=staging+database"))

    assert page.context["rows"][0].snippet == "The staging database is reset every Monday."
    assert "word" in page.context["rows"][0].matched


def test_a_look_neither_counts_nor_logs(desk: Desk, remember: Remember) -> None:
    remember("The staging database is reset every Monday.")

    desk.client.get(desk.url("memories/?q=staging"))

    assert "searched for" not in desk.client.get(desk.url("activity/")).content.decode()


def test_the_list_costs_the_same_for_one_row_and_for_fifty(desk: Desk) -> None:
    _fill(desk.world, 1)
    desk.client.get(desk.url("memories/"))  # the first request also notes the session
    with CaptureQueriesContext(connection) as one:
        desk.client.get(desk.url("memories/"))
    _fill(desk.world, 80, pinned=10)

    with CaptureQueriesContext(connection) as many:
        desk.client.get(desk.url("memories/"))

    assert len(many) <= len(one) <= 24


@pytest.mark.parametrize(
    "query",
    [
        "q=%00",
        "tag=%00",
        "after=%00",
        "after=n.mem_x",
        "since=yesterday",
        "author=agent_x",
        "category=%00",
    ],
)
def test_a_bad_address_is_refused_in_plain_words(desk: Desk, query: str) -> None:
    """Case 030: a NUL in the address is no crash."""
    page = desk.client.get(desk.url(f"memories/?{query}"))

    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()


def test_a_stranger_finds_nothing(desk: Desk, stranger: World) -> None:
    """Another organization's list is the 404 of one that never was."""
    theirs = desk.client.get(f"/o/{stranger.organization.slug}/main/memories/")
    nobodys = desk.client.get("/o/no-such-place/main/memories/")
    no_bank = desk.client.get(f"/o/{desk.world.organization.slug}/none/memories/")

    assert [page.status_code for page in (theirs, nobodys, no_bank)] == [404, 404, 404]
    assert theirs.content == nobodys.content


def test_an_empty_bank_offers_three_ways_to_start(desk: Desk) -> None:
    page = desk.client.get(desk.url("memories/")).content.decode()

    assert "Connect an agent" in page
    assert "Import memories" in page
    assert "Add one memory" in page


def test_the_list_is_never_kept_by_a_cache(desk: Desk) -> None:
    page = desk.client.get(desk.url("memories/"))

    assert page["Cache-Control"] == "private, no-store"
    assert "HX-Request" in page["Vary"]


def _ids(page: object) -> set[str]:
    return {row.id for row in page.context["rows"]}  # type: ignore[attr-defined]


def _fill(world: World, number: int, *, tag: str = "", pinned: int = 0) -> None:
    """Rows without vectors: what the list reads, and nothing more."""
    with acting_as(world.person):
        Memory.objects.bulk_create(
            Memory(
                organization_id=world.organization.id,
                bank_id=world.bank.id,
                id=(own := new_id("mem")),
                slug=own.lower(),
                content=f"Statement {at}",
                tags=[tag] if tag else [],
                author=world.agent.id,
                content_hash="0x",
                pinned_at=world.bank.created_at if at < pinned else None,
                created_watermark=1,
                head_watermark=1,
            )
            for at in range(number)
        )
