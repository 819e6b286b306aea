"""Rounds over every bank, by the clock. One bank's trouble is logged and stops no other."""

from __future__ import annotations

import logging
from collections.abc import Callable

from celery import shared_task

from accounts.actor import CONSOLIDATION, Actor, system_actor
from memory_app.queries.jobs import every_bank
from memory_app.services import bank_bin, jobs, purging, test_runs, upkeep

logger = logging.getLogger(__name__)


@shared_task(name="memory_app.sweep")  # type: ignore[untyped-decorator]
def sweep() -> int:
    """Send again the jobs whose message or worker got lost; how many banks had some."""
    return _round(lambda actor, bank_id: bool(jobs.sweep(actor, bank_id)))


@shared_task(name="memory_app.refresh_terms")  # type: ignore[untyped-decorator]
def refresh_terms() -> int:
    """Keep the figures and queues of every bank that has changed; how many had."""
    return _round(upkeep.tend)


@shared_task(name="memory_app.purge")  # type: ignore[untyped-decorator]
def purge() -> int:
    """Remove what has outlived its time; how many banks had some."""
    return _round(
        lambda actor, bank_id: (
            bool(bank_bin.purge_bank(actor, bank_id)) or any(purging.purge(actor, bank_id).values())
        )
    )


@shared_task(name="memory_app.enqueue_tests")  # type: ignore[untyped-decorator]
def enqueue_tests(*, night: bool = False) -> int:
    """Queue the memory tests of every bank whose answers may have changed; how many banks."""
    return _round(lambda actor, bank_id: test_runs.enqueue_due(actor, bank_id, night=night))


def _round(visit: Callable[[Actor, str], bool]) -> int:
    found = 0
    for organization_id, bank_id in every_bank():
        actor = system_actor(organization_id, CONSOLIDATION)
        try:
            found += visit(actor, bank_id)
        except Exception:  # one bank must not keep the rest waiting
            logger.exception("upkeep_failed", extra={"bank": bank_id})
    return found
