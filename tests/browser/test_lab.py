"""The recall lab, a receipt, gaps and tests: clean for axe, no wider than the window, usable by keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import pytest

from memory_app.models import Memory
from memory_app.recall.values import Query
from memory_app.services import memories, memory_tests, recalling, test_runs
from tests.browser.conftest import Visit
from tests.factories import World, make_world

Remember = Callable[..., Memory]
QUESTION = "When is the staging database reset?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    world: World
    screens: tuple[str, ...]


@pytest.fixture
def lived(remember: Remember) -> Lived:
    """A bank with a receipt, a gap, a red test and a memory that a filter hides."""
    world = make_world(tier="full")
    monday = remember(world, "The staging database is reset every Monday.", tags=["ops"])
    for number in range(4):
        remember(world, f"Database {number} is reset on day {number}.")
    agent = replace(world.caller, door="mcp", tool="search_memory")
    recall = recalling.search(agent, "main", Query(text=QUESTION)).recall_id
    recalling.search(agent, "main", Query(text="How long do we keep invoices?", min_score=1.0))
    memories.retire(world.person, "main", monday.id, reason="Moved to Friday.")
    test = memory_tests.create(world.person, "main", query=QUESTION, memory=monday.id)
    test_runs.run_one(world.person, "main", test.id)
    asked = {"query": QUESTION, "limit": 2, "agent": world.agent.id, "why": monday.id}
    return Lived(
        world=world,
        screens=(
            "lab/",
            f"lab/?{urlencode(asked)}",
            f"recalls/{recall}/?at=today",
            "gaps/",
            "gaps/?status=answered",
            "tests/",
            f"tests/{test.id}/",
            "tests/new",
        ),
    )


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_screens_are_clean(
    visit: Callable[..., Visit], lived: Lived, size: str, scheme: str
) -> None:
    here = visit(size, scheme=scheme, world=lived.world)

    found = {}
    for screen in lived.screens:
        here.open(screen)
        found[screen] = [*here.violations(), *([here.overflow()] * (here.overflow() > 0))]

    assert found == {screen: [] for screen in lived.screens}
    assert here.said == []


def test_from_a_question_to_a_test_without_the_mouse(
    visit: Callable[..., Visit], lived: Lived
) -> None:
    """F5: a run of the lab stays in the address; a hit becomes a test."""
    here = visit(world=lived.world)
    page = here.page
    here.open("memories/")

    page.keyboard.press("g")
    page.keyboard.press("l")
    page.wait_for_url("**/lab/")
    page.keyboard.press("/")
    page.keyboard.type("database on day 3")
    page.keyboard.press("Enter")
    page.wait_for_selector("#hits-title")
    address = page.url
    page.locator("[data-row] summary").first.press("Enter")
    page.get_by_role("link", name="Must appear").first.press("Enter")
    page.wait_for_url("**/tests/new**")
    page.get_by_role("button", name="Save and run").press("Enter")
    page.wait_for_url("**/tests/test_*/")

    assert "query=database%20on%20day%203" in address
    assert page.get_by_text("Green").first.is_visible()
    assert here.said == []


def test_a_gap_is_answered_by_keys_and_undone(visit: Callable[..., Visit], lived: Lived) -> None:
    here = visit("narrow", world=lived.world)
    page = here.page
    here.open("gaps/")

    page.keyboard.press("j")
    page.keyboard.press("e")
    page.get_by_label("The answer").fill("Invoices are kept for ten years.")
    page.get_by_role("button", name="Save as a memory").press("Enter")
    page.wait_for_selector("text=No gap is open")
    page.get_by_role("button", name="Undo").press("Enter")
    page.wait_for_selector("text=How long do we keep invoices?")

    assert here.said == []
