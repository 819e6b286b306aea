from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.values import Changes, Draft, EntityDraft
from memory_app.models import Link, Memory
from memory_app.services import bulk, consolidating, ledger, memories
from tests.factories import World
from tests.memory_app.services.bulk.stock import mentions, rows, state


def test_merged_memories_stand_as_one_and_come_apart_exactly(
    world: World, remember: Callable[..., Memory]
) -> None:
    kept = memories.save(
        world.caller,
        "main",
        Draft(content="Ada leads the team.", tags=("a",), entities=(EntityDraft(name="Ada"),)),
    ).memory
    other = memories.save(
        world.caller,
        "main",
        Draft(
            content="The analytics group is headed by Ada Lovelace.",
            tags=("b",),
            entities=(EntityDraft(name="Analytics"),),
        ),
    ).memory
    third = remember("A source of both.")
    with acting_as(world.person):
        Link.objects.create(
            organization=world.organization,
            bank=world.bank,
            type="references",
            source_id=other.id,
            target_id=third.id,
            actor="user",
            since=1,
        )
    memories.pin(world.person, "main", other.id)
    before = state(world)

    merged = bulk.merge(
        world.person,
        "main",
        keep=kept.id,
        others=[other.id],
        changes=Changes(content="The analytics group is headed by Ada Lovelace."),
    )
    one = rows(world)

    assert one[kept.id].content == "The analytics group is headed by Ada Lovelace."
    assert one[kept.id].tags == ["a", "b"]
    assert one[kept.id].pinned_at is not None
    assert one[other.id].superseded_by == kept.id
    assert mentions(world, kept) == ["Ada", "Analytics"]
    assert _linked(world, kept) == [third.id]

    bulk.undo(world.person, "main", merged.operation_id)

    assert state(world) == before
    assert mentions(world, kept) == ["Ada"]
    assert mentions(world, other) == ["Analytics"]
    assert _linked(world, kept) == []
    assert _linked(world, other) == [third.id]
    assert ledger.verify(world.person, "main").valid


def test_a_merge_that_was_edited_since_is_not_torn_apart(world: World, three: list[Memory]) -> None:
    merged = bulk.merge(
        world.person, "main", keep=three[0].id, others=[three[1].id], changes=Changes()
    )
    memories.edit(
        world.person, "main", three[0].id, Changes(title="Hours"), expected_watermark=None
    )

    with pytest.raises(Conflict):
        bulk.undo(world.person, "main", merged.operation_id)

    assert bulk.report(world.person, "main", merged.operation_id).operation.status == "done"


def test_a_merge_is_not_undone_once_the_old_wording_was_saved_anew(
    world: World, three: list[Memory]
) -> None:
    merged = bulk.merge(
        world.person,
        "main",
        keep=three[0].id,
        others=[three[1].id],
        changes=Changes(content="Both of them, said in other words."),
    )
    memories.save(world.caller, "main", Draft(content=three[0].content))
    before = state(world)

    with pytest.raises(Conflict, match="says exactly this by now"):
        bulk.undo(world.person, "main", merged.operation_id)

    assert state(world) == before


@pytest.mark.parametrize("erased", [[0], [0, 1]])
def test_a_merge_into_a_memory_that_is_erased_is_not_undone(
    world: World, three: list[Memory], erased: list[int]
) -> None:
    merged = bulk.merge(
        world.person, "main", keep=three[0].id, others=[three[1].id], changes=Changes()
    )
    for number in erased:
        memories.delete(world.person, "main", three[number].id)
        memories.erase(world.person, "main", three[number].id)

    with pytest.raises(Conflict, match="has been erased"):
        bulk.undo(world.person, "main", merged.operation_id)


def test_a_merge_is_undone_only_after_a_later_merge_of_its_entities(world: World) -> None:
    first, second, _ = (
        memories.save(
            world.caller, "main", Draft(content=text, entities=(EntityDraft(name=name),))
        ).memory
        for text, name in (("Ada leads.", "Ada"), ("Kit sings.", "Kit"), ("Zoe runs.", "Zoe"))
    )
    before = state(world)
    merged = bulk.merge(world.person, "main", keep=first.id, others=[second.id], changes=Changes())
    joined = consolidating.merge(world.person, "main", canonical="Zoe", variant="Kit")

    with pytest.raises(Conflict, match="merged or split since"):
        bulk.undo(world.person, "main", merged.operation_id)
    consolidating.undo(world.person, "main", joined.proposal.id)
    bulk.undo(world.person, "main", merged.operation_id)

    assert state(world) == before
    assert (mentions(world, first), mentions(world, second)) == (["Ada"], ["Kit"])


def test_a_retired_memory_is_not_merged(world: World, three: list[Memory]) -> None:
    memories.retire(world.person, "main", three[1].id)

    with pytest.raises(Conflict):
        bulk.merge(world.person, "main", keep=three[0].id, others=[three[1].id], changes=Changes())

    assert rows(world)[three[0].id].tags == ["office"]


def _linked(world: World, memory: Memory) -> list[str]:
    with acting_as(world.person):
        found = Link.objects.filter(
            bank_id=world.bank.id, source_id=memory.id, type="references", until=None
        )
        return [str(link.target_id) for link in found]
