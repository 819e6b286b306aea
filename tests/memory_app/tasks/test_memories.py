from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from accounts.actor import JUDGE, system_actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Unavailable
from memory_app.domain.values import parse_draft
from memory_app.models import Job, Memory, Recall
from memory_app.providers.judging import Pair, Verdict
from memory_app.services import contradictions, jobs, memories, proposals, usage
from memory_app.services.memories import admitting, embedding
from memory_app.tasks import check_contradictions
from tests.factories import World
from tests.jobs import do_jobs, waiting_jobs


class Says:
    """A judge that calls every pair superseded with one probability."""

    id = "says"

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        rest = 1 - self.probability
        return [Verdict(duplicate=0.0, supersedes=self.probability, unrelated=rest) for _ in pairs]


def save(world: World, text: str) -> Memory:
    return memories.save(world.caller, "main", parse_draft(content=text)).memory


def statuses(world: World) -> dict[str, str]:
    with acting_as(world.person):
        return {row.content: row.status for row in Memory.objects.filter(bank=world.bank)}


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Says:
    says = Says(0.95)
    monkeypatch.setattr(contradictions, "local_judge", lambda model_id: says)
    return says


OLD = "The report worker of the billing team runs in Ayr since spring."
NEW = "The report worker of the billing team is a tiny service in Oban."


def test_a_memory_stored_without_vectors_gets_them_from_its_job(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: Any, **__: Any) -> None:
        raise Unavailable("The embedder is down.")

    with monkeypatch.context() as patched:
        patched.setattr(embedding, "embed_texts", down)
        patched.setattr(admitting, "embed_ahead", lambda *_: None)
        saved = memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))

    assert saved.status == "pending"
    assert do_jobs(world) == ["done"]
    assert statuses(world) == {"Kit lives in Ayr.": "active"}
    assert [job.task for job in waiting_jobs(world)] == ["check_contradictions"]
    assert do_jobs(world) == ["done"]


def test_wide_candidates_become_proposals_and_never_an_act(world: World, judge: Says) -> None:
    """E5, F4"""
    save(world, OLD)
    save(world, NEW)

    outcomes = do_jobs(world)

    (review,) = proposals.list_open(world.person, "main").items
    assert outcomes == ["done", "absent"]
    assert (review.old.content, review.new.content) == (OLD, NEW)
    assert review.proposal.confidence == 0.95
    assert review.proposal.evidence["judge"] == "says"
    assert statuses(world) == {OLD: "active", NEW: "active"}


def test_checking_twice_proposes_once(world: World, judge: Says) -> None:
    save(world, OLD)
    new = save(world, NEW)

    first = contradictions.check_many(world.person, world.bank.id, [new.id])
    second = contradictions.check_many(world.person, world.bank.id, [new.id])

    assert (first, second) == (1, 0)


def test_a_verdict_below_the_bar_proposes_nothing(world: World, judge: Says) -> None:
    """E5"""
    judge.probability = 0.55
    save(world, OLD)
    save(world, NEW)

    do_jobs(world)

    assert proposals.list_open(world.person, "main").items == []


def test_an_older_memory_never_outdates_a_newer_one(world: World, judge: Says) -> None:
    old = save(world, OLD)
    save(world, NEW)

    assert contradictions.check_many(world.person, world.bank.id, [old.id]) == 0


def test_the_check_counts_no_operation_and_logs_no_recall(world: World, judge: Says) -> None:
    """E10: only what a caller asks for counts."""
    save(world, OLD)
    save(world, NEW)
    before = usage.today(world.person).operations

    do_jobs(world)

    with acting_as(world.person):
        assert Recall.objects.filter(bank=world.bank).count() == 0
    assert usage.today(world.person).operations == before


