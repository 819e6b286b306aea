"""Agents ask people for what they may not do themselves (A19, F4)."""

from __future__ import annotations

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, TierInsufficient
from memory_app.domain.values import parse_draft
from memory_app.models import Memory, Proposal
from memory_app.services import asking, calibrating, ledger, memories, proposals
from tests.factories import World, make_world
from tests.memory_app.rest.client import rest_of

OLD, NEW = "The office closes at six.", "A blue door leads to the yard."


def saved(world: World, text: str) -> Memory:
    return memories.save(world.caller, "main", parse_draft(content=text)).memory


def now(world: World, memory: Memory) -> Memory:
    with acting_as(world.person):
        return Memory.objects.get(bank=world.bank, id=memory.id)


def ask(world: World, wish: str, *about: Memory, reason: str = "Heard in the hall.") -> Proposal:
    other = about[1].id if len(about) > 1 else None
    asked = asking.ask(
        world.caller, "main", wish=wish, memory=about[0].id, other=other, reason=reason
    )
    return asked.review.proposal


@pytest.mark.parametrize(
    ("wish", "both", "decision", "states"),
    [
        ("retire", False, "retire", ["retired", "active"]),
        ("retire", False, "keep", ["active", "active"]),
        ("replace", True, "replace", ["retired", "active"]),
        ("replace", True, "keep_old", ["active", "retired"]),
        ("merge", True, "merge", ["active", "retired"]),
    ],
)
def test_what_was_asked_waits_for_a_person_who_decides_and_takes_it_back(
    world: World, wish: str, both: bool, decision: str, states: list[str]
) -> None:
    """A19, F4: an agent of the tier read_write asks; nothing changes before a person decides."""
    pair = [saved(world, OLD), saved(world, NEW)]
    row = ask(world, wish, *pair[: 1 + both])
    before = [now(world, one).status for one in pair]

    proposals.decide(world.person, "main", row.id, decision)
    after = [now(world, one).status for one in pair]
    proposals.undo_decision(world.person, "main", row.id)

    assert before == ["active", "active"]
    assert after == states
    assert [now(world, one).status for one in pair] == before
    assert row.created_by == world.agent.id
    assert ledger.verify(world.person, "main").valid


def test_the_reason_stays_with_what_was_retired(world: World) -> None:
    memory = saved(world, OLD)
    row = ask(world, "retire", memory, reason="The office moved.")

    proposals.decide(world.person, "main", row.id, "retire")

    assert now(world, memory).retired_reason == "The office moved."
    assert now(world, memory).retired_by == world.owner.id


def test_asking_twice_is_asking_once(world: World) -> None:
    memory = saved(world, OLD)

    assert ask(world, "retire", memory).id == ask(world, "retire", memory).id


@pytest.mark.parametrize(
    ("wish", "both", "decision"), [("retire", False, "keep"), ("replace", True, "both_stand")]
)
def test_what_a_person_refused_is_not_asked_again(
    world: World, wish: str, both: bool, decision: str
) -> None:
    """F4: a rejected pair stays rejected, in either order."""
    pair = [saved(world, OLD), saved(world, NEW)][: 1 + both]
    row = ask(world, wish, *pair)
    proposals.decide(world.person, "main", row.id, decision)

    with pytest.raises(Conflict) as refused:
        ask(world, wish, *pair[::-1])
    assert refused.value.details["proposal"] == row.id


def test_an_agent_decides_nothing_that_it_asked_for(world: World) -> None:
    row = ask(world, "retire", saved(world, OLD))

    with pytest.raises(TierInsufficient):
        proposals.decide(world.caller, "main", row.id, "retire")


@pytest.mark.parametrize(
    ("wish", "decision"), [("retire", "replace"), ("retire", "both_stand"), ("replace", "retire")]
)
def test_a_decision_that_the_question_does_not_offer_is_refused(
    world: World, wish: str, decision: str
) -> None:
    both = [saved(world, OLD), saved(world, NEW)]
    row = ask(world, wish, *both[: 1 if wish == "retire" else 2])

    with pytest.raises(InvalidArgument):
        proposals.decide(world.person, "main", row.id, decision)
    assert [now(world, one).status for one in both] == ["active", "active"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"wish": "burn"}, "action"),
        ({"reason": " "}, "reason"),
        ({"reason": "x" * 301}, "reason"),
        ({"wish": "replace"}, "other"),
        ({"other": "same"}, "other"),
        ({"wish": "merge", "other": "same"}, "other"),
    ],
)
def test_a_wish_that_says_too_little_or_too_much_names_its_field(
    world: World, given: dict[str, str], field: str
) -> None:
    memory = saved(world, OLD)
    wish = {"wish": "retire", "memory": memory.id, "reason": "Heard so."} | given
    wish |= {"other": memory.id} if "other" in given else {}

    with pytest.raises(InvalidArgument) as refused:
        asking.ask(world.caller, "main", **wish)  # type: ignore[arg-type]
    assert refused.value.field == field


def test_a_reader_a_stranger_and_a_retired_memory_ask_for_nothing(world: World) -> None:
    memory = saved(world, OLD)
    reader, stranger = make_world(tier="read"), make_world()
    theirs = memories.save(reader.person, "main", parse_draft(content=OLD)).memory
    memories.retire(world.person, "main", memory.id)

    with pytest.raises(TierInsufficient):
        ask(reader, "retire", theirs)
    with pytest.raises(NotFound):
        ask(stranger, "retire", memory)
    with pytest.raises(Conflict):
        ask(world, "retire", memory)


def test_one_asker_cannot_flood_the_queue(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "OPEN_LIMIT", 1)
    first = ask(world, "retire", saved(world, OLD))

    with pytest.raises(Conflict):
        ask(world, "retire", saved(world, NEW))
    proposals.decide(world.person, "main", first.id, "keep")
    assert ask(world, "retire", saved(world, NEW)).status == "open"


def test_what_agents_ask_for_says_nothing_about_the_judge(world: World) -> None:
    row = ask(world, "retire", saved(world, OLD))
    proposals.decide(world.person, "main", row.id, "retire")

    assert calibrating.calibrate(world.person, "main") == []


def test_rest_answers_what_waits_and_repeats_nothing() -> None:
    world = make_world()
    rest = rest_of(world)
    memory = rest.save(OLD)
    wish = {"action": "retire", "memory": memory["id"], "reason": "The office moved."}

    asked, again = rest.post("proposals", wish), rest.post("proposals", wish)
    listed = rest.get("proposals?kind=retirement").json()["proposals"]

    assert (asked.status_code, again.status_code) == (201, 200)
    assert asked.json()["id"] == again.json()["id"]
    assert [(one["kind"], one["reason"]) for one in listed] == [("retirement", "The office moved.")]
    assert rest.post("proposals", wish | {"memory": "nothing"}).status_code == 404


@pytest.mark.parametrize("wish", ["replace", "merge"])
def test_the_opposite_question_is_no_repeat_of_the_open_one(world: World, wish: str) -> None:
    first, second = saved(world, OLD), saved(world, NEW)
    row = ask(world, wish, first, second)

    with pytest.raises(Conflict) as refused:
        ask(world, wish, second, first, reason="The other way round.")

    assert refused.value.details == {"proposal": row.id}
    assert ask(world, wish, first, second).id == row.id
