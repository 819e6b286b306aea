from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from accounts.actor import JUDGE
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.values import Draft, EntityDraft
from memory_app.models import Memory
from memory_app.queries.access import resolve
from memory_app.recall.values import Query
from memory_app.services import consolidating, ledger, memories, recalling
from memory_app.services.proposing import propose
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]


@pytest.fixture
def doubt(desk: Desk, remember: Remember) -> tuple[Memory, Memory, str]:
    """Two memories and the address where their contradiction is decided."""
    old = remember("The limit is 100 requests a minute.")
    new = remember("Nobody limits requests these days.")
    with acting_as(desk.world.person), ledger.opened(resolve(desk.world.person, "main")) as book:
        proposal = propose(
            book,
            kind="contradiction",
            old=old,
            new=new,
            confidence=0.72,
            evidence={},
            created_by=JUDGE,
        )
    assert proposal is not None
    return old, new, desk.url(f"review/{proposal.id}")


def test_both_texts_stand_side_by_side(desk: Desk, doubt: tuple[Memory, Memory, str]) -> None:
    """F4: a review queue with both texts and what can be decided."""
    page = desk.client.get(desk.url("review/"))

    question = page.context["proposals"][0]
    assert question.percent == 72
    assert question.sides[0].content == "The limit is 100 requests a minute."
    assert [choice.value for choice in question.choices] == ["replace", "keep_old", "both_stand"]
    assert _badge(page) == 1


def test_a_decision_brings_the_counts_that_follow_from_it(
    desk: Desk, doubt: tuple[Memory, Memory, str]
) -> None:
    headers = {
        "HX-Request": "true",
        "HX-Current-URL": f"http://testserver{desk.url('review/?kind=contradiction')}",
    }

    answer = desk.client.post(doubt[2], {"decision": "both_stand"}, headers=headers)

    said = answer.content.decode()
    assert answer.context["total"] == 0
    assert 'id="badge-review" class="contents" hx-swap-oob="true"></span>' in said
    assert 'id="all-matching" hx-swap-oob="true">0<' in said


def test_one_waiting_question_is_said_in_the_singular(
    desk: Desk, doubt: tuple[Memory, Memory, str]
) -> None:
    page = desk.client.get(desk.url("usage/")).content.decode()

    assert "1 proposal waits for a person" in page


@pytest.mark.parametrize(
    ("decision", "retired"),
    [("replace", [True, False]), ("keep_old", [False, True]), ("both_stand", [False, False])],
)
def test_a_decision_is_carried_out_and_taken_back(
    desk: Desk, doubt: tuple[Memory, Memory, str], decision: str, retired: list[bool]
) -> None:
    old, new, address = doubt

    decided = desk.client.post(address, {"decision": decision}, follow=True).content.decode()
    after = _retired(desk, old, new)
    desk.client.post(f"{address}/undo")

    assert f'action="{address}/undo"' in decided
    assert after == retired
    assert _retired(desk, old, new) == [False, False]
    assert len(desk.client.get(desk.url("review/")).context["proposals"]) == 1


def test_an_unknown_decision_changes_nothing(desk: Desk, doubt: tuple[Memory, Memory, str]) -> None:
    old, new, address = doubt

    page = desk.client.post(
        address, {"decision": "guess", "next": desk.url("review/")}, follow=True
    )

    assert "decision is" in page.content.decode()
    assert _retired(desk, old, new) == [False, False]


def _retired(desk: Desk, *memories: Memory) -> list[bool]:
    with acting_as(desk.world.person):
        found = {m.id: m for m in Memory.objects.filter(bank_id=desk.world.bank.id)}
    return [found[memory.id].retired_at is not None for memory in memories]


def test_the_agents_that_were_given_a_side_are_named(
    desk: Desk, doubt: tuple[Memory, Memory, str]
) -> None:
    """F4: which agents were served the losing one."""
    asking = replace(desk.world.caller, door="mcp", tool="search_memory")
    recalling.search(asking, "main", Query(text="limit requests a minute"))

    question = desk.client.get(desk.url("review/")).context["proposals"][0]

    assert [(one.name.name, one.times) for one in question.sides[0].served] == [("Coder", 1)]


@pytest.mark.parametrize(
    ("kind", "number"), [("contradiction", 1), ("duplicate", 0), ("nonsense", 1)]
)
def test_one_kind_is_shown_alone(
    desk: Desk, doubt: tuple[Memory, Memory, str], kind: str, number: int
) -> None:
    page = desk.client.get(desk.url(f"review/?kind={kind}"))

    assert len(page.context["proposals"]) == number


def test_a_decision_by_htmx_answers_with_a_toast_in_place_of_the_question(
    desk: Desk, doubt: tuple[Memory, Memory, str]
) -> None:
    _, _, address = doubt

    answer = desk.client.post(address, {"decision": "both_stand"}, headers={"HX-Request": "true"})

    assert "Both stand." in answer.content.decode()
    assert f'action="{address}/undo"' in answer.content.decode()


