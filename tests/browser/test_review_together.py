"""Two people at one queue: what one decides, the other's page knows."""

from __future__ import annotations

from collections.abc import Callable

from accounts.tenancy import acting_as
from memory_app.models import Memory, Proposal
from memory_app.services import proposals
from tests.browser.conftest import Visit
from tests.browser.test_review_counts import ASKED, ask

Remember = Callable[..., Memory]
OPEN = "body[data-live-state=open]"


def test_the_badge_follows_on_every_page(visit: Callable[..., Visit], remember: Remember) -> None:
    here = visit()
    here.open("usage/")
    here.page.wait_for_selector(OPEN)

    ask(here, remember, ASKED)
    badge = here.page.locator("#badge-review")
    badge.get_by_text("2", exact=True).wait_for()
    decide(here, first_open(here))
    badge.get_by_text("1", exact=True).wait_for()

    assert here.said == []


def test_a_question_that_another_decided_stays_in_place_without_its_choices(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit("narrow")
    ask(here, remember, ASKED)
    here.open("review/")
    here.page.wait_for_selector(OPEN)
    row = here.page.locator("[data-row]").first
    row.locator("[data-open]").first.focus()

    decide(here, first_open(here))
    row.get_by_text("Decided meanwhile").wait_for()
    here.page.keyboard.press("1")

    assert here.page.locator("[data-row]").count() == 2
    assert row.get_by_role("button").count() == 0
    assert here.page.locator("#kinds").get_by_text("All 1", exact=True).count() == 1
    assert len(proposals.list_open(here.world.person, "main").items) == 1
    take_back(here)
    here.page.get_by_role("link", name="1 more question: show").wait_for()
    assert here.violations() == []
    assert here.said == []


def test_what_comes_meanwhile_is_offered(visit: Callable[..., Visit], remember: Remember) -> None:
    here = visit()
    ask(here, remember, ASKED[:1])
    here.open("review/")
    here.page.wait_for_selector(OPEN)

    ask(here, remember, ASKED[1:])
    offer = here.page.get_by_role("link", name="1 more question: show")
    offer.wait_for()
    rows = here.page.locator("[data-row]")
    assert rows.count() == 1
    offer.click()

    rows.nth(1).wait_for()
    assert here.page.locator("#newer-questions a").count() == 0
    assert here.said == []


def first_open(here: Visit) -> Proposal:
    return proposals.list_open(here.world.person, "main").items[0].proposal


def take_back(here: Visit) -> None:
    """The last decision, as its maker does."""
    with acting_as(here.world.person):
        decided = Proposal.objects.get(bank=here.world.bank, status="rejected")
    proposals.undo_decision(here.world.person, "main", decided.id)


def decide(here: Visit, proposal: Proposal) -> None:
    proposals.decide(here.world.person, "main", proposal.id, "keep")
