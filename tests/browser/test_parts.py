"""Parts of a page that are fetched again: they stay, and what belongs to them follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from accounts.services.connections import note_seen
from tests.jobs import do_jobs

OPEN = "body[data-live-state=open]"
# What the moment says when the swap is over and before anything is painted.
NOTE_MOMENT = """() => window.addEventListener("htmx:afterSwap", () => {
  const moment = document.querySelector("#seen time");
  if (moment) document.body.dataset.moment = moment.textContent.trim();
})"""


def test_the_panel_of_the_chain_stays_and_shows_the_result(
    visit: Callable[..., Any], remember: Any
) -> None:
    here = visit()
    remember(here.world, "The office closes at six.")
    here.open("ledger/")

    here.page.get_by_role("button", name="Check the chain").click()
    here.page.locator("#check").get_by_text("The chain is being checked").wait_for()
    here.page.wait_for_selector(OPEN)
    do_jobs(here.world)
    here.page.locator("#check").get_by_text("The chain holds").wait_for()

    with here.page.expect_response(lambda answer: "/ledger/" in answer.url):
        here.page.evaluate(
            "document.body.dispatchEvent(new CustomEvent('live:job', {bubbles: true}))"
        )
    here.page.locator("#check").get_by_role("button", name="Check the chain").wait_for()
    assert here.page.get_by_role("list", name="Entries, newest first").count() == 1
    assert here.said == []


def test_the_chosen_client_is_marked_and_survives_a_reload(visit: Callable[..., Any]) -> None:
    here = visit("narrow")
    here.open("connect/")

    here.page.get_by_role("link", name="Zed").focus()
    here.page.keyboard.press("Enter")
    chosen = here.page.locator("#client [aria-current=true]")
    chosen.filter(has_text="Zed").wait_for()

    assert chosen.count() == 1
    assert here.page.evaluate("document.activeElement.textContent.trim()") == "Zed"
    assert in_sight(here)
    here.page.reload()
    chosen.filter(has_text="Zed").wait_for()
    assert "context_servers" in here.page.locator("#client").inner_text()
    assert in_sight(here)
    assert here.said == []


def test_a_polled_moment_is_relative_before_it_is_painted(visit: Callable[..., Any]) -> None:
    here = visit()
    note_seen(here.world.caller, here.world.connection.id, client="coder/1.0")
    here.open("connect/")
    here.page.evaluate(NOTE_MOMENT)

    here.page.wait_for_selector("body[data-moment]")

    said = here.page.evaluate("document.body.dataset.moment")
    assert said == "just now" or said.endswith("ago")


def in_sight(here: Any) -> bool:
    """Whether the chosen client stands inside its row, which scrolls sideways."""
    box = here.page.locator("#client [aria-current=true]").bounding_box()
    row = here.page.locator("#client [data-strip]").bounding_box()
    return bool(row["x"] - 1 <= box["x"] and box["x"] + box["width"] <= row["x"] + row["width"] + 1)


def test_what_a_phone_folds_stands_open_on_a_wide_window(visit: Callable[..., Any]) -> None:
    here = visit("narrow")
    here.open("lab/")
    fold = here.page.get_by_text("Asked as, through, mode and limits")
    field = here.page.get_by_label("Ask as")

    assert not field.is_visible()
    fold.click()
    field.wait_for()
    fold.click()
    assert not field.is_visible()

    here.page.set_viewport_size({"width": 1280, "height": 800})
    field.wait_for()
    assert not fold.is_visible()