def test_what_was_rejected_or_lost_does_not_come_back_by_import_but_by_a_persons_hand(
    desk: Desk, doubt: tuple[Memory, Memory, str]
) -> None:
    """F4: a decision is remembered, and a person may still overrule it."""
    old, new, address = doubt
    desk.client.post(address, {"decision": "replace"})

    form = {"lines": old.content, "step": "run"}
    desk.client.post(desk.url("import/"), form)
    after_import = _retired(desk, old, new)
    desk.client.post(desk.url("memories/new"), {"content": old.content})

    assert after_import == [True, False]
    with acting_as(desk.world.person):
        same = Memory.objects.filter(bank_id=desk.world.bank.id, content=old.content)
        assert same.filter(retired_at=None).count() == 1


@pytest.fixture
def twins(desk: Desk) -> str:
    """The address of a question of an agent: are these two entities one?"""
    names = tuple(EntityDraft(name=name) for name in ("Newcastle", "New Castle"))
    draft = Draft(content="Newcastle is New Castle.", entities=names)
    memories.save(desk.world.caller, "main", draft)
    asked = consolidating.propose_pair(
        desk.world.caller, "main", canonical="Newcastle", variant="New Castle"
    )
    return desk.url(f"review/entities/{asked.proposal.id}")


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_entities_are_merged_or_kept_apart_and_it_is_taken_back(
    desk: Desk, twins: str, decision: str
) -> None:
    page = desk.client.get(desk.url("review/?kind=entities"))
    asked = page.context["merges"][0]

    desk.client.post(twins, {"decision": decision})
    after = desk.client.get(desk.url("review/?kind=entities")).context["merges"]
    desk.client.post(f"{twins}/undo")
    again = desk.client.get(desk.url("review/?kind=entities")).context["merges"]

    assert (asked.kept.name, asked.merged.name) == ("Newcastle", "New Castle")
    assert asked.asked_by.name == "Coder"
    assert (len(after), len(again)) == (0, 1)


def test_two_that_a_person_kept_apart_are_not_asked_about_again(desk: Desk, twins: str) -> None:
    """F4: a rejected pair stays rejected."""
    desk.client.post(twins, {"decision": "reject"})

    with pytest.raises(Conflict):
        consolidating.propose_pair(
            desk.world.caller, "main", canonical="Newcastle", variant="New Castle"
        )
    assert consolidating.propose_merges(desk.world.person, "main") == []


@pytest.mark.parametrize(
    ("decision", "pinned", "retired"),
    [("confirm", True, False), ("unpin", False, False), ("retire", False, True)],
)
def test_an_old_pin_is_asked_about_and_decided(
    desk: Desk, remember: Remember, decision: str, pinned: bool, retired: bool
) -> None:
    memory = remember("The office closes at six.")
    memories.pin(desk.world.person, "main", memory.id)
    _grow_old(desk, memory)
    before = desk.client.get(desk.url("review/?kind=pins"))

    desk.client.post(desk.url(f"review/pins/{memory.id}"), {"decision": decision})

    after = desk.client.get(desk.url("review/?kind=pins")).context["pins"]
    kept = _memory(desk, memory)
    assert [one.memory.content for one in before.context["pins"]] == [memory.content]
    assert _badge(before) == 1
    assert after == []
    assert (kept.pinned_at is not None and not kept.retired_at) == pinned
    assert (kept.retired_at is not None) == retired


@pytest.mark.parametrize("decision", ["unpin", "retire"])
def test_a_decision_on_a_pin_is_taken_back(desk: Desk, remember: Remember, decision: str) -> None:
    memory = remember("The office closes at six.")
    memories.pin(desk.world.person, "main", memory.id)
    _grow_old(desk, memory)

    desk.client.post(desk.url(f"review/pins/{memory.id}"), {"decision": decision})
    desk.client.post(desk.url(f"review/pins/{memory.id}/undo"))

    kept = _memory(desk, memory)
    assert kept.pinned_at is not None
    assert kept.retired_at is None


def test_the_daily_mail_is_switched_off_and_on_at_the_foot(desk: Desk) -> None:
    desk.client.post(desk.url("review/digest"), {"wanted": "0"})
    off = desk.client.get(desk.url("review/")).context["mail"]
    desk.client.post(desk.url("review/digest"), {"wanted": "1"})

    assert not off
    assert desk.client.get(desk.url("review/")).context["mail"]


def _badge(page: Any) -> int:
    return next(link.count for link in page.context["shell"].bank_links if link.key == "review")


def _memory(desk: Desk, memory: Memory) -> Memory:
    with acting_as(desk.world.person):
        return Memory.objects.get(bank_id=desk.world.bank.id, id=memory.id)


def _grow_old(desk: Desk, memory: Memory) -> None:
    past = Now() - timedelta(days=400)
    with acting_as(desk.world.person):
        rows = Memory.objects.filter(bank_id=desk.world.bank.id, id=memory.id)
        rows.update(pinned_at=past, updated_at=past)
