from __future__ import annotations

from collections.abc import Callable

from accounts.services.connections import note_seen
from accounts.tenancy import acting_as
from memory_app.domain.values import parse_changes
from memory_app.models import Memory
from memory_app.services import memories
from tests.browser.conftest import Visit

Remember = Callable[..., Memory]


def test_everything_that_a_form_can_do_works_without_scripts(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit("narrow", scripts=False)
    memory = remember(here.world, "Deploys happen on Tuesday.")
    here.open("memories/")

    here.page.get_by_label("Search memories by meaning or by word").fill("deploys")
    here.page.keyboard.press("Enter")
    here.page.get_by_role("link", name="Deploys happen on Tuesday.").click()
    here.page.get_by_role("link", name="Edit").click()
    here.page.get_by_label("Content").fill("Deploys happen on Friday.")
    here.page.get_by_role("button", name="Save").click()
    here.page.get_by_role("button", name="Pin").click()
    here.page.get_by_role("button", name="Delete").click()
    here.page.get_by_role("button", name="Undo").click()
    here.page.get_by_role("button", name="Open navigation").click()
    here.page.get_by_role("button", name="Dark theme").click()

    stored = _stored(here, memory)
    assert stored.content == "Deploys happen on Friday."
    assert stored.pinned_at is not None
    assert stored.status == "active"
    assert here.page.locator("html").get_attribute("data-theme") == "ink"


def test_a_lost_race_shows_both_texts_in_place(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit()
    memory = remember(here.world, "Deploys happen on Tuesday.")
    here.open(f"memories/{memory.id}/")
    here.page.keyboard.press("e")
    box = here.page.get_by_label("Content")
    box.fill("Deploys happen at night.")
    quicker = parse_changes({"content": "Deploys happen on Wednesday."})
    memories.edit(
        here.world.person, "main", memory.id, quicker, expected_watermark=memory.head_watermark
    )

    here.page.keyboard.press("Control+Enter")
    here.page.get_by_role("alert").wait_for()

    assert "Deploys happen on Wednesday." in here.page.get_by_role("alert").inner_text()
    assert box.input_value() == "Deploys happen at night."
    assert here.violations() == []
    here.page.get_by_role("button", name="Save mine").click()
    here.page.get_by_text("Saved.").wait_for()
    assert _stored(here, memory).content == "Deploys happen at night."


def test_a_change_that_came_too_late_says_so_and_leaves_the_row(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit()
    memory = remember(here.world, "Somebody else retires this.")
    here.open("memories/")
    memories.retire(here.world.person, "main", memory.id)

    here.page.keyboard.press("j")
    here.page.keyboard.press("p")

    here.page.get_by_text("This memory is retired.").wait_for()
    assert here.page.locator("[data-row]").count() == 1


def test_a_row_whose_memory_is_gone_says_so(
    visit: Callable[..., Visit], remember: Remember
) -> None:
    here = visit()
    memory = remember(here.world, "Somebody else erases this.")
    here.open("memories/")
    memories.delete(here.world.person, "main", memory.id)
    memories.erase(here.world.person, "main", memory.id)

    here.page.keyboard.press("j")
    here.page.keyboard.press("p")

    here.page.get_by_text("Nothing was changed.").wait_for()


def test_the_theme_changes_without_a_reload_and_stays(visit: Callable[..., Visit]) -> None:
    here = visit()
    here.open("memories/")
    here.page.evaluate("window.same = true")

    here.page.get_by_role("button", name="Dark theme").click()

    assert here.page.evaluate("window.same && document.documentElement.dataset.theme") == "ink"
    here.open("activity/")
    assert here.page.locator("html").get_attribute("data-theme") == "ink"


def test_a_snippet_is_copied_whole(visit: Callable[..., Visit]) -> None:
    here = visit()
    here.open("connect/?client=cursor")

    here.page.locator("#recipe").get_by_role("button", name="Copy").click()
    here.page.get_by_text("Copied").wait_for()

    copied = here.page.evaluate("navigator.clipboard.readText()")
    assert copied == here.page.locator("#snippet-1").inner_text()


def test_the_connect_page_notices_the_agent_by_itself(visit: Callable[..., Visit]) -> None:
    here = visit()
    here.open("connect/")
    assert here.page.get_by_text("waiting for its first call").is_visible()

    note_seen(here.world.caller, here.world.connection.id, client="coder/1.0")

    here.page.get_by_text("last seen").wait_for()
    assert here.violations() == []


def test_no_theme_flashes_before_the_scripts_run(visit: Callable[..., Visit]) -> None:
    here = visit(scheme="dark", scripts=False)
    here.page.context.add_cookies([{"name": "theme", "value": "light", "url": here.base}])

    here.open("memories/")

    style = here.page.locator("body").evaluate("body => getComputedStyle(body).colorScheme")
    assert "light" in style


def _stored(here: Visit, memory: Memory) -> Memory:
    with acting_as(here.world.person):
        return Memory.objects.get(bank_id=here.world.bank.id, id=memory.id)
