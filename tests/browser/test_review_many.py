"""What agents ask for, decided many at once by keyboard and taken back with one key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.services import asking
from tests.browser.conftest import Visit

Remember = Callable[..., Memory]


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_retirements_are_picked_decided_and_taken_back(
    visit: Callable[..., Visit], remember: Remember, size: str, scheme: str
) -> None:
    here = visit(size, scheme=scheme)
    for text in ("The office closes at six.", "A blue door leads to the yard."):
        memory = remember(here.world, text)
        asking.ask(
            here.world.caller, "main", wish="retire", memory=memory.id, reason="The office moved."
        )
    here.open("review/?kind=retirement")
    assert here.page.get_by_text("The office moved.").count() == 2

    for key in ("j", "x", "j", "x"):
        here.page.keyboard.press(key)
    bar = here.page.locator("#picked")
    assert bar.locator("[data-picked]").inner_text() == "2"
    assert here.violations() == []
    assert here.overflow() <= 0
    bar.get_by_role("button", name="Retire").click()
    here.page.get_by_role("heading", name="Agree to 2 retirements?").wait_for()
    assert here.violations() == []
    here.page.keyboard.press("Enter")
    here.page.get_by_text("Decided on 2 questions.").wait_for()

    here.page.keyboard.press("u")
    here.page.get_by_text("2 questions are as before.").wait_for()
    with acting_as(here.world.person):
        rows = Memory.objects.filter(bank_id=here.world.bank.id, retired_at=None)
        assert rows.count() == 2
    assert here.said == []
