"""Selecting memories by keyboard, changing them together, and taking it back with one key."""

from __future__ import annotations

from collections.abc import Callable

from accounts.tenancy import acting_as
from memory_app.models import Memory
from tests.browser.conftest import Visit

Remember = Callable[..., Memory]


def test_x_and_shift_x_select_a_range_that_is_retired_and_taken_back(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit()
    for content in ("The first statement.", "The second one.", "A third remark.", "And a fourth."):
        remember(here.world, content)
    here.open("memories/")
    bar = here.page.locator("#picked")
    assert not bar.is_visible()

    for key in ("j", "x", "j", "j", "Shift+X"):
        here.page.keyboard.press(key)
    assert bar.locator("[data-picked]").inner_text() == "3"
    assert here.violations() == []
    bar.get_by_role("button", name="Retire").click()
    here.page.get_by_role("heading", name="Retire 3 memories?").wait_for()
    assert here.violations() == []
    here.page.keyboard.press("Enter")
    here.page.get_by_text("Retired 3 memories.").wait_for()
    assert here.page.locator("[data-row]").count() == 1

    here.page.keyboard.press("u")
    here.page.get_by_text("3 memories are as before.").wait_for()
    with acting_as(here.world.person):
        assert not Memory.objects.filter(
            bank_id=here.world.bank.id, retired_at__isnull=False
        ).exists()
    assert here.said == []


def test_selecting_works_without_scripts(visit: Callable[..., Visit], remember: Remember) -> None:
    here = visit("narrow", scripts=False)
    remember(here.world, "The only statement.")
    here.open("memories/")

    here.page.locator("[data-pick]").check()
    here.page.get_by_role("button", name="Pin", exact=True).last.click()
    here.page.get_by_role("button", name="Pin 1 memory").click()

    assert here.page.locator("[data-row] .state-pinned").count() == 1
