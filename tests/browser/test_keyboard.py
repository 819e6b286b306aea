from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.tenancy import acting_as
from memory_app.models import Memory
from tests.browser.conftest import Visit

Remember = Callable[..., Memory]


@pytest.fixture
def listed(visit: Callable[..., Visit], remember: Remember) -> Visit:
    """The list of three memories, newest first: third, second, first."""
    here = visit()
    for content in ("The first statement.", "The second statement.", "The third statement."):
        remember(here.world, content)
    here.open("memories/")
    return here


def test_j_and_k_walk_through_the_list(listed: Visit) -> None:
    _press(listed, "j", "j", "k")

    focused = listed.page.evaluate("document.activeElement.closest('[data-row]').innerText")
    assert "The third statement." in focused


def test_p_pins_the_current_row_and_keeps_the_place(listed: Visit) -> None:
    _press(listed, "j", "p")
    listed.page.get_by_text("Pinned. It comes first").wait_for()

    # The toast stands before the changed row has the focus again.
    listed.page.wait_for_selector("[data-row]:focus, [data-row]:has(:focus)")
    assert listed.page.locator("[data-row] .state-pinned").count() == 1
    assert listed.said == []


def test_hash_deletes_and_u_takes_it_back(listed: Visit) -> None:
    _press(listed, "j", "j", "#")
    listed.page.get_by_text("Deleted.").wait_for()
    assert listed.page.locator("[data-row]").count() == 2

    _press(listed, "u")
    listed.page.get_by_text("Restored.").wait_for()

    with acting_as(listed.world.person):
        assert not Memory.objects.filter(
            bank_id=listed.world.bank.id, deleted_at__isnull=False
        ).exists()


def test_e_opens_the_editor_and_ctrl_enter_saves(listed: Visit) -> None:
    _press(listed, "j", "Enter")
    listed.page.wait_for_url("**/memories/mem_**")
    _press(listed, "e")
    box = listed.page.get_by_label("Content")
    box.wait_for()
    assert box.evaluate("box => box === document.activeElement")

    box.fill("The third statement, corrected.")
    _press(listed, "Control+Enter")
    listed.page.get_by_text("Saved.").wait_for()

    assert "corrected" in listed.page.locator("#content").inner_text()
    assert listed.said == []


def test_slash_searches_as_you_type_and_the_address_follows(listed: Visit) -> None:
    _press(listed, "/")
    listed.page.keyboard.type("second")
    listed.page.wait_for_url("**q=second*")

    first = listed.page.locator("[data-row]").first
    first.get_by_role("link", name="The second statement.").wait_for()
    listed.page.go_back()
    listed.page.locator("[data-row]").nth(2).wait_for()
    assert listed.page.locator("#q").input_value() == ""


def test_the_palette_finds_pages_and_memories(listed: Visit) -> None:
    _press(listed, "Control+k")
    listed.page.keyboard.type("second")
    chosen = listed.page.locator("#palette-results [aria-selected=true]")
    chosen.get_by_text("The second statement.").wait_for()
    _press(listed, "Enter")

    listed.page.wait_for_url("**/memories/mem_**")
    assert "second" in listed.page.locator("#content").inner_text()


def test_question_mark_lists_the_shortcuts(listed: Visit) -> None:
    _press(listed, "?")

    assert listed.page.get_by_role("dialog", name="Keyboard shortcuts").is_visible()
    assert listed.violations() == []


def test_g_then_a_goes_to_the_activity(listed: Visit) -> None:
    _press(listed, "g", "a")

    listed.page.wait_for_url("**/activity/")


def test_the_first_tab_stop_skips_to_the_content(listed: Visit) -> None:
    _press(listed, "Tab")

    assert listed.page.evaluate("document.activeElement.textContent") == "Skip to content"


def _press(here: Visit, *keys: str) -> None:
    for key in keys:
        here.page.keyboard.press(key)
