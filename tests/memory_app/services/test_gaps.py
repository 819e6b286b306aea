from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, TierInsufficient
from memory_app.domain.values import Changes, Draft
from memory_app.models import GapDecision, LedgerEntry, Memory, Recall
from memory_app.providers.clock import now
from memory_app.recall.values import Filters, Query
from memory_app.services import gaps, ledger, memories, recalling
from tests.factories import World
from tests.memory_app.recall.asking import save

ANSWER = Draft(content="The retention period of invoices is ten years.")
QUESTION = "retention period of invoices"


def test_questions_without_an_answer_are_grouped_by_their_words(world: World) -> None:
    """Empty or under the floor, counted, with who asked and when last."""
    ask(world, "What is the retention period of invoices?")
    ask(world, "retention period of invoices")
    ask(world, "Who owns the fax machine?")

    found = gaps.list_open(world.person, "main")

    assert [gap.question for gap in found] == [
        "Who owns the fax machine?",
        "retention period of invoices",
    ]
    assert [gap.number for gap in found] == [1, 2]
    assert found[1].askers == (world.agent.id,)
    assert found[1].last > found[1].first


def test_questions_of_the_same_meaning_are_one_group(minilm: None, world: World) -> None:
    ask(world, "How long do we keep invoices?")
    ask(world, "For how long must we keep invoices?")
    ask(world, "Who owns the fax machine?")

    found = gaps.list_open(world.person, "main")

    assert [[wording.question for wording in gap.wordings] for gap in found] == [
        ["Who owns the fax machine?"],
        ["For how long must we keep invoices?", "How long do we keep invoices?"],
    ]


def test_an_answer_far_off_is_none(minilm: None, world: World) -> None:
    save(world, "Ada prefers window seats on trains.")
    ask(world, "Which port does the metrics exporter use?")
    ask(world, "Where does Ada like to sit on trains?")

    far = gaps.list_open(world.person, "main")
    near = gaps.list_open(world.person, "main", floor=0.0)

    assert [gap.question for gap in far] == ["Which port does the metrics exporter use?"]
    assert far[0].best is not None
    assert far[0].best < gaps.FLOOR
    assert near == []


def test_a_group_closes_when_the_question_is_answered_by_recall(world: World) -> None:
    ask(world, QUESTION)
    save(world, f"The {QUESTION} is ten years.")
    before = gaps.list_open(world.person, "main")
    ask(world, QUESTION)

    assert len(before) == 1
    assert gaps.list_open(world.person, "main") == []


def test_answering_once_saves_a_memory_and_closes_the_group(world: World) -> None:
    """Answered once, and it becomes a memory: one transaction, by the one way of writing."""
    ask(world, QUESTION)
    key = gaps.list_open(world.person, "main")[0].key

    done = gaps.answer(world.person, "main", key, ANSWER)

    assert done.saved.status == "created"
    assert gaps.list_open(world.person, "main") == []
    assert [row.id for row in decided(world, "answered")] == [done.decision.id]
    assert operations(world)[-2:] == ["create", "answer_gap"]
    assert recalling.search(world.caller, "main", Query(text=QUESTION)).result.hits
    assert ledger.verify(world.person, "main").valid


def test_a_question_that_comes_back_empty_after_its_answer_is_open_again(world: World) -> None:
    ask(world, QUESTION)
    key = gaps.list_open(world.person, "main")[0].key
    gaps.answer(world.person, "main", key, ANSWER)

    ask(world, QUESTION, min_score=1.0)

    assert [gap.key for gap in gaps.list_open(world.person, "main")] == [key]


def test_an_undone_answer_bins_its_memory_and_opens_the_group(world: World) -> None:
    ask(world, QUESTION)
    key = gaps.list_open(world.person, "main")[0].key
    done = gaps.answer(world.person, "main", key, ANSWER)

    gaps.undo(world.person, "main", done.decision.id)

    with acting_as(world.person):
        assert Memory.objects.get(bank=world.bank, id=done.saved.memory.id).deleted_at
    assert [gap.key for gap in gaps.list_open(world.person, "main")] == [key]
    with pytest.raises(Conflict):
        gaps.undo(world.person, "main", done.decision.id)


