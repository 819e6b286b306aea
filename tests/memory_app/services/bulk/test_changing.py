from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound, TierInsufficient
from memory_app.domain.values import Changes, Draft, EntityDraft, RelationDraft, parse_draft
from memory_app.models import BulkItem, LedgerEntry, Memory
from memory_app.queries.memories import MemoryFilter
from memory_app.recall.values import Query
from memory_app.services import bulk, ledger, memories, recalling
from memory_app.services.bulk import operations
from tests.factories import World, make_world
from tests.jobs import do_jobs
from tests.memory_app.services.bulk.stock import ids, mentions, rows, state


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("pin", {}),
        ("add_tags", {"tags": "Ops, new"}),
        ("remove_tags", {"tags": ["office"]}),
        ("set_category", {"category": "facts"}),
        ("set_collection", {"collection": "handbook"}),
        ("retire", {"reason": "moved"}),
        ("delete", {}),
    ],
)
def test_an_undo_gives_every_memory_back_as_it_was(
    world: World, three: list[Memory], action: str, arguments: dict[str, object]
) -> None:
    before = state(world)

    done = bulk.begin(world.person, "main", action, ids(three), arguments)
    changed = state(world)
    undone = bulk.undo(world.person, "main", done.operation.id)

    assert changed != before
    assert state(world) == before
    assert done.counts.get("failed", 0) == 0
    assert undone.operation.status == "undone"
    assert undone.failures == ()
    assert ledger.verify(world.person, "main").valid


def test_a_second_undo_changes_nothing(world: World, three: list[Memory]) -> None:
    done = bulk.begin(world.person, "main", "delete", ids(three), {})
    bulk.undo(world.person, "main", done.operation.id)
    before = state(world)

    bulk.undo(world.person, "main", done.operation.id)

    assert state(world) == before


def test_all_that_a_filter_finds_are_changed_and_no_others(
    world: World, three: list[Memory]
) -> None:
    chosen = bulk.parse_selection(ids=None, where=MemoryFilter(tags=("office",)))

    looked = bulk.look(world.person, "main", chosen)
    done = bulk.begin(world.person, "main", "pin", chosen, {})

    assert looked.matching == done.operation.total == 2
    assert [row.pinned_at is not None for row in (rows(world)[one.id] for one in three)] == [
        True,
        False,
        True,
    ]


def test_the_entries_of_one_operation_are_one_group(world: World, three: list[Memory]) -> None:
    done = bulk.begin(world.person, "main", "retire", ids(three), {"reason": "moved"})

    with acting_as(world.person):
        group = LedgerEntry.objects.filter(
            bank_id=world.bank.id, request_id=done.operation.id
        ).order_by("seq")
        assert [entry.operation for entry in group] == ["bulk_change", *["retire"] * 3]


def test_what_was_changed_afterwards_is_kept_and_reported(
    world: World, three: list[Memory]
) -> None:
    done = bulk.begin(world.person, "main", "retire", ids(three), {})
    memories.revive(world.person, "main", three[0].id)
    memories.pin(world.person, "main", three[0].id)

    undone = bulk.undo(world.person, "main", done.operation.id)

    assert undone.counts == {"undone": 2, "kept": 1}
    assert [str(item.memory_id) for item in undone.failures] == [three[0].id]
    assert rows(world)[three[0].id].pinned_at is not None


def test_tags_that_came_later_survive_the_undo(world: World, three: list[Memory]) -> None:
    done = bulk.begin(world.person, "main", "add_tags", ids(three[:1]), {"tags": ["added"]})
    memories.edit(
        world.person,
        "main",
        three[0].id,
        Changes(tags=("office", "added", "later")),
        expected_watermark=None,
    )

    bulk.undo(world.person, "main", done.operation.id)

    assert rows(world)[three[0].id].tags == ["office", "later"]


def test_one_that_cannot_be_changed_fails_alone_with_its_reason(
    world: World, remember: Callable[..., Memory], three: list[Memory]
) -> None:
    full = remember("Tagged all over.", tags=[f"t{number}" for number in range(20)])

    done = bulk.begin(world.person, "main", "add_tags", ids([*three, full]), {"tags": ["one"]})

    assert done.counts == {"done": 3, "failed": 1}
    assert [(str(item.memory_id), item.reason) for item in done.failures] == [
        (full.id, "It would have 21 tags; at most 20 are kept.")
    ]


def test_a_text_that_was_saved_anew_stays_the_only_live_one(
    world: World, remember: Callable[..., Memory], three: list[Memory]
) -> None:
    done = bulk.begin(world.person, "main", "delete", ids(three), {})
    remember("The office closes at six.")

    undone = bulk.undo(world.person, "main", done.operation.id)

    assert undone.counts == {"undone": 2, "kept": 1}
    assert undone.failures[0].reason == "Another live memory says exactly this by now."


