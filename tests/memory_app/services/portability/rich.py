"""A bank that holds something of every kind."""

from __future__ import annotations

from typing import Any

from accounts.tenancy import acting_as
from memory_app.domain.stated import parse_entities, parse_relations
from memory_app.domain.values import Draft, parse_changes, parse_draft
from memory_app.models import EntityAlias, Memory, Mention, MergeProposal, Proposal
from memory_app.recall.values import Query
from memory_app.services import gaps, memory_tests, recalling, saved_views, test_runs
from memory_app.services.files import store_file
from memory_app.services.memories import delete, edit, erase, pin, retire, revive, save
from memory_app.services.observations import add_observation
from tests.factories import World

TEXTS = (
    "The harbour crane lifts forty tonnes. Ünïcode 漢字 and \u2028 too.",
    "The night shift starts at ten.",
    "Nobody may park beside the pump.",
    "The blue binder holds the contracts.",
    "This one is erased for good.",
)


def observe(world: World, text: str) -> Memory:
    names = [{"name": name, "description": f"{name} is a machine."} for name in ("Crane", "Pump")]
    edges: list[dict[str, Any]] = [{"source": "Crane", "type": "stands beside", "target": "Pump"}]
    draft = Draft(
        content=text,
        title="Yard",
        entities=parse_entities(names, field="entities", kind="type", described=True),
        relations=parse_relations(edges, field="relationships", source="source", target="target"),
        identity=None,
        compared=False,
    )
    return add_observation(world.person, "main", draft).memory


def fill(world: World) -> dict[str, Memory]:
    """Live, pinned, edited, retired, revived, binned and erased memories, a graph and proposals."""
    rows = [save(world.person, "main", parse_draft(content=text)).memory for text in TEXTS]
    live, retired, binned, revived, erased = rows
    edit(
        world.person,
        "main",
        live.id,
        parse_changes({"title": "Crane", "tags": ["yard"]}),
        expected_watermark=None,
    )
    pin(world.person, "main", live.id)
    retire(world.person, "main", retired.id, reason="over", superseded_by=live.id)
    delete(world.person, "main", binned.id)
    retire(world.person, "main", revived.id, reason="for a moment")
    revive(world.person, "main", revived.id)
    delete(world.person, "main", erased.id)
    erase(world.person, "main", erased.id)
    seen = observe(world, "The crane swung over the pump house.")
    _propose(world, live, revived, seen)
    for version in (b"one", b"\x00two"):
        store_file(world.person, "main", path="yard/plan.bin", chunks=[version])
    expect(world, live)
    return {"live": live, "retired": retired, "binned": binned, "seen": seen}


def expect(world: World, memory: Memory) -> None:
    """A memory test, a decision on a gap and a shared view; and each of what doesn't travel."""
    test = memory_tests.create(
        world.person, "main", query="What lifts forty tonnes?", memory=memory.id
    )
    test_runs.run_one(world.person, "main", test.id)
    gone = memory_tests.create(world.person, "main", query="Removed?", memory=memory.id)
    memory_tests.delete(world.person, "main", gone.id)
    for text in ("Who has the spare key?", "Who has the old key?"):
        recalling.search(world.caller, "main", Query(text=text, min_score=1.0))
    first, second = (gap.key for gap in gaps.list_open(world.person, "main"))
    gaps.snooze(world.person, "main", first, days=7)
    taken_back = gaps.dismiss(world.person, "main", second)
    gaps.undo(world.person, "main", taken_back.id)
    for name, shared in (("Yard", True), ("My own", False), ("Removed", True)):
        view = saved_views.save_view(
            world.person, "main", name=name, query="tag=yard&sort=oldest", shared=shared
        )
    saved_views.remove_view(world.person, "main", view.id)


def _propose(world: World, old: Memory, new: Memory, seen: Memory) -> None:
    with acting_as(world.person):
        below = {"organization": world.organization, "bank": world.bank, "created_by": "agent_x"}
        Proposal.objects.create(
            **below,
            kind="contradiction",
            old_memory_id=old.id,
            new_memory_id=new.id,
            pair_key="a pair",
            confidence=0.7,
        )
        ends = Mention.objects.filter(bank=world.bank, memory_id=seen.id).order_by("id")
        first, second = (mention.entity_id for mention in ends)
        EntityAlias.objects.create(
            **below, name="The big crane", name_key="big crane", entity_id=first
        )
        MergeProposal.objects.create(
            **below, canonical_id=first, variant_id=second, pair_key="two", confidence=0.6
        )
