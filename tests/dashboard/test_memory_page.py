from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from accounts.models import Membership, Organization
from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.queries.access import resolve
from memory_app.queries.memories import find
from memory_app.recall.values import Query
from memory_app.services import memories, recalling
from tests.dashboard.conftest import Desk
from tests.factories import World
from tests.memory_app.rest.client import rest_of

Remember = Callable[..., Memory]


def test_a_memory_says_through_which_door_it_came(
    desk: Desk, remember: Callable[..., Memory]
) -> None:
    by_mcp = remember("By a tool.")
    rest = rest_of(desk.world)
    by_rest = rest.save("By the API.")["id"]
    by_hand = desk.client.post(
        desk.url("memories/new"), {"content": "By hand.", "expected_watermark": "0"}
    ).headers["Location"]

    pages = [
        desk.client.get(address).context["properties"]
        for address in (desk.memory_url(by_mcp), desk.url(f"memories/{by_rest}/"), by_hand)
    ]

    said = [{each.name: each.value for each in page}["Came by"] for page in pages]
    assert said == ["MCP · create_memory", "REST", "dashboard"]


def test_an_edit_shows_as_a_word_difference_in_the_history(desk: Desk, remember: Remember) -> None:
    """E8: a human can always fix it; the history says what changed."""
    memory = remember("Deploys happen on Tuesday.")

    saved = desk.client.post(
        desk.memory_url(memory, "edit"),
        {
            "content": "Deploys happen on Friday.",
            "tags": "Ops, ops",
            "expected_watermark": memory.head_watermark,
        },
        follow=True,
    )

    page = saved.content.decode()
    assert '<del class="word"><span class="sr-only">removed: </span>Tuesday</del>' in page
    assert "Friday</ins>" in page
    assert _stored(desk, memory).tags == ["ops"]


def test_the_second_editor_sees_both_texts_and_loses_nothing(
    desk: Desk, remember: Remember
) -> None:
    memory = remember("Deploys happen on Tuesday.")
    opened = memory.head_watermark
    _edit(desk, memory, "Deploys happen on Wednesday.", opened)

    late = _edit(desk, memory, "Deploys happen at night.", opened)

    page = late.content.decode()
    assert late.status_code == 412
    assert "Deploys happen on Wednesday." in page
    assert "Deploys happen at night." in page
    assert _stored(desk, memory).content == "Deploys happen on Wednesday."
    assert (
        _edit(
            desk, memory, "Deploys happen at night.", _stored(desk, memory).head_watermark
        ).status_code
        == 302
    )


def test_an_older_version_is_opened_in_the_editor_and_saved(desk: Desk, remember: Remember) -> None:
    memory = remember("Deploys happen on Tuesday.", tags=["ops"])
    _edit(desk, memory, "Deploys happen on Friday.", memory.head_watermark)

    page = desk.client.get(desk.memory_url(memory))
    before = page.context["history"][0].before
    editor = desk.client.get(desk.memory_url(memory, f"edit?version={before}")).context["editor"]

    assert editor.content == "Deploys happen on Tuesday."
    assert editor.tags == "ops"
    assert editor.expected_watermark == str(_stored(desk, memory).head_watermark)


@pytest.mark.parametrize("version", ["x", "-1", "9" * 30, "%00"])
def test_a_version_that_is_no_number_is_refused(
    desk: Desk, remember: Remember, version: str
) -> None:
    memory = remember("Deploys happen on Tuesday.")

    assert desk.client.get(desk.memory_url(memory, f"edit?version={version}")).status_code == 400


def test_a_refused_edit_keeps_what_was_typed(desk: Desk, remember: Remember) -> None:
    memory = remember("Short.")

    refused = _edit(desk, memory, "x" * 10_001, memory.head_watermark)

    assert refused.status_code == 422
    assert "the limit is 10,000" in refused.content.decode()
    assert "x" * 10_001 in refused.content.decode()


def test_a_deleted_memory_comes_back_by_undo(desk: Desk, remember: Remember) -> None:
    memory = remember("Keep me.")

    deleted = desk.client.post(desk.memory_url(memory, "delete"), follow=True).content.decode()
    binned = desk.client.get(desk.url("memories/?state=bin")).content.decode()
    desk.client.post(desk.memory_url(memory, "restore"))

    assert f'action="{desk.memory_url(memory, "restore")}"' in deleted
    assert "Keep me." in binned
    assert _stored(desk, memory).status == "active"


