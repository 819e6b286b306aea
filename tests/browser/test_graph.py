"""The graph in a real browser: drawn, laid out in a worker, led by the address, usable without it."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.conftest import Visit
from tests.dashboard.graphed import entity_called, state
from tests.factories import World, make_world

DRAWN = "#graph-view[data-laid]"


def team() -> World:
    world = make_world(tier="full")
    state(world, "Maya leads Atlas.", ("Maya", "leads", "Atlas"))
    state(world, "Atlas runs on Oslo.", ("Atlas", "runs on", "Oslo"), kind="system")
    state(world, "Rome trades with Nile.", ("Rome", "trades with", "Nile"), kind="place")
    return world


def test_the_graph_is_drawn_and_the_address_restores_the_view(visit: Callable[..., Visit]) -> None:
    """D11"""
    here = visit(world=team())
    maya = entity_called(here.world, "Maya")
    here.open(f"graph/?focus={maya.id}")
    here.page.wait_for_selector(DRAWN)
    assert here.page.locator("canvas").count() > 3
    assert here.violations() == []

    panel = here.page.locator("[data-panel]")
    panel.get_by_role("link", name="Atlas", exact=True).click()
    panel.get_by_role("heading", name="Atlas").wait_for()
    panel.get_by_role("link", name="Expand").click()
    here.page.get_by_text("3 of 5 entities").wait_for()
    panel.get_by_role("button", name="Pin").click()
    address = here.page.url
    here.page.go_back()
    here.page.get_by_text("2 of 5 entities").wait_for()
    here.page.goto(address)
    here.page.get_by_text("3 of 5 entities").wait_for()

    panel.get_by_role("heading", name="Atlas").wait_for()
    panel.get_by_role("button", name="Unpin").wait_for()
    assert here.said == []


def test_a_search_by_typing_or_enter_leads_to_where_to_start(visit: Callable[..., Visit]) -> None:
    """D11"""
    here = visit(world=team())
    here.open("graph/")
    here.page.wait_for_selector("#graph-view[data-ready]")
    found = here.page.locator("section[aria-labelledby=found-title]")

    here.page.locator("[data-search]").fill("nil")
    found.get_by_role("link", name="Nile").wait_for()
    here.page.locator("[data-search]").fill("may")
    here.page.keyboard.press("Enter")
    found.get_by_role("link", name="Maya").click()
    here.page.get_by_text("2 of 5 entities").wait_for()

    maya = entity_called(here.world, "Maya")
    assert here.page.url.endswith(f"graph/?focus={maya.id}")
    here.page.go_back()
    found.get_by_role("link", name="Maya").wait_for()
    here.page.go_back()
    here.page.get_by_text("5 of 5 entities").wait_for()
    assert here.said == []


def test_the_list_is_the_graph_for_a_keyboard(visit: Callable[..., Visit]) -> None:
    here = visit("narrow", scheme="dark", world=team())
    here.open("graph/")
    here.page.wait_for_selector("#graph-view[data-ready]")

    here.page.keyboard.press("j")
    here.page.keyboard.press("Enter")
    here.page.locator("[data-panel]").wait_for()

    assert here.page.get_by_role("heading", name="Atlas").is_visible()
    assert here.violations() == []
    assert here.overflow() <= 0
    assert here.said == []


def test_the_list_and_the_page_of_an_entity_are_clean(visit: Callable[..., Visit]) -> None:
    here = visit("narrow", world=team())
    atlas = entity_called(here.world, "Atlas")

    found = {}
    for screen in ("entities/", f"entities/{atlas.id}/?facts=all"):
        here.open(screen)
        found[screen] = [*here.violations(), *(["too wide"] * (here.overflow() > 0))]

    assert not any(found.values()), found
    assert here.said == []


def test_everything_is_there_without_scripts(visit: Callable[..., Visit]) -> None:
    here = visit("narrow", scripts=False, world=team())
    here.open("graph/")

    here.page.get_by_role("link", name="Atlas").first.click()
    here.page.get_by_label("Path to another entity").fill("Maya")
    here.page.get_by_role("button", name="Find the path").click()
    here.page.get_by_text("Rename").click()
    here.page.locator("#rename-name").fill("Atlas 2")
    here.page.get_by_role("button", name="Save").click()
    here.page.get_by_role("button", name="Undo").click()

    assert here.page.get_by_text("Taken back.").is_visible()
    assert entity_called(here.world, "Atlas")
