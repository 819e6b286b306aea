"""150 hostile payloads in every field that a screen shows: none runs, none is markup (cases 142, 144)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.values import Draft, EntityDraft, RelationDraft
from memory_app.models import Entity, Memory, Recall
from memory_app.queries.access import resolve
from memory_app.services import ledger, memories, memory_tests, recalling, saved_views
from tests.browser.conftest import Visit
from tests.factories import World, make_world

CALL = "window.hacked=1"
ELEMENTS = (
    f"<script>{CALL}</script>",
    f"<img src=x onerror={CALL}>",
    f"<svg/onload={CALL}>",
    f"<svg><script>{CALL}</script></svg>",
    f"<iframe srcdoc='<script>parent.{CALL}</script>'>",
    f"<body onload={CALL}>",
    f"<details open ontoggle={CALL}>x</details>",
    f"<input autofocus onfocus={CALL}>",
    f"<video><source onerror={CALL}></video>",
    f"<a href=javascript:{CALL}>x</a>",
    f"<form action=javascript:{CALL}><button>x</button></form>",
    f"<math><mtext><img src=x onerror={CALL}></mtext></math>",
    f"<template><img src=x onerror={CALL}></template>",
    f"<style>@import 'javascript:{CALL}'</style>",
    f"<object data=javascript:{CALL}></object>",
)
LINKS = (
    f"[x](javascript:{CALL})",
    f"[x](data:text/html,<script>{CALL}</script>)",
    f"![](x onerror={CALL})",
    f"[x](/\\evil.example?{CALL})",
    f'https://example.com/"onmouseover="{CALL}',
    f"https://example.com/'onclick='{CALL}",
    f"http://\u202eexample.com/?{CALL}",
    f"mailto:a@example.com?body=<script>{CALL}</script>",
    f"vbscript:{CALL}",
    f"{{{{constructor.constructor('{CALL}')()}}}}",
    f"{{% raw %}}<script>{CALL}</script>",
    f"<div hx-get=/ hx-trigger=load hx-on::load={CALL}></div>",
    f"<div hx-swap-oob=true id=toasts><img src=x onerror={CALL}></div>",
    f"<div data-copy=main onclick={CALL}></div>",
    f"# System: {CALL}",
)
WRAPPERS = (
    "{}",
    "\"'>{}",
    "</textarea>{}",
    "</title></style>{}",
    "--><!--{}-->",
)
PAYLOADS = [wrap.format(text) for wrap, text in itertools.product(WRAPPERS, ELEMENTS + LINKS)]


@pytest.fixture
def poisoned() -> World:
    """One memory for each payload, which stands in all of its fields; agents and ledger too."""
    world = make_world(tier="full")
    with acting_as(world.person):
        world.agent.name = PAYLOADS[1][:120]
        world.agent.save()
        world.connection.last_client = PAYLOADS[2][:300]
        world.connection.last_seen_at = world.bank.created_at
        world.connection.save()
        world.bank.name = PAYLOADS[3][:120]
        world.bank.save()
        world.organization.name = PAYLOADS[4][:120]
        world.organization.save()
        Memory.objects.bulk_create(_memory(world, payload) for payload in PAYLOADS)
    with acting_as(world.person), ledger.opened(resolve(world.person, "main")) as book:
        for payload in PAYLOADS[:20]:
            book.append("retire", new_id("mem"), reason=payload[:300])
    _poison_graph(world)
    _poison_reads(world)
    return world


def test_there_are_a_hundred_and_fifty() -> None:
    assert len(set(PAYLOADS)) == 150


SCREENS = (
    "activity/",
    "agents/",
    "connect/",
    "review/",
    "import/",
    "export/",
    "entities/",
    "lab/?query=window&mode=keyword",
    "gaps/",
    "tests/",
    "ledger/",
    "usage/",
    "settings/",
)


def test_no_payload_runs_on_a_screen(visit: Callable[..., Visit], poisoned: World) -> None:
    here = visit(world=poisoned)

    for screen in SCREENS:
        here.open(screen)
        _poke(here)
        assert _unhurt(here), (screen, here.said)


@pytest.mark.parametrize("name", ["q", "tag", "category", "after"])
def test_no_payload_runs_from_the_address(
    visit: Callable[..., Visit], poisoned: World, name: str
) -> None:
    here = visit(world=poisoned)

    for payload in PAYLOADS[::10]:
        here.open(f"memories/?{name}={quote(payload[:60])}")
        _poke(here)

    assert [line for line in here.said if "422" not in line] == []
    assert here.page.evaluate("window.hacked") is None


def test_no_payload_runs_in_the_list(visit: Callable[..., Visit], poisoned: World) -> None:
    here = visit(world=poisoned)
    here.open("memories/")

    for _ in range(2):
        _poke(here)
        here.page.get_by_role("link", name="Older").click()
        here.page.wait_for_url("**after=*")
    _poke(here)

    assert _unhurt(here)
    assert here.page.locator("[data-row]").count() == 50


def test_no_payload_runs_on_its_own_page_or_in_its_editor(
    visit: Callable[..., Visit], poisoned: World
) -> None:
    here = visit(world=poisoned)
    with acting_as(poisoned.person):
        ids = list(Memory.objects.filter(bank_id=poisoned.bank.id).values_list("id", flat=True))

    for number, memory in enumerate(ids[:30]):
        here.open(f"memories/{memory}/{'edit' if number % 3 == 0 else ''}")
        _poke(here)

    assert _unhurt(here)


def test_no_payload_runs_in_the_graph_or_on_an_entity(
    visit: Callable[..., Visit], poisoned: World
) -> None:
    here = visit(world=poisoned)
    with acting_as(poisoned.person):
        ids = list(Entity.objects.filter(bank_id=poisoned.bank.id).values_list("id", flat=True))

    for screen in ("graph/", *(f"entities/{entity}/" for entity in ids[::6])):
        here.open(screen)
        _poke(here)

    assert [line for line in here.said if "GPU stall" not in line] == []
    assert here.page.evaluate("window.hacked") is None


def test_no_payload_runs_on_a_receipt(visit: Callable[..., Visit], poisoned: World) -> None:
    here = visit(world=poisoned)
    with acting_as(poisoned.person):
        ids = list(Recall.objects.filter(bank_id=poisoned.bank.id).values_list("id", flat=True))

    for recall in ids[::15]:
        here.open(f"recalls/{recall}/")
        _poke(here)

    assert _unhurt(here)


def _poison_graph(world: World) -> None:
    """Entities, aliases' descriptions and relations whose every text is a payload."""
    drafts = [
        Draft(
            content=f"{payload} belongs to a shop.",
            entities=(
                EntityDraft(name=payload[:200], type=payload[:60], description=payload),
                EntityDraft(name=f"Shop {number}"),
            ),
            relations=(RelationDraft(source=payload[:200], type="owns", target=f"Shop {number}"),),
        )
        for number, payload in enumerate(PAYLOADS[::5])
    ]
    memories.save_many(world.caller, "main", drafts)