def test_of_two_who_decide_at_once_the_second_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both had read the question as open; what the second would save is not kept either."""
    ask(world, QUESTION)
    (gap,) = gaps.list_open(world.person, "main")
    done = gaps.dismiss(world.person, "main", gap.key)
    monkeypatch.setattr(gaps, "_find", lambda *_: gap)

    with pytest.raises(Conflict):
        gaps.answer(world.person, "main", gap.key, ANSWER)
    gaps.undo(world.person, "main", done.id)

    assert [one.key for one in gaps.list_open(world.person, "main")] == [gap.key]
    with acting_as(world.person):
        assert not Memory.objects.filter(bank=world.bank).exists()


def test_an_answer_is_not_undone_while_what_it_replaced_is_said_again(world: World) -> None:
    old = save(world, "The retention period of invoices is six years.")
    ask(world, QUESTION, min_score=1.0)
    key = gaps.list_open(world.person, "main")[0].key
    done = gaps.answer(world.person, "main", key, ANSWER)
    memories.retire(world.person, "main", old.id, superseded_by=done.saved.memory.id)
    other = save(world, "Something else.")
    memories.edit(
        world.person, "main", other.id, Changes(content=old.content), expected_watermark=None
    )

    with pytest.raises(Conflict, match="says exactly this by now"):
        gaps.undo(world.person, "main", done.decision.id)


def test_an_answer_that_was_known_stays_when_it_is_undone(world: World) -> None:
    known = save(world, ANSWER.content)
    ask(world, QUESTION, min_score=1.0)
    key = gaps.list_open(world.person, "main")[0].key
    done = gaps.answer(world.person, "main", key, ANSWER)

    gaps.undo(world.person, "main", done.decision.id)

    with acting_as(world.person):
        assert Memory.objects.get(bank=world.bank, id=known.id).deleted_at is None


def test_a_snooze_ends_and_a_dismissal_does_not(world: World) -> None:
    ask(world, QUESTION)
    ask(world, "Who owns the fax machine?")
    fax, invoices = (gap.key for gap in gaps.list_open(world.person, "main"))

    later = gaps.snooze(world.person, "main", fax, days=7)
    gone = gaps.dismiss(world.person, "main", invoices)
    hidden = gaps.list_open(world.person, "main")
    with acting_as(world.person):
        rows = GapDecision.objects.filter(bank=world.bank)
        rows.filter(id=later.id).update(until=now() - timedelta(minutes=1))
    ask(world, QUESTION)

    assert hidden == []
    assert [gap.key for gap in gaps.list_open(world.person, "main")] == [fax]
    gaps.undo(world.person, "main", gone.id)
    assert {gap.key for gap in gaps.list_open(world.person, "main")} == {fax, invoices}


def test_what_is_no_question_of_anybodys_is_no_gap(world: World) -> None:
    recalling.search(world.caller, "main", Query())
    recalling.search(world.caller, "main", Query(text="mem_unknown", mode="lookup"))
    recalling.search(world.caller, "main", Query(text=QUESTION, as_of=world.bank.created_at))
    recalling.search(replace(world.caller, tool="run_lab"), "main", Query(text=QUESTION))

    assert gaps.list_open(world.person, "main") == []


def test_any_text_can_be_a_question(world: World) -> None:
    for text in ("the of and", "🦊", "' OR 1=1 --", "x" * 2_000, "猫はどこ", "a\\b%_"):
        ask(world, text)

    assert len(gaps.list_open(world.person, "main")) == 6


def test_the_number_of_statements_does_not_depend_on_the_log(world: World) -> None:
    ask(world, QUESTION)
    few = _statements(world)
    with acting_as(world.person):
        one = Recall.objects.get(bank=world.bank)
        rows = [
            Recall(
                **{
                    name: getattr(one, name)
                    for name in ("organization_id", "bank_id", "actor", "mode", "hits")
                },
                query=f"question {number}",
            )
            for number in range(300)
        ]
        Recall.objects.bulk_create(rows)

    assert _statements(world) == few
    assert 90 <= len(gaps.list_open(world.person, "main")) <= 100


def test_refusals(world: World, stranger: World) -> None:
    ask(world, QUESTION)
    key = gaps.list_open(world.person, "main")[0].key

    with pytest.raises(NotFound):
        gaps.answer(stranger.person, "main", key, ANSWER)
    with pytest.raises(TierInsufficient):
        gaps.dismiss(world.caller, "main", key)
    with pytest.raises(InvalidArgument):
        gaps.snooze(world.person, "main", key, days=0)
    with pytest.raises(InvalidArgument):
        gaps.list_decided(world.person, "main", "open")
    row = gaps.dismiss(world.person, "main", key)
    with pytest.raises(NotFound):
        gaps.undo(stranger.person, "main", row.id)
    assert gaps.dismiss(world.person, "main", key).id == row.id


def test_an_answer_that_is_refused_leaves_the_question_open(world: World) -> None:
    ask(world, QUESTION)
    key = gaps.list_open(world.person, "main")[0].key
    viewer = replace(world.person, role="viewer")

    with pytest.raises(TierInsufficient):
        gaps.answer(viewer, "main", key, ANSWER)

    assert decided(world, "answered") == []
    assert operations(world) == []


def ask(world: World, text: str, *, min_score: float | None = None) -> None:
    """As the agent does."""
    query = Query(text=text, min_score=min_score, filters=Filters())
    recalling.search(world.caller, "main", query)


def decided(world: World, status: str) -> list[GapDecision]:
    return list(gaps.list_decided(world.person, "main", status).decisions)


def operations(world: World) -> list[str]:
    with acting_as(world.person):
        entries = LedgerEntry.objects.filter(bank=world.bank).order_by("seq")
        return list(entries.values_list("operation", flat=True))


def _statements(world: World) -> int:
    with CaptureQueriesContext(connection) as counted:
        gaps.list_open(world.person, "main")
    return len(counted)
