"""An open list of memories says what agents save meanwhile, and not while somebody searches."""

from __future__ import annotations

from collections.abc import Callable

from memory_app.models import Memory
from tests.browser.conftest import Visit

Remember = Callable[..., Memory]
OPEN = "body[data-live-state=open]"


def test_a_new_memory_is_offered_and_shown(visit: Callable[..., Visit], remember: Remember) -> None:
    here = visit("narrow")
    remember(here.world, "The office closes at six.")
    here.open("memories/")
    here.page.wait_for_selector(OPEN)

    remember(here.world, "The canteen opens at noon.")
    offer = here.page.get_by_role("link", name="1 new memory: show")
    offer.wait_for()
    assert here.page.get_by_text("The canteen opens at noon.").count() == 0
    assert here.violations() == []
    assert here.overflow() <= 0
    offer.click()

    here.page.get_by_text("The canteen opens at noon.").wait_for()
    assert here.page.locator("#newer-memories a").count() == 0
    assert here.said == []


def test_a_search_is_left_alone(visit: Callable[..., Visit], remember: Remember) -> None:
    here = visit()
    remember(here.world, "The office closes at six.")
    here.open("memories/")

    here.page.locator("#q").fill("office")

    here.page.locator("#newer-memories").wait_for(state="detached")
    assert here.said == []
