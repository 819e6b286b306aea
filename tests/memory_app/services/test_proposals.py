from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from accounts.actor import JUDGE
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, TierInsufficient
from memory_app.domain.values import parse_changes, parse_draft
from memory_app.models import Memory, Proposal
from memory_app.queries import proposals as queries
from memory_app.queries.access import resolve
from memory_app.services import ledger, memories, proposals
from memory_app.services.proposing import propose
from tests.factories import World

OLD = "Ravi plays tennis on Mondays."
NEW = "The office in Ayr has a blue door."


def saved(world: World, text: str, **fields: Any) -> Memory:
    return memories.save(world.caller, "main", parse_draft(content=text, **fields)).memory


def proposed(world: World, old: Memory, new: Memory, kind: str = "contradiction") -> str | None:
    with acting_as(world.caller), ledger.opened(resolve(world.caller, "main")) as book:
        opened = propose(
            book, kind=kind, old=old, new=new, confidence=0.7, evidence={}, created_by=JUDGE
        )
        return opened.id if opened else None


def pair(world: World) -> tuple[Memory, Memory, str]:
    old, new = saved(world, OLD, tags=["sport"]), saved(world, NEW, tags=["work"])
    proposal = proposed(world, old, new)
    assert proposal is not None
    return old, new, proposal


def now(world: World, memory: Memory) -> Memory:
    with acting_as(world.person):
        return Memory.objects.get(bank=world.bank, id=memory.id)


def waiting(world: World) -> list[str]:
    return [one.proposal.id for one in proposals.list_open(world.person, "main").items]


def test_a_pair_waits_side_by_side_and_is_proposed_once(world: World) -> None:
    """F4"""
    old, new, proposal = pair(world)

    (review,) = proposals.list_open(world.person, "main").items

    assert (review.old.content, review.new.content) == (OLD, NEW)
    assert proposed(world, new, old) is None
    assert waiting(world) == [proposal]


@pytest.mark.parametrize(
    ("decision", "old_status", "new_status", "old_tags", "status"),
    [
        ("keep_old", "active", "retired", ["sport"], "accepted"),
        ("replace", "retired", "active", ["sport"], "accepted"),
        ("merge", "active", "retired", ["sport", "work"], "accepted"),
        ("both_stand", "active", "active", ["sport"], "rejected"),
        ("skip", "active", "active", ["sport"], "open"),
    ],
)
def test_each_decision_does_what_it_says(
    world: World,
    decision: str,
    old_status: str,
    new_status: str,
    old_tags: list[str],
    status: str,
) -> None:
    """F4"""
    old, new, proposal = pair(world)

    decided = proposals.decide(world.person, "main", proposal, decision)

    assert (now(world, old).status, now(world, new).status) == (old_status, new_status)
    assert now(world, old).tags == old_tags
    assert decided.review.proposal.status == status
    assert ledger.verify(world.person, "main").valid


def test_the_one_that_stays_is_named_by_the_one_that_went(world: World) -> None:
    """E6, F4"""
    old, new, proposal = pair(world)

    proposals.decide(world.person, "main", proposal, "replace")

    assert now(world, old).superseded_by == new.id


@pytest.mark.parametrize("decision", ["keep_old", "replace", "merge", "both_stand"])
def test_undo_restores_both_memories_exactly_and_opens_the_question(
    world: World, decision: str
) -> None:
    """F4"""
    old, new, proposal = pair(world)
    proposals.decide(world.person, "main", proposal, decision)

    proposals.undo_decision(world.person, "main", proposal)

    kept = ("status", "content", "tags", "superseded_by", "retired_reason", "pinned_at")
    for memory in (old, new):
        after = now(world, memory)
        assert [getattr(after, name) for name in kept] == [getattr(memory, name) for name in kept]
    assert waiting(world) == [proposal]
    assert ledger.verify(world.person, "main").valid