def _poison_reads(world: World) -> None:
    """What was asked in vain, by a client of that name; views and tests named like it."""
    with acting_as(world.caller):
        access = resolve(replace(world.caller, client=PAYLOADS[5]), "main")
        for payload in PAYLOADS:
            recalling.log_read(
                access,
                query=payload,
                mode="hybrid",
                filters={},
                hits=[],
                dropped={},
                watermark=1,
                took_ms=1.0,
            )
    with acting_as(world.person):
        found = Memory.objects.filter(bank_id=world.bank.id).values_list("id", flat=True)[0]
    for payload in PAYLOADS[::10]:
        memory_tests.create(world.person, "main", query=payload, memory=found, note=payload[:200])
        saved_views.save_view(world.person, "main", name=payload[:60], query="state=retired")


def _memory(world: World, payload: str) -> Memory:
    own = new_id("mem")
    return Memory(
        organization_id=world.organization.id,
        bank_id=world.bank.id,
        id=own,
        slug=own.lower(),
        title=payload[:300],
        content=payload,
        category=payload[:100],
        collection=payload[:100],
        tags=[payload[:64]],
        source=payload[:300],
        project=payload[:100],
        session=payload[:200],
        confidence=payload[:20],
        tool=payload[:60],
        observed_text=payload[:100],
        author=world.agent.id,
        content_hash="0x",
        created_watermark=1,
        head_watermark=1,
    )


def _poke(here: Visit) -> None:
    """Point at, focus and open whatever there is; handlers that were smuggled in would run."""
    here.page.evaluate(
        """() => {
          for (const part of document.querySelectorAll("main *")) {
            part.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
            if (part instanceof HTMLElement) part.focus({preventScroll: true});
            if (part instanceof HTMLDetailsElement) part.open = true;
          }
        }"""
    )


def _unhurt(here: Visit) -> bool:
    """Nothing ran, nothing was even refused by the policy, and every link is of a harmless scheme."""
    assert here.said == []
    assert here.page.evaluate("window.hacked") is None
    schemes = here.page.evaluate("[...new Set([...document.links].map((a) => a.protocol))]")
    return set(schemes) <= {"http:", "https:", "mailto:"}
