"""Running memory tests: on demand, after changes that sweep through a bank, and each night.

A test asks as its agent's connection, by the engine of every recall, and is no recall of anybody's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound, Unavailable
from memory_app.domain.ids import to_uuid
from memory_app.domain.text import cut
from memory_app.models import Bank, Job, MemoryTest, MemoryTestRun
from memory_app.providers.clock import now
from memory_app.providers.embedding import embed_cached, get_embedder
from memory_app.queries import expectations
from memory_app.queries.access import Access, resolve
from memory_app.recall import run
from memory_app.recall.cuts import Fates
from memory_app.recall.reasons import reasons
from memory_app.recall.trace import Trace
from memory_app.recall.values import Query, Result
from memory_app.services import jobs
from memory_app.services.lab import ask_as
from memory_app.services.memory_tests import TESTS_LIMIT
from memory_app.services.receipts import read_query

RUNS_KEPT = 50
# A sweep of changes is over when nothing came for a while, or has gone on for long enough.
QUIET = timedelta(seconds=20)
PATIENCE = timedelta(minutes=5)
TASK = "run_tests"
_REASON_LIMIT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a round found, and what it turned."""

    green: int
    red: int
    turned_red: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    green: bool
    place: int | None
    stage: str
    reason: str


def run_one(actor: Actor, bank: str | None, reference: str) -> MemoryTest:
    """Run one test now. Needs `full`. Raises `NotFound`, and `Unavailable` without the embedder."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        test = expectations.find_test(access, reference)
    vector = _vectors(access.bank, [test]).get(test.id)
    return _run(actor, access.bank.id, test, vector, cause="demand")


def run_all(
    actor: Actor,
    bank: str | None,
    *,
    cause: str = "demand",
    again: bool = True,
    report: Callable[[], object] = lambda: None,
) -> Tally:
    """Run every test of the bank, at most 200, each in a transaction of its own. Needs `full`.

    Without `again` those that ran at the present watermark are left. `report` is called after each.
    Raises `Unavailable` when the embedder is down: words alone would turn tests red for nothing.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        tests = list(expectations.live_tests(access)[:TESTS_LIMIT])
    due = [test for test in tests if again or test.last_watermark != access.bank.head_watermark]
    before = {test.id: test.status for test in due}
    vectors = _vectors(access.bank, due)
    done = []
    for test in due:
        done.append(_run(actor, access.bank.id, test, vectors.get(test.id), cause=cause))
        report()
    red = [test for test in done if test.status == MemoryTest.Status.RED]
    return Tally(
        green=len(done) - len(red),
        red=len(red),
        turned_red=sum(before[test.id] != MemoryTest.Status.RED for test in red),
    )


def enqueue_due(actor: Actor, bank_id: str, *, night: bool = False) -> bool:
    """Queue a round when the bank's answers may have changed: three short queries at most.

    By day after an import, a merge or a decision, once it is over; at night after any change.
    """
    with acting_as(actor):
        access = resolve(actor, bank_id)
        oldest = expectations.oldest_run(access)
        if oldest is None or oldest >= access.bank.head_watermark:
            return False
        if not night and oldest > 0 and not _swept(access, oldest):
            return False
        if Job.objects.filter(bank_id=bank_id, task=TASK, failed_at=None).exists():
            return False
        jobs.enqueue(access, TASK, cause="night" if night else "sweep")
        return True


def _swept(access: Access, since: int) -> bool:
    sweep = expectations.swept_since(access, since)
    if sweep is None:
        return False
    return sweep.last < now() - QUIET or sweep.first < now() - PATIENCE


def _run(
    actor: Actor, bank_id: str, test: MemoryTest, vector: np.ndarray | None, *, cause: str
) -> MemoryTest:
    """A dozen statements, whatever is found."""
    started = time.perf_counter()
    with acting_as(actor):
        access = resolve(actor, bank_id)
        found = _outcome(access, test, vector)
        moment = now()
        status = MemoryTest.Status.GREEN if found.green else MemoryTest.Status.RED
        if status != test.status:
            test.status, test.status_since = status, moment
        test.last_run_at, test.last_watermark = moment, access.bank.head_watermark
        test.last_place, test.last_reason = found.place, cut(found.reason, _REASON_LIMIT)[0]
        test.save(
            update_fields=[
                "status",
                "status_since",
                "last_run_at",
                "last_watermark",
                "last_place",
                "last_reason",
            ]
        )
        MemoryTestRun.objects.create(
            organization_id=test.organization_id,
            bank_id=bank_id,
            test_id=test.id,
            status=status,
            cause=cause,
            place=found.place,
            stage=found.stage,
            reason=test.last_reason,
            watermark=test.last_watermark,
            took_ms=round((time.perf_counter() - started) * 1000, 3),
            created_at=moment,
        )
        _forget_old_runs(test)
    return test


def _forget_old_runs(test: MemoryTest) -> None:
    runs = MemoryTestRun.objects.filter(bank_id=test.bank_id, test_id=test.id)
    last = runs.order_by("-id").values_list("id", flat=True)[RUNS_KEPT : RUNS_KEPT + 1]
    for border in last:
        runs.filter(id__lte=to_uuid("run", str(border))).delete()


def _outcome(access: Access, test: MemoryTest, vector: np.ndarray | None) -> _Outcome:
    try:
        _, asker = ask_as(access, test.agent)
    except (InvalidArgument, NotFound) as error:
        return _Outcome(
            green=not test.must_appear, place=None, stage="access", reason=error.message
        )
    trace = Trace()
    result = run(asker, query_of(test), query_vector=vector, trace=trace)
    hit = next((hit for hit in result.hits if hit.memory.id == test.memory_id), None)
    if hit is not None:
        by = " and ".join(hit.matched)
        near = "" if hit.score is None else f" with a similarity of {hit.score:.3f}"
        return _Outcome(
            green=test.must_appear,
            place=hit.rank,
            stage="served",
            reason=f"It is served at place {hit.rank}, found by {by}{near}.",
        )
    stage, reason = _why_not(trace, result, test.memory_id, vector)
    return _Outcome(green=not test.must_appear, place=None, stage=stage, reason=reason)


def _why_not(
    trace: Trace, result: Result, memory_id: str, vector: np.ndarray | None
) -> tuple[str, str]:
    told = reasons(Fates(trace.run, result), [memory_id], vector).get(memory_id)
    if told is None:
        return "erased", "It has been erased."
    return told.stage, told.text


def query_of(test: MemoryTest) -> Query:
    """The question of a test: it asks for as many memories as it looks at."""
    options: dict[str, Any] = {**test.options, "limit": test.within}
    mode = options.pop("mode", "hybrid")
    return read_query(test.query, mode, options)


def _vectors(bank: Bank, tests: Sequence[MemoryTest]) -> dict[str, np.ndarray]:
    """By the test's id. Raises `Unavailable`."""
    asking = [test for test in tests if query_of(test).needs_vector]
    if not asking:
        return {}
    try:
        made = embed_cached(
            get_embedder(bank.embedding_model), [test.query for test in asking], "query"
        )
    except Unavailable as error:
        raise Unavailable(
            "The embedder is down, so the tests did not run.",
            hint="Run them again in a moment.",
        ) from error
    return {test.id: vector for test, vector in zip(asking, made, strict=True)}
