"""Many questions of one kind decided alike, counted first and undone at once (F4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from accounts.models import Connection
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, TierInsufficient
from memory_app.domain.values import Draft, EntityDraft, parse_changes, parse_draft
from memory_app.models import BulkOperation, Memory
from memory_app.queries.access import resolve
from memory_app.services import asking, bulk, consolidating, ledger, memories, proposals
from memory_app.services.bulk import deciding, operations
from memory_app.services.memories.repeating import REPEAT
from tests.factories import World, make_world
from tests.jobs import do_jobs
from tests.memory_app.rest.client import rest_of, session_of

TEXTS = ("The office closes at six.", "A blue door leads to the yard.", "Ravi plays tennis.")


def saved(world: World) -> list[Memory]:
    drafts = [parse_draft(content=text) for text in TEXTS]
    return [one.memory for one in memories.save_many(world.caller, "main", drafts)]


def ask_to_retire(world: World) -> list[Memory]:
    made = saved(world)
    for memory in made:
        asking.ask(world.caller, "main", wish="retire", memory=memory.id, reason="Heard so.")
    return made


def statuses(world: World, made: list[Memory]) -> list[str]:
    with acting_as(world.person):
        rows = {row.id: row for row in Memory.objects.filter(bank=world.bank)}
    return [rows[one.id].status for one in made]


def waiting(world: World, kind: str) -> list[str]:
    with acting_as(world.person):
        found = deciding.waiting(resolve(world.person, "main"), kind)
    return [one.question for one in found]


@pytest.mark.parametrize(("decision", "status"), [("retire", "retired"), ("keep", "active")])
def test_all_of_a_kind_are_decided_alike_and_taken_back_at_once(
    world: World, decision: str, status: str
) -> None:
    made = ask_to_retire(world)

    done = bulk.begin_decisions(world.person, "main", "retirement", decision)
    after, left = statuses(world, made), waiting(world, "retirement")
    undone = bulk.undo(world.person, "main", done.operation.id)

    assert (done.finished, done.counts) == (True, {"done": 3})
    assert (after, left) == ([status] * 3, [])
    assert undone.counts == {"undone": 3}
    assert statuses(world, made) == ["active"] * 3
    assert len(waiting(world, "retirement")) == 3
    assert ledger.verify(world.person, "main").valid


def test_only_the_chosen_are_decided(world: World) -> None:
    ask_to_retire(world)
    first, *rest = waiting(world, "retirement")

    done = bulk.begin_decisions(world.person, "main", "retirement", "keep", [first])

    assert done.operation.total == 1
    assert waiting(world, "retirement") == rest


def test_a_question_that_another_decision_settled_is_left_out_with_its_reason(
    world: World,
) -> None:
    """Two contradictions about one memory: once it is retired the second has lost its ground."""
    one, two, three = saved(world)
    for other in (two, three):
        asking.ask(
            world.caller, "main", wish="replace", memory=one.id, other=other.id, reason="So."
        )

    done = bulk.begin_decisions(world.person, "main", "contradiction", "replace")
    undone = bulk.undo(world.person, "main", done.operation.id)

    assert done.counts == {"done": 1, "failed": 1}
    assert [item.reason for item in done.failures] == ["The question no longer stands."]
    assert undone.counts["undone"] == 1
    assert statuses(world, [one, two, three]) == ["active"] * 3
    assert len(waiting(world, "contradiction")) == 2


def test_many_are_left_to_a_job_and_so_is_their_undo(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "AT_ONCE", 2)
    monkeypatch.setattr(operations, "BATCH", 2)
    made = ask_to_retire(world)

    begun = bulk.begin_decisions(world.person, "main", "retirement", "retire")
    do_jobs(world)
    after = statuses(world, made)
    bulk.undo(world.person, "main", begun.operation.id)
    do_jobs(world)

    assert not begun.finished
    assert after == ["retired"] * 3
    assert statuses(world, made) == ["active"] * 3
    with acting_as(world.person):
        assert BulkOperation.objects.get(bank=world.bank).status == "undone"


def test_what_changed_since_stays_and_is_told(world: World) -> None:
    made = ask_to_retire(world)
    done = bulk.begin_decisions(world.person, "main", "retirement", "retire")
    memories.revive(world.person, "main", made[0].id)

    undone = bulk.undo(world.person, "main", done.operation.id)

    assert undone.counts == {"undone": 2, "kept": 1}
    assert statuses(world, made) == ["active"] * 3


@pytest.mark.parametrize(
    ("decision", "pinned"), [("confirm", True), ("unpin", False), ("retire", False)]
)
def test_old_pins_are_decided_and_as_old_as_before_afterwards(
    world: World, decision: str, pinned: bool
) -> None:
    made = saved(world)
    past = Now() - timedelta(days=400)
    for memory in made:
        memories.pin(world.person, "main", memory.id)
    with acting_as(world.person):
        Memory.objects.filter(bank=world.bank).update(pinned_at=past, updated_at=past)

    done = bulk.begin_decisions(world.person, "main", "pins", decision)
    with acting_as(world.person):
        live = Memory.objects.filter(bank=world.bank, retired_at=None, pinned_at__isnull=False)
        assert live.exists() == pinned
    left = waiting(world, "pins")
    bulk.undo(world.person, "main", done.operation.id)

    assert left == []
    assert statuses(world, made) == ["active"] * 3
    with acting_as(world.person):
        assert live.count() == 3


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_pairs_of_entities_are_decided_and_parted_again(world: World, decision: str) -> None:
    names = tuple(EntityDraft(name=name) for name in ("Newcastle", "New Castle", "Newcastel"))
    memories.save(world.caller, "main", Draft(content="Three names of a town.", entities=names))
    for variant in ("New Castle", "Newcastel"):
        consolidating.propose_pair(world.caller, "main", canonical="Newcastle", variant=variant)

    done = bulk.begin_decisions(world.person, "main", "entities", decision)
    left = waiting(world, "entities")
    undone = bulk.undo(world.person, "main", done.operation.id)

    assert (done.counts, left) == ({"done": 2}, [])
    assert undone.counts == {"undone": 2}
    assert len(waiting(world, "entities")) == 2
    assert ledger.verify(world.person, "main").valid


@pytest.mark.parametrize(
    ("kind", "decision"), [("weather", "keep"), ("pins", "replace"), ("retirement", "skip")]
)
def test_what_a_kind_does_not_offer_is_refused(world: World, kind: str, decision: str) -> None:
    with pytest.raises(InvalidArgument):
        bulk.begin_decisions(world.person, "main", kind, decision)


def test_an_agent_takes_no_decision_back_whatever_its_tier(world: World) -> None:
    made = ask_to_retire(world)
    done = bulk.begin_decisions(world.person, "main", "retirement", "retire")
    with acting_as(world.person):
        Connection.objects.filter(id=world.connection.id).update(tier="full")

    with pytest.raises(TierInsufficient):
        bulk.undo(world.caller, "main", done.operation.id)
    assert statuses(world, made) == ["retired"] * 3


def test_rest_decides_many_for_a_person_and_takes_it_back(world: World) -> None:
    made = ask_to_retire(world)
    rest = rest_of(world)
    refused = rest.post("proposals/decide", {"kind": "retirement", "decision": "retire"})
    rest = session_of(world)

    done = rest.post("proposals/decide", {"kind": "retirement", "decision": "retire"})
    after = statuses(world, made)
    undone = rest.post(f"bulk/{done.json()['id']}/undo")

    assert refused.status_code == 403
    assert (done.status_code, done.json()["counts"]) == (200, {"done": 3})
    assert after == ["retired"] * 3
    assert undone.json()["counts"] == {"undone": 3}


def test_agents_strangers_and_an_empty_queue_decide_nothing(world: World) -> None:
    made = ask_to_retire(world)
    stranger = make_world()

    with pytest.raises(TierInsufficient):
        bulk.begin_decisions(world.caller, "main", "retirement", "retire")
    with pytest.raises(InvalidArgument):
        bulk.begin_decisions(
            stranger.person, "main", "retirement", "retire", waiting(world, "retirement")
        )
    assert statuses(world, made) == ["active"] * 3
    assert [one.proposal.kind for one in proposals.list_open(world.person, "main").items] == [
        "retirement"
    ] * 3


def test_what_was_revived_by_hand_is_kept_with_the_true_reason(world: World) -> None:
    made = ask_to_retire(world)
    done = bulk.begin_decisions(world.person, "main", "retirement", "retire")
    memories.revive(world.person, "main", made[0].id)

    undone = bulk.undo(world.person, "main", done.operation.id)

    [kept] = undone.failures
    assert (undone.counts, kept.memory_id) == ({"kept": 1, "undone": 2}, made[0].id)
    assert kept.reason == "The memory that this decision retired has changed since."


def test_what_another_live_memory_says_by_now_stays_retired(world: World) -> None:
    ask_to_retire(world)
    done = bulk.begin_decisions(world.person, "main", "retirement", "retire")
    other = memories.save(world.caller, "main", parse_draft(content="Something else.")).memory
    changes = parse_changes({"content": TEXTS[0]})
    memories.edit(world.person, "main", other.id, changes, expected_watermark=other.head_watermark)

    undone = bulk.undo(world.person, "main", done.operation.id)

    assert [one.reason for one in undone.failures] == [REPEAT]
