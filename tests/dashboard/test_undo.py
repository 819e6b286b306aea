"""Every change in the dashboard offers the way back in its toast, and that way leads back exactly."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest
from django.db.models.functions import Now
from django.http import HttpResponse

from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.models import Link, Memory
from memory_app.services import linking, memories, saved_views
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]
_UNDO = re.compile(r'data-undo[^>]*>.*?action="([^"]+)"', re.DOTALL)


def _undo(page: HttpResponse) -> str:
    """The address behind the toast's undo."""
    return _UNDO.findall(page.content.decode())[-1].replace("&amp;", "&")


def _press(desk: Desk, page: HttpResponse) -> HttpResponse:
    """Submit the toast's form with all that it holds."""
    form = page.content.decode().rpartition("data-undo")[2].partition("</form>")[0]
    fields = dict(re.findall(r'name="(next)" value="([^"]*)"', form))
    return desk.client.post(_undo(page), {name: unescape(value) for name, value in fields.items()})


def _now(desk: Desk, memory: Memory) -> Memory:
    with acting_as(desk.world.person):
        return Memory.objects.get(bank_id=desk.world.bank.id, id=memory.id)


def _grow_old(desk: Desk, memory: Memory) -> Memory:
    past = Now() - timedelta(days=400)
    with acting_as(desk.world.person):
        rows = Memory.objects.filter(bank_id=desk.world.bank.id, id=memory.id)
        rows.update(pinned_at=past, updated_at=past)
    return _now(desk, memory)


@pytest.mark.parametrize("htmx", [True, False])
def test_a_pin_is_taken_back_where_it_was_given(desk: Desk, remember: Remember, htmx: bool) -> None:
    memory = remember("The office closes at six.")
    here = desk.url("memories/?tag=office")
    headers = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{here}"} if htmx else {}

    pinned = desk.client.post(
        desk.memory_url(memory, "pin"), {"pinned": "1", "next": here}, headers=headers, follow=True
    )
    undone = desk.client.post(_undo(pinned))

    assert _now(desk, memory).pinned_at is None
    assert _now(desk, memory).updated_at == memory.updated_at
    assert undone["Location"] == here


@pytest.mark.parametrize("htmx", [True, False])
def test_an_undo_leads_back_to_the_page_with_its_filters(
    desk: Desk, remember: Remember, htmx: bool
) -> None:
    memory = remember("The office closes at six.", tags=["office"])
    here = desk.url("memories/?tag=office&sort=oldest")
    headers = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{here}"} if htmx else {}
    deleted = desk.client.post(
        desk.memory_url(memory, "delete"), {"next": here}, headers=headers, follow=True
    )
    changed = desk.client.post(
        desk.url("memories/bulk"),
        {"action": "restore", "id": memory.id, "next": here},
        follow=True,
    )

    assert _press(desk, deleted)["Location"] == here
    assert _press(desk, changed)["Location"] == here


@pytest.mark.parametrize("decision", ["confirm", "unpin"])
def test_an_old_pin_is_as_old_as_before_when_its_decision_is_taken_back(
    desk: Desk, remember: Remember, decision: str
) -> None:
    memory = remember("The office closes at six.")
    memories.pin(desk.world.person, "main", memory.id)
    old = _grow_old(desk, memory)

    address = desk.url(f"review/pins/{memory.id}")
    decided = desk.client.post(address, {"decision": decision}, follow=True)
    between = desk.client.get(desk.url("review/?kind=pins")).context["pins"]
    desk.client.post(_undo(decided))
    again = desk.client.get(desk.url("review/?kind=pins")).context["pins"]

    assert (len(between), len(again)) == (0, 1)
    assert _now(desk, memory).pinned_at == old.pinned_at


def test_a_pin_is_not_taken_back_over_a_later_change(desk: Desk, remember: Remember) -> None:
    memory = remember("The office closes at six.")
    memories.pin(desk.world.person, "main", memory.id)
    memories.retire(desk.world.person, "main", memory.id)

    with pytest.raises(Conflict):
        memories.undo_pin(desk.world.person, "main", memory.id)
    assert _now(desk, memory).pinned_at is not None