def test_a_row_is_pinned_in_place(desk: Desk, remember: Remember) -> None:
    memory = remember("Pin me.")

    answer = desk.client.post(
        desk.memory_url(memory, "pin"), {"pinned": "1"}, headers={"HX-Request": "true"}
    ).content.decode()

    assert f'id="row-{memory.id}"' in answer
    assert 'aria-pressed="true"' in answer
    assert 'hx-swap-oob="beforeend:#toasts"' in answer
    assert _stored(desk, memory).pinned_at is not None


def test_a_retired_memory_is_revived(desk: Desk, remember: Remember) -> None:
    memory = remember("Old news.")
    memories.retire(desk.world.person, "main", memory.id, reason="said so")

    page = desk.client.get(desk.memory_url(memory)).content.decode()
    desk.client.post(desk.memory_url(memory, "revive"))

    assert "said so" in page
    assert _stored(desk, memory).status == "active"


def test_the_page_says_which_recalls_served_it(desk: Desk, remember: Remember) -> None:
    memory = remember("The staging database is reset every Monday.")
    asking = replace(desk.world.caller, tool="search_memory")
    recalling.search(asking, "main", Query(text="staging reset"))

    page = desk.client.get(desk.memory_url(memory)).content.decode()

    assert "“staging reset”" in page
    assert "rank 1" in page


def test_an_evening_event_keeps_its_own_day_and_zone(desk: Desk, remember: Remember) -> None:
    """Case 078: 19:00 at -05:00 on 1 June is 1 June, with the zone."""
    memory = remember("The launch party began.", observed_at="2026-06-01T19:00:00-05:00")

    page = desk.client.get(desk.memory_url(memory)).content.decode()

    assert "1 Jun 2026, 19:00 -05:00" in page


@pytest.mark.parametrize("action", ["", "edit"])
def test_a_strangers_memory_is_not_found(desk: Desk, stranger: World, action: str) -> None:
    unknown = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"

    assert desk.client.get(desk.url(f"memories/{unknown}/{action}")).status_code == 404
    assert (
        desk.client.get(
            f"/o/{stranger.organization.slug}/main/memories/{unknown}/{action}"
        ).status_code
        == 404
    )


@pytest.mark.parametrize("action", ["edit", "pin", "delete", "restore", "revive"])
def test_a_viewer_changes_nothing(desk: Desk, remember: Remember, action: str) -> None:
    memory = remember("Read only.")
    _demote(desk)

    answer = desk.client.post(
        desk.memory_url(memory, action), {"content": "x", "pinned": "1", "expected_watermark": "1"}
    )

    assert answer.status_code == 403
    assert _stored(desk, memory).content == "Read only."


def test_a_new_memory_is_written_by_hand(desk: Desk) -> None:
    saved = desk.client.post(
        desk.url("memories/new"), {"content": "Written by a person.", "tags": "hand"}, follow=True
    )

    assert "Written by a person." in saved.content.decode()


def _edit(desk: Desk, memory: Memory, content: str, watermark: int) -> object:
    return desk.client.post(
        desk.memory_url(memory, "edit"), {"content": content, "expected_watermark": watermark}
    )


def _stored(desk: Desk, memory: Memory) -> Memory:
    with acting_as(desk.world.person):
        return find(resolve(desk.world.person, "main"), memory.id)


def _demote(desk: Desk) -> None:

    with acting_as(desk.world.person):
        Membership.objects.filter(user=desk.world.owner).update(role="viewer")


def test_what_was_typed_outlives_a_refusal_by_the_daily_cap(desk: Desk) -> None:
    """Case 056: nothing about the text is wrong, so it must not have to be typed again."""
    with acting_as(desk.world.person):
        Organization.objects.filter(id=desk.world.organization.id).update(daily_operation_cap=0)

    page = desk.client.post(desk.url("memories/new"), {"content": "Olive lives in York."})

    assert page.status_code == 422
    assert "daily cap" in page.content.decode()
    assert "Olive lives in York." in page.content.decode()