def test_the_graph_goes_and_comes_back_along(world: World) -> None:
    draft = Draft(
        content="Ada leads Analytics.",
        entities=(EntityDraft(name="Ada"), EntityDraft(name="Analytics")),
        relations=(RelationDraft(source="Ada", type="leads", target="Analytics"),),
    )
    memory = memories.save(world.caller, "main", draft).memory

    done = bulk.begin(world.person, "main", "delete", ids([memory]), {})
    gone = mentions(world, memory)
    bulk.undo(world.person, "main", done.operation.id)

    assert gone == []
    assert mentions(world, memory) == ["Ada", "Analytics"]


def test_retired_ones_are_found_again_after_the_undo(world: World, three: list[Memory]) -> None:
    done = bulk.begin(world.person, "main", "retire", ids(three), {})
    bulk.undo(world.person, "main", done.operation.id)

    answer = recalling.search(world.caller, "main", Query(text="bananas in a paper bag"))

    assert answer.result.hits[0].memory.id == three[1].id


def test_many_are_left_to_a_job_that_goes_on_where_it_was_stopped(
    world: World, three: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "AT_ONCE", 1)
    monkeypatch.setattr(operations, "BATCH", 2)
    began = bulk.begin(world.person, "main", "retire", ids(three), {})

    with pytest.raises(KeyboardInterrupt):
        bulk.carry_on(world.person, world.bank.id, began.operation.id, beat=_killed)
    halfway = bulk.report(world.person, "main", began.operation.id)
    do_jobs(world)
    done = bulk.report(world.person, "main", began.operation.id)

    assert began.counts == {"waiting": 3}
    assert (halfway.settled, halfway.finished) == (2, False)
    assert done.counts == {"done": 3}
    assert done.operation.status == "done"


def test_an_undo_stops_what_is_still_running(
    world: World, three: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "AT_ONCE", 1)
    monkeypatch.setattr(operations, "BATCH", 2)
    before = state(world)
    began = bulk.begin(world.person, "main", "retire", ids(three), {})
    with pytest.raises(KeyboardInterrupt):
        bulk.carry_on(world.person, world.bank.id, began.operation.id, beat=_killed)

    bulk.undo(world.person, "main", began.operation.id)
    do_jobs(world)

    assert state(world) == before
    assert bulk.report(world.person, "main", began.operation.id).operation.status == "undone"


def test_a_job_stops_when_its_person_has_lost_the_right(
    world: World, three: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "AT_ONCE", 1)
    began = bulk.begin(world.caller, "main", "retire", ids(three), {})
    with acting_as(world.person):
        world.connection.tier = "read_write"
        world.connection.save(update_fields=["tier"])

    do_jobs(world)

    report = bulk.report(world.person, "main", began.operation.id)
    assert report.counts == {"failed": 3}
    assert not any(row.retired_at for row in rows(world).values())


def test_a_caller_without_the_tier_changes_nothing() -> None:
    world = make_world(tier="read_write")
    saved = memories.save(world.caller, "main", parse_draft(content="Stay.")).memory

    with pytest.raises(TierInsufficient):
        bulk.begin(world.caller, "main", "delete", ids([saved]), {})


def test_a_strangers_memories_are_not_there(world: World, stranger: World) -> None:
    theirs = memories.save(stranger.person, "main", parse_draft(content="Theirs.")).memory

    with pytest.raises(InvalidArgument, match="0 memories match"):
        bulk.begin(world.person, "main", "delete", ids([theirs]), {})
    done = bulk.begin(stranger.person, "main", "pin", ids([theirs]), {})
    with pytest.raises(NotFound):
        bulk.undo(world.person, "main", done.operation.id)


@pytest.mark.parametrize(
    ("action", "arguments", "field"),
    [
        ("explode", {}, "action"),
        ("pin", {"tags": ["x"]}, "tags"),
        ("add_tags", {}, "tags"),
        ("add_tags", {"tags": ["a,b"]}, "tags"),
        ("set_category", {"category": "x" * 101}, "category"),
        ("set_category", {}, "category"),
        ("set_collection", {"collection": None}, "collection"),
    ],
)
def test_nonsense_is_refused_by_its_field(
    world: World, three: list[Memory], action: str, arguments: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        bulk.begin(world.person, "main", action, ids(three), arguments)

    assert refused.value.field == field


def test_an_erased_memory_leaves_nothing_in_the_operation(
    world: World, three: list[Memory]
) -> None:
    bulk.begin(world.person, "main", "add_tags", ids(three), {"tags": ["secret"]})
    memories.delete(world.person, "main", three[0].id)
    memories.erase(world.person, "main", three[0].id)

    with acting_as(world.person):
        left = BulkItem.objects.filter(bank_id=world.bank.id).values_list("memory_id", flat=True)
        assert set(left) == {three[1].id, three[2].id}


def _killed() -> None:
    raise KeyboardInterrupt
