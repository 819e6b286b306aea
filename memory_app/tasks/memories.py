"""Jobs of one bank: a message names the row, the row holds what is to be done."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from celery import shared_task

from accounts.actor import CONSOLIDATION, JUDGE, system_actor
from memory_app.domain.errors import Unavailable
from memory_app.services import (
    bulk,
    contradictions,
    jobs,
    memories,
    planner_statistics,
    reembedding,
    reindexing,
    test_runs,
    vector_index,
)
from memory_app.services.graph.indexing import index_probes

logger = logging.getLogger(__name__)


@shared_task(name="memory_app.index_memories")  # type: ignore[untyped-decorator]
def index_memories(organization_id: str, bank_id: str, job_id: str) -> str:
    """Make the vectors and the plan of memories that were stored without."""
    actor = system_actor(organization_id, JUDGE, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        _each(lease, lambda memory_id: memories.index_pending(actor, bank_id, [memory_id]))

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.check_contradictions")  # type: ignore[untyped-decorator]
def check_contradictions(organization_id: str, bank_id: str, job_id: str) -> str:
    """Judge new memories against what recall finds for them; only proposals come of it."""
    actor = system_actor(organization_id, JUDGE, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        _together(lease, lambda ids: contradictions.check_many(actor, bank_id, ids))

    return jobs.perform(actor, bank_id, job_id, work, gathering="memory_ids")


@shared_task(name="memory_app.build_vector_index")  # type: ignore[untyped-decorator]
def build_vector_index(organization_id: str, bank_id: str, job_id: str) -> str:
    """Give a big bank its own vector index, or take it from one that has shrunk."""
    actor = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        vector_index.tend(actor, bank_id)

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.index_entities")  # type: ignore[untyped-decorator]
def index_entities(organization_id: str, bank_id: str, job_id: str) -> str:
    """Make the vectors of entity texts that were stored without."""
    actor = system_actor(organization_id, JUDGE, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        lease.renew()
        index_probes(actor, bank_id, lease.arguments["entity_ids"])

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.rebuild_vectors")  # type: ignore[untyped-decorator]
def rebuild_vectors(organization_id: str, bank_id: str, job_id: str) -> str:
    """Make the vectors that a bank lacks, as after the import of a whole bank."""
    actor = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        made = reindexing.fill_vectors(actor, bank_id, report=lambda _: lease.renew())
        if made >= planner_statistics.BIG:
            planner_statistics.renew()

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.renew_statistics")  # type: ignore[untyped-decorator]
def renew_statistics(organization_id: str, bank_id: str, job_id: str) -> str:
    """Tell the database's planner how the tables are filled, since much was written at once."""
    actor = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        planner_statistics.renew()

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.run_tests")  # type: ignore[untyped-decorator]
def run_tests(organization_id: str, bank_id: str, job_id: str) -> str:
    """Run the bank's memory tests that have not run at its present watermark."""
    actor = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        test_runs.run_all(
            actor, bank_id, cause=lease.arguments["cause"], again=False, report=lease.renew
        )

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.change_in_bulk")  # type: ignore[untyped-decorator]
def change_in_bulk(organization_id: str, bank_id: str, job_id: str) -> str:
    """Carry a change of many memories on, or its undo, from where it stands."""
    actor = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        bulk.carry_on(actor, bank_id, lease.arguments["operation_id"], beat=lease.renew)

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.reembed")  # type: ignore[untyped-decorator]
def reembed(organization_id: str, bank_id: str, job_id: str) -> str:
    """Make the vectors of a bank's second model, beside its own."""
    actor = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        reembedding.build(actor, bank_id, report=lambda _: lease.renew())

    return jobs.perform(actor, bank_id, job_id, work)


def _each(lease: jobs.Lease, act: Callable[[str], object]) -> None:
    """Every memory of the job has its turn; one that can't be done fails the job at the end."""
    failed: Exception | None = None
    for memory_id in lease.arguments["memory_ids"]:
        try:
            act(memory_id)
        except Unavailable:
            raise
        except Exception as error:  # the job's row keeps it; the other memories don't wait for it
            logger.exception("memory_failed", extra={"memory": memory_id, "task": lease.task})
            failed = error
    if failed is not None:
        raise failed


def _together(lease: jobs.Lease, act: Callable[[Sequence[str]], object]) -> None:
    """The memories of the job, some at a time, and what is done is done: a worker that dies leaves
    the others to the next.

    Where one fails, or the last worker died, each of those has its turn alone. What failed stays
    with the job, and fails it at the end.
    """
    left, failed = list(lease.arguments["memory_ids"]), list[str]()
    error: Exception | None = None
    alone = contradictions.TOGETHER if lease.lost else 0
    while left:
        part = left[:1] if alone > 0 else left[: contradictions.TOGETHER]
        try:
            act(part)
        except Unavailable:
            raise
        except Exception as fault:  # found out which, so that the others don't wait for it
            logger.exception("memories_failed", extra={"memories": len(part), "task": lease.task})
            if len(part) > 1:
                alone = len(part)
                continue
            failed, error = [*failed, *part], fault
        left, alone = left[len(part) :], alone - 1
        if left or failed:
            lease.leave("memory_ids", [*left, *failed])
    if error is not None:
        raise error