def test_a_rejected_pair_is_never_proposed_again(world: World) -> None:
    """F4"""
    old, new, proposal = pair(world)
    proposals.decide(world.person, "main", proposal, "both_stand")

    assert proposed(world, old, new) is None
    assert waiting(world) == []


def test_an_agent_decides_nothing_whatever_its_tier(world: World) -> None:
    """F4: an agent never approves its own proposal."""
    _, _, proposal = pair(world)
    with acting_as(world.person):
        world.connection.tier = "full"
        world.connection.save()

    with pytest.raises(TierInsufficient):
        proposals.decide(world.caller, "main", proposal, "replace")
    with pytest.raises(TierInsufficient):
        proposals.undo_decision(world.caller, "main", proposal)


def test_a_viewer_decides_nothing(world: World) -> None:
    _, _, proposal = pair(world)

    with pytest.raises(TierInsufficient):
        proposals.decide(replace(world.person, role="viewer"), "main", proposal, "replace")


def test_a_stranger_finds_no_proposal(world: World, stranger: World) -> None:
    _, _, proposal = pair(world)

    with pytest.raises(NotFound):
        proposals.decide(stranger.person, "main", proposal, "replace")
    assert waiting(stranger) == []


def test_the_second_of_two_deciders_is_refused(world: World) -> None:
    _, _, proposal = pair(world)
    proposals.decide(world.person, "main", proposal, "keep_old")

    with pytest.raises(Conflict):
        proposals.decide(world.person, "main", proposal, "replace")


def test_an_unknown_decision_names_the_choices(world: World) -> None:
    _, _, proposal = pair(world)

    with pytest.raises(InvalidArgument) as refused:
        proposals.decide(world.person, "main", proposal, "maybe")

    assert refused.value.field == "decision"


def test_a_question_about_changed_words_leaves_the_queue(world: World) -> None:
    """F4"""
    old, new, proposal = pair(world)
    memories.edit(
        world.person,
        "main",
        old.id,
        parse_changes({"content": "Ravi plays tennis on Fridays."}),
        expected_watermark=None,
    )

    listed = waiting(world)
    with pytest.raises(Conflict):
        proposals.decide(world.person, "main", proposal, "replace")

    with acting_as(world.person):
        assert Proposal.objects.get(bank=world.bank, id=proposal).status == "obsolete"
    assert listed == []
    assert proposed(world, now(world, old), now(world, new)) == proposal


def test_retiring_by_hand_closes_the_question_and_undo_elsewhere_opens_it(world: World) -> None:
    """F4: a decision about one pair that is taken back gives other pairs their question back."""
    old, _, proposal = pair(world)
    third = saved(world, "Zoe keeps bees.")
    other = proposed(world, old, third)
    proposals.decide(world.person, "main", proposal, "replace")
    closed = proposals.close_fallen(world.person, "main")
    between = waiting(world)

    proposals.undo_decision(world.person, "main", proposal)

    assert (closed, between) == (1, [])
    assert waiting(world) == [other, proposal]


def test_undo_is_refused_once_the_retired_memory_has_moved_on(world: World) -> None:
    old, _, proposal = pair(world)
    proposals.decide(world.person, "main", proposal, "replace")
    memories.delete(world.person, "main", old.id)

    with pytest.raises(Conflict):
        proposals.undo_decision(world.person, "main", proposal)


def test_pages_follow_each_other_at_a_constant_cost(
    world: World, django_assert_num_queries: Any
) -> None:
    first = saved(world, OLD)
    others = [saved(world, f"Item {number} is number {number}.") for number in range(5)]
    ids = [proposed(world, first, other) for other in others]
    with acting_as(world.person):
        access = resolve(world.person, "main")
        with django_assert_num_queries(2):
            page = queries.list_open(access, limit=3)
        rest = queries.list_open(access, limit=3, after=page.next_after)

    found = [one.proposal.id for one in page.items + rest.items]
    assert found == list(reversed(ids))
    assert rest.next_after is None