def test_an_edit_is_taken_back_word_for_word(desk: Desk, remember: Remember) -> None:
    memory = remember("The office closes at six.", tags=["office"])
    form = {"content": "The office closes at seven.", "expected_watermark": memory.head_watermark}

    edited = desk.client.post(desk.memory_url(memory, "edit"), form, follow=True)
    undo = _undo(edited)
    desk.client.post(undo)
    back = _now(desk, memory)
    twice = desk.client.post(undo, follow=True)

    assert (back.content, back.tags) == ("The office closes at six.", ["office"])
    assert "changed" in twice.content.decode()
    assert _now(desk, memory).head_watermark == back.head_watermark


def test_a_memory_written_by_hand_is_taken_back(desk: Desk) -> None:
    written = desk.client.post(
        desk.url("memories/new"), {"content": "The office closes at six."}, follow=True
    )
    undone = _press(desk, written)

    assert undone["Location"] == desk.url("memories/")
    with acting_as(desk.world.person):
        assert Memory.objects.get(bank_id=desk.world.bank.id).deleted_at is not None


def test_a_renamed_view_gets_its_name_and_audience_back(desk: Desk) -> None:
    view = saved_views.save_view(desk.world.person, "main", name="Old", query="tag=a")

    renamed = desk.client.post(
        desk.url(f"views/{view.id}"), {"name": "New", "shared": "1"}, follow=True
    )
    undo = _undo(renamed)
    desk.client.post(undo)
    (kept,) = saved_views.list_views(desk.world.person, "main")
    twice = desk.client.post(undo, follow=True)

    assert (kept.name, kept.shared) == ("Old", False)
    assert "no change left" in twice.content.decode()


def test_a_link_goes_and_comes_back_as_often_as_one_likes(desk: Desk, remember: Remember) -> None:
    one, two = remember("The office closes at six."), remember("Paris is in France.")
    link, _ = linking.add_link(
        desk.world.person, "main", source=one.id, target=two.id, type="references"
    )

    page = desk.client.post(desk.url(f"links/{link.id}/remove"), follow=True)
    for _ in range(2):
        page = desk.client.post(_undo(page), follow=True)

    with acting_as(desk.world.person):
        assert not Link.objects.filter(bank_id=desk.world.bank.id, until=None).exists()


def test_a_bank_is_set_as_before(desk: Desk) -> None:
    saved = desk.client.post(desk.url("settings/"), {"name": "Renamed"}, follow=True)
    undo = _undo(saved)
    desk.client.post(undo)
    back = desk.client.get(desk.url("settings/")).context["bank"].name
    twice = desk.client.post(undo, {"next": desk.url("settings/")}, follow=True)

    assert back == "Main"
    assert "changed since" in twice.content.decode()
    assert desk.client.get(desk.url("settings/")).context["bank"].name == "Main"


def test_settings_that_stay_as_they_are_offer_no_undo(desk: Desk) -> None:
    page = desk.client.post(desk.url("settings/"), {"name": "Main"}, follow=True)

    assert "settings/undo" not in page.content.decode()


def test_a_deleted_bank_comes_back_by_its_toast(desk: Desk) -> None:
    gone = desk.client.post(desk.url("settings/delete"), {"confirm": "main"}, follow=True)
    during = desk.client.get(desk.url("memories/")).status_code
    back = desk.client.post(_undo(gone))

    assert during == 404
    assert back["Location"] == desk.url("memories/")
    assert desk.client.get(desk.url("memories/")).status_code == 200


def test_a_paused_agent_works_again_by_its_toast(desk: Desk) -> None:
    address = desk.url(f"agents/{desk.world.agent.id}/pause")
    paused = desk.client.post(address, {"paused": "1"}, follow=True)
    desk.client.post(_undo(paused))

    (agent,) = desk.client.get(desk.url("agents/")).context["agents"]
    assert not agent.paused
