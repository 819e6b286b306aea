"""Open pages hear of changes, and look again by themselves when they can't."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.services import memories
from tests.factories import World

# Waited for as a selector: a script given as text is only evaluated at once, never while polling,
# because the pages' own policy forbids it.
OPEN = "body[data-live-state=open]"
HEARD = """() => document.body.addEventListener("live:memory", (event) => {
  document.body.dataset.heard = [document.body.dataset.heard, ...event.detail.ids].join(" ");
})"""


def test_a_page_hears_of_a_new_memory(visit: Callable[..., Any], remember: Any) -> None:
    here = visit()
    here.open("memories/")
    here.page.wait_for_selector(OPEN)
    here.page.evaluate(HEARD)

    saved = remember(here.world, "The office closes at six.")

    here.page.wait_for_selector(f"body[data-heard~='{saved.id}']", timeout=10_000)
    assert here.said == []


def test_the_feed_follows_and_stands_still_while_somebody_reads(
    visit: Callable[..., Any], remember: Any
) -> None:
    here = visit()
    remember(here.world, "The office closes at six.")
    here.open("activity/")
    here.page.wait_for_selector(OPEN)

    remember(here.world, "The canteen opens at noon.")
    here.page.get_by_text("The canteen opens at noon.").wait_for(timeout=10_000)
    here.page.get_by_text("The office closes at six.").hover()
    remember(here.world, "The garage is locked at ten.")
    here.page.get_by_text("1 new", exact=True).wait_for(timeout=10_000)

    assert here.page.get_by_text("The garage is locked at ten.").count() == 0
    here.page.get_by_text("1 new", exact=True).click()
    here.page.get_by_text("The garage is locked at ten.").wait_for(timeout=10_000)
    assert here.said == []


def test_keys_decide_and_skip_in_the_queue_and_u_takes_it_back(
    visit: Callable[..., Any], remember: Any
) -> None:
    here = visit()
    for number in (1, 2):
        memory = remember(here.world, f"Pin number {number}.")
        memories.pin(here.world.person, "main", memory.id)
        grow_old(here.world, memory)
    here.open("review/")
    first = here.page.locator("[data-row]").first.inner_text()

    here.page.keyboard.press("s")
    skipped_to = here.page.locator("[data-row]").first.inner_text()
    here.page.keyboard.press("2")
    here.page.locator("[data-row]").nth(1).wait_for(state="detached")
    here.page.get_by_text("Unpinned.").wait_for()
    here.page.keyboard.press("u")
    here.page.get_by_text("The decision is taken back.").wait_for()

    assert first != skipped_to
    assert here.said == []


def test_a_chart_is_drawn_and_is_a_table_too(visit: Callable[..., Any], remember: Any) -> None:
    here = visit()
    remember(here.world, "The office closes at six.")
    here.open("usage/")

    here.page.locator("[data-chart=growth] canvas").wait_for()
    here.page.locator("section:has([data-chart=growth]) summary").click()

    assert here.page.get_by_role("region", name="Growth as a table").is_visible()
    assert here.said == []


def grow_old(world: World, memory: Memory) -> None:
    past = Now() - timedelta(days=400)
    with acting_as(world.person):
        rows = Memory.objects.filter(bank_id=world.bank.id, id=memory.id)
        rows.update(pinned_at=past, updated_at=past)
