"""The queue of questions says how much waits after each decision, and that nothing does in the end."""

from __future__ import annotations

from collections.abc import Callable

from memory_app.models import Memory
from memory_app.services import asking
from tests.browser.conftest import Visit

Remember = Callable[..., Memory]
ASKED = ("The office closes at six.", "A blue door leads to the yard.")


def test_counts_badge_and_empty_state_follow_each_decision(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit()
    ask(here, remember, ASKED)
    here.open("review/?kind=retirement")
    badge = here.page.locator("#badge-review")
    tabs = here.page.locator("#kinds")
    assert badge.inner_text() == "2"

    here.page.keyboard.press("j")
    here.page.keyboard.press("1")
    tabs.get_by_text("All 1", exact=True).wait_for()

    assert badge.inner_text() == "1"
    assert tabs.locator("[aria-current]").inner_text() == "Retirements 1"
    assert here.page.locator("#all-matching").text_content() == "1"
    here.page.keyboard.press("1")
    here.page.get_by_role("heading", name="Nothing to decide").wait_for()
    assert badge.inner_text() == ""
    assert tabs.get_by_text("All", exact=True).count() == 1

    here.page.keyboard.press("u")
    here.page.get_by_text("The decision is taken back.").wait_for()
    assert badge.inner_text() == "1"
    assert here.page.locator("[data-row]").count() == 1
    assert here.said == []


def test_what_waits_behind_the_page_comes_when_it_is_empty(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit()
    ask(here, remember, ASKED)
    here.open("review/?kind=retirement")
    here.page.locator("[data-row]").first.evaluate("(row) => row.remove()")

    here.page.locator("[data-row]").first.get_by_role("button", name="Keep").first.click()

    here.page.locator("#all-matching").filter(has_text="1").wait_for(state="attached")
    here.page.locator("[data-row]").wait_for()
    assert here.page.locator("#badge-review").inner_text() == "1"
    assert here.said == []


def ask(here: Visit, remember: Remember, texts: tuple[str, ...]) -> None:
    for text in texts:
        memory = remember(here.world, text)
        asking.ask(
            here.world.caller, "main", wish="retire", memory=memory.id, reason="The office moved."
        )
