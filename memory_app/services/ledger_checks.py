"""Proving a bank's ledger on request, in the background: a long chain takes its time."""

from __future__ import annotations

from datetime import timedelta

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.models import LedgerCheck
from memory_app.providers.clock import now
from memory_app.queries.access import resolve
from memory_app.services import jobs, ledger

TASK = "verify_ledger"
KEPT = 20
# One that is older was lost with its job; asking again starts another.
PATIENCE = timedelta(minutes=30)


def start(actor: Actor, bank: str | None) -> LedgerCheck:
    """Ask for a check; while one is under way, that one. Anybody who may read the bank may ask."""
    with acting_as(actor):
        access = resolve(actor, bank)
        mine = LedgerCheck.objects.filter(bank_id=access.bank.id)
        running = mine.filter(valid=None, created_at__gte=now() - PATIENCE).order_by("-id").first()
        if running is not None:
            return running
        old = list(mine.order_by("-id").values_list("id", flat=True)[KEPT - 1 :])
        mine.filter(id__in=old).delete()
        check = LedgerCheck.objects.create(
            organization_id=access.bank.organization_id,
            bank_id=access.bank.id,
            id=new_id("check"),
            asked_by=actor.id,
            created_at=now(),
        )
        jobs.enqueue(access, TASK, check_id=check.id)
        return check


def run(actor: Actor, bank_id: str, check_id: str) -> None:
    """Recompute the chain and keep what came of it. Safe to run twice."""
    found = ledger.verify(actor, bank_id)
    with acting_as(actor):
        LedgerCheck.objects.filter(bank_id=bank_id, id=check_id).update(
            finished_at=now(),
            valid=found.valid,
            entries=found.entries,
            head_watermark=found.head_watermark,
            broken_at=found.broken_at,
            reason=found.reason,
        )
