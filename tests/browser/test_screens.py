"""Every screen at two widths and in both themes: clean for axe, no console error, inside its window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.values import Draft, EntityDraft
from memory_app.models import File, ImportJob, Memory
from memory_app.queries.memories import MemoryFilter
from memory_app.recall.values import Query
from memory_app.services import asking, bulk, consolidating, importing, memories, recalling
from memory_app.services.bulk import Selection
from memory_app.services.files import store_file
from memory_app.services.importing import Upload
from tests.browser.conftest import Visit
from tests.dashboard.graphed import entity_called, state
from tests.factories import World, make_world

Remember = Callable[..., Memory]
EMPTY = (
    "memories/",
    "graph/",
    "entities/",
    "review/",
    "activity/",
    "usage/",
    "lab/",
    "gaps/",
    "tests/",
    "files/",
    "import/",
)
SCREENS = (
    "memories/",
    "memories/?q=staging",
    "memories/?state=retired",
    "memories/?q=nothing&tag=of-the-kind",
    "memories/?tag=staging&sort=changed",
    "memories/bulk?action=add_tags&all=1",
    "memories/new",
    "review/",
    "activity/",
    "activity/?q=staging&action=create",
    "ledger/",
    "ledger/1",
    "usage/",
    "import/",
    "files/",
    "files/?q=minutes",
    "export/",
    "connect/",
    "connect/?client=python",
    "agents/",
    "settings/",
    "settings/model",
    "../people/",
    "../banks/",
    "../settings/",
    "../access-log/",
    "../../../accounts/name/",
    "../../../accounts/email/",
    "../../../accounts/password/change/",
    "../../../accounts/sessions/",
    "../../../accounts/delete/",
    "../../../accounts/logout/",
    "../../../organizations/new",
)


# Of these the page differs: retired for another, the other with a link, of entities, from a file, pinned.
TOLD = (
    "The limit is 100 requests a minute.",
    "See https://example.com/limits for the limit.",
    "Maya leads Atlas.",
    "The budget is frozen.",
    "The staging database is reset every Monday.",
)


@pytest.fixture
def lived_in(remember: Remember) -> World:
    """A bank with everything that a screen can show."""
    world = make_world(tier="full")
    ask(world, remember)
    state(world, "Maya leads Atlas.", ("Maya", "leads", "Atlas"))
    memory = remember(world, "The staging database is reset every Monday.", tags=["staging"])
    old = remember(world, "The limit is 100 requests a minute.", title="Limits")
    new = remember(world, "See https://example.com/limits for the limit.", tags=["api", "limits"])
    memories.retire(world.person, "main", old.id, reason="Raised.", superseded_by=new.id)
    memories.pin(world.person, "main", memory.id)
    recalling.search(replace(world.caller, door="mcp"), "main", Query(text="staging reset"))
    table = Upload(name="stock.csv", chunks=iter([b"text,tags\nThe shelf is full.,stock\n,\n"]))
    importing.receive(world.person, "main", [table])
    for text in (b"# May\n", b"# May, corrected\n"):
        store_file(world.person, "main", path="minutes/may.md", chunks=iter([text]))
    remember(world, "The budget is frozen.", source="minutes/may.md")
    return world


def test_screens_are_clean(visit: Callable[..., Visit], lived_in: World) -> None:
    here = visit(world=lived_in)

    found = {screen: _faults(here, screen) for screen in (*SCREENS, *_pages(lived_in))}

    assert not any(found.values()), found
    assert here.said == []


def test_the_frame_around_a_screen_is_clean(visit: Callable[..., Visit]) -> None:
    """The drawer, its menus, the shortcut sheet, the palette and the form of a new bank, all open."""
    here = visit()
    here.open("memories/")

    assert here.faults(parts="all") == []
    here.page.keyboard.press("Control+k")
    for typed, shown in (("rev", "[role=option] >> text=Review"), ("zzzz", "text=zzzz")):
        here.page.locator("#palette input").fill(typed)
        here.page.locator(f"#palette-results >> {shown}").first.wait_for()
        assert here.faults(parts="none") == []
    assert here.said == []


def test_an_empty_bank_is_clean(visit: Callable[..., Visit]) -> None:
    here = visit()

    found = {screen: _faults(here, screen) for screen in EMPTY}

    assert not any(found.values()), found
    assert here.said == []


def _faults(here: Visit, screen: str) -> list[str]:
    here.open(screen)
    return here.faults()


def ask(world: World, remember: Remember) -> None:
    """Questions of each kind that an agent can put to people."""
    texts = ("The office is open at six.", "Six is when the office opens.", "The office moved.")
    one, other, moved = (remember(world, text) for text in texts)
    for wish, asked in (("merge", other.id), ("replace", moved.id), ("retire", None)):
        asking.ask(world.caller, "main", wish=wish, memory=one.id, other=asked, reason="It moved.")
    names = tuple(EntityDraft(name=name) for name in ("Newcastle", "New Castle"))
    memories.save(world.caller, "main", Draft(content="Both are named.", entities=names))
    consolidating.propose_pair(world.caller, "main", canonical="Newcastle", variant="New Castle")


def _pages(world: World) -> list[str]:
    maya = entity_called(world, "Maya").id
    report = bulk.begin(
        world.person, "main", "add_tags", Selection(where=MemoryFilter()), {"tags": ["seen"]}
    )
    with acting_as(world.person):
        told = Memory.objects.filter(bank_id=world.bank.id, content__in=TOLD)
        found = list(told.values_list("id", flat=True))
        jobs = ImportJob.objects.filter(bank_id=world.bank.id).values_list("id", flat=True)
        files = File.objects.filter(bank_id=world.bank.id).values_list("id", flat=True)
        return [
            *(f"memories/{memory}/" for memory in found),
            f"memories/{found[0]}/edit",
            f"entities/{maya}/?facts=all",
            f"graph/?select={maya}",
            f"memories/bulk/{report.operation.id}",
            f"memories/merge?{urlencode([('id', memory) for memory in found[:2]])}",
            *(f"import/{job}/" for job in jobs),
            *(f"files/{file}/" for file in files),
        ]
