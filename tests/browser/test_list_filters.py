"""Filters of a list are folded behind a button, which counts what is applied."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_app.models import Memory
from tests.browser.conftest import Visit

Remember = Callable[..., Memory]


@pytest.mark.parametrize("path", ["ledger/", "activity/"])
def test_the_list_begins_above_the_fold_of_a_phone(
    visit: Callable[..., Visit], remember: Remember, path: str
) -> None:
    here = visit("narrow")
    remember(here.world, "The office closes at six.")

    here.open(path)

    first = here.page.locator("main li:has-text('The office closes')").first
    box = first.bounding_box()
    assert box["y"] + box["height"] < 500


@pytest.mark.parametrize(
    ("path", "label"), [("ledger/", "By"), ("activity/", "By"), ("memories/", "Written by")]
)
def test_the_count_follows_each_filter(
    visit: Callable[..., Visit], remember: Remember, path: str, label: str
) -> None:
    here = visit("narrow")
    remember(here.world, "The office closes at six.")
    here.open(path)
    count = here.page.locator("#filter-count")

    here.page.locator("summary:has(#filter-count)").click()
    here.page.get_by_label(label, exact=True).select_option(label="Coder")
    count.get_by_text("1", exact=False).wait_for()

    assert here.violations() == []
    here.page.get_by_label(label, exact=True).select_option(index=0)
    count.filter(has_not_text="1").wait_for(state="attached")
    assert here.overflow() <= 0
    assert here.said == []


def test_the_export_of_the_ledger_follows_its_filters(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit()
    remember(here.world, "The office closes at six.")
    here.open("ledger/")

    here.page.locator("summary:has(#filter-count)").click()
    here.page.get_by_label("By", exact=True).select_option(label="Coder")

    here.page.locator(f"#ledger-export[href*='who={here.world.agent.id}']").wait_for()


def test_the_suggested_name_follows_the_client_and_leaves_a_typed_one(
    visit: Callable[..., Visit],
) -> None:
    here = visit()
    here.open("connect/")
    name = here.page.locator("#agent")
    assert name.input_value() == "Claude Code"

    here.page.get_by_role("link", name="Cursor").click()
    here.page.locator("#agent[value='Cursor']").wait_for()
    name.fill("My own")
    here.page.get_by_role("link", name="Zed").click()
    here.page.locator("[data-client][aria-current]", has_text="Zed").wait_for()

    assert name.input_value() == "My own"
    assert "agent=" not in here.page.url
    here.page.get_by_role("button", name="Make a key").click()
    here.page.locator("#fresh-key").wait_for()
    chosen = here.page.locator("[data-client][aria-current]")
    assert chosen.inner_text() == "Zed"
    assert here.said == []