def test_a_language_model_is_asked_only_where_the_local_judge_is_unsure(
    world: World, judge: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.probability = 0.55
    language = Says(0.9)
    language.id = "language"
    monkeypatch.setattr(contradictions, "language_judge", lambda: language)
    save(world, OLD)
    save(world, NEW)

    do_jobs(world)

    (review,) = proposals.list_open(world.person, "main").items
    assert review.proposal.evidence["judge"] == "language"


def test_a_silent_language_model_leaves_the_local_verdict(
    world: World, judge: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Says):
        def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            raise Unavailable("No answer in time.")

    judge.probability = 0.7
    monkeypatch.setattr(contradictions, "language_judge", lambda: Silent(0.0))
    save(world, OLD)
    save(world, NEW)

    assert do_jobs(world) == ["done", "absent"]
    assert len(proposals.list_open(world.person, "main").items) == 1


def test_a_memory_that_went_meanwhile_is_left_alone(world: World, judge: Says) -> None:
    save(world, OLD)
    new = save(world, NEW)
    memories.delete(world.person, "main", new.id)

    assert do_jobs(world) == ["done", "absent"]
    assert proposals.list_open(world.person, "main").items == []


def test_one_look_takes_up_all_that_waits_in_its_bank_and_nothing_of_another(
    world: World, stranger: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ("The office closes at six.", "The canteen opens at noon.", "The garage is locked.")
    saved = [save(world, text) for text in texts]
    save(stranger, texts[0])
    first, *_ = waiting_jobs(world)
    looked_at: list[list[str]] = []
    monkeypatch.setattr(
        contradictions, "check_many", lambda actor, bank, ids: looked_at.append(list(ids))
    )

    outcome = check_contradictions(world.organization.id, world.bank.id, first.id)

    assert outcome == "done"
    assert looked_at == [[memory.id for memory in saved]]
    assert waiting_jobs(world) == []
    assert len(waiting_jobs(stranger)) == 1


def test_a_memory_that_waited_for_its_vectors_retires_nothing_said_after_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E5: what was said later is newer, whenever the vectors were made."""

    def down(*_: Any, **__: Any) -> None:
        raise Unavailable("The embedder is down.")

    with monkeypatch.context() as patched:
        patched.setattr(embedding, "embed_texts", down)
        save(world, "Ravi moved from project Falcon to project Heron.")
    save(world, "Ravi is assigned to project Falcon.")

    do_jobs(world)

    assert set(statuses(world).values()) == {"active"}


def test_a_series_of_like_statements_floods_no_queue(world: World, judge: Says) -> None:
    """F4: a judge that calls everything outdated is not believed."""
    for hall in range(6):
        save(world, f"The red pump in hall {hall} of the old harbour needs oil.")
    newest = save(world, "The red pump in hall 7 of the old harbour needs oil.")

    assert contradictions.check_many(world.person, world.bank.id, [newest.id]) == 0


def test_one_memory_that_cannot_be_done_keeps_no_other_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = [parse_draft(content=text) for text in (OLD, NEW, "Kit lives in Ayr.")]
    saved = memories.save_many(world.caller, "main", drafts, judge=True)
    first, second, third = (one.memory.id for one in saved)
    seen: list[list[str]] = []

    def fragile(actor: Any, bank_id: str, memory_ids: list[str]) -> int:
        seen.append(list(memory_ids))
        return sum(1 // (memory_id != first) for memory_id in memory_ids)

    monkeypatch.setattr(contradictions, "check_many", fragile)

    outcomes = do_jobs(world)

    assert outcomes == ["failed"]
    assert seen == [[first, second, third], [first], [second], [third]]


def test_only_the_memory_that_workers_die_of_is_given_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty wait in one job; whoever looks at one of them is killed without a word."""
    drafts = [parse_draft(content=f"Shelf {n} holds {n * 3} boxes.") for n in range(50)]
    ids = [one.memory.id for one in memories.save_many(world.caller, "main", drafts, judge=True)]
    poison = ids[33]
    done: list[str] = []

    def deadly(actor: Any, bank_id: str, memory_ids: Sequence[str]) -> int:
        if poison in memory_ids:
            raise SystemExit
        done.extend(memory_ids)
        return 0

    monkeypatch.setattr(contradictions, "check_many", deadly)
    (job,) = waiting_jobs(world)

    deaths = 0
    while not [row for row in waiting_jobs(world) if row.failed_at]:
        with contextlib.suppress(SystemExit):
            check_contradictions(world.organization.id, world.bank.id, job.id)
        deaths += 1
        _lose_the_lease(world)
        jobs.sweep(system_actor(world.organization.id, JUDGE), world.bank.id)

    (given_up,) = waiting_jobs(world)
    assert (given_up.arguments, "stopped 5 times" in given_up.error) == (
        {"memory_ids": [poison]},
        True,
    )
    assert Counter(done) == Counter(one for one in ids if one != poison)
    assert deaths == 7


def _lose_the_lease(world: World) -> None:
    """As if half a minute had gone by since the worker died."""
    with acting_as(world.person):
        rows = Job.objects.filter(bank=world.bank, leased_until__isnull=False)
        rows.update(leased_until=Now() - timedelta(seconds=1), not_before=Now())
