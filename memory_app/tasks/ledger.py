"""Jobs about the ledger, and the daily mail about what waits."""

from __future__ import annotations

from celery import shared_task

from accounts.actor import CONSOLIDATION, system_actor
from memory_app.services import digests, jobs, ledger_checks


@shared_task(name="memory_app.verify_ledger")  # type: ignore[untyped-decorator]
def verify_ledger(organization_id: str, bank_id: str, job_id: str) -> str:
    """Recompute a bank's chain because somebody asked for it."""
    actor = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        ledger_checks.run(actor, bank_id, lease.arguments["check_id"])

    return jobs.perform(actor, bank_id, job_id, work)


@shared_task(name="memory_app.send_digests")  # type: ignore[untyped-decorator]
def send_digests() -> int:
    """Tell people what waits for them, once a day; how many mails went out."""
    return digests.send_due()
