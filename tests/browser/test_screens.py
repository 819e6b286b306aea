"""Every screen at two widths and in both themes: no console error, no overflow, clean for axe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from accounts.tenancy import acting_as
from memory_app.models import File, ImportJob, Memory
from memory_app.recall.values import Query
from memory_app.services import importing, memories, recalling
from memory_app.services.files import store_file
from memory_app.services.importing import Upload
from tests.browser.conftest import Visit
from tests.factories import World, make_world

Remember = Callable[..., Memory]
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
    "../../../accounts/2fa/",
    "../../../accounts/sessions/",
    "../../../organizations/new",
)


@pytest.fixture
def lived_in(remember: Remember) -> World:
    """A bank with everything that a screen can show."""
    world = make_world(tier="full")
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


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ("wide", "light"),
        ("narrow", "dark"),
        pytest.param("wide", "dark", marks=pytest.mark.slow),
        pytest.param("narrow", "light", marks=pytest.mark.slow),
    ],
)
def test_screens_are_clean(
    visit: Callable[..., Visit], lived_in: World, size: str, scheme: str
) -> None:
    here = visit(size, scheme=scheme, world=lived_in)

    found = {screen: _faults(here, screen) for screen in (*SCREENS, *_pages(lived_in))}

    assert not any(found.values()), found
    assert here.said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_sign_in_pages_are_clean(visit: Callable[..., Visit], scheme: str) -> None:
    here = visit("narrow", scheme=scheme)
    here.page.context.clear_cookies()

    found = {}
    for path in ("/accounts/login/", "/accounts/password/reset/"):
        here.page.goto(here.base + path)
        found[path] = here.violations()

    assert found == {path: [] for path in found}


def test_an_empty_bank_is_clean(visit: Callable[..., Visit]) -> None:
    here = visit("narrow")

    assert _faults(here, "memories/") == []
    assert _faults(here, "activity/") == []


def _faults(here: Visit, screen: str) -> list[str]:
    here.open(screen)
    return [*here.violations(), *([f"{here.overflow()} px too wide"] * (here.overflow() > 0))]


def _pages(world: World) -> list[str]:
    with acting_as(world.person):
        found = Memory.objects.filter(bank_id=world.bank.id).values_list("id", flat=True)
        pages = [f"memories/{memory}/{action}" for memory in found for action in ("", "edit")]
        jobs = ImportJob.objects.filter(bank_id=world.bank.id).values_list("id", flat=True)
        files = File.objects.filter(bank_id=world.bank.id).values_list("id", flat=True)
        return [
            *pages,
            *(f"import/{job}/" for job in jobs),
            *(f"files/{file}/" for file in files),
        ]
