"""How a bank stands: what it holds, what waits, what failed. Inside `acting_as`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Q
from django.db.models.functions import Now

from memory_app.models import Cell, Job, Memory, Proposal
from memory_app.queries.access import Access
from memory_app.queries.jobs import SOON


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Counts of one bank. `without_vector` counts live cells of another model, or not embedded yet."""

    live: int
    pending: int
    retired: int
    deleted: int
    pinned: int
    cells: int
    without_vector: int
    open_proposals: int
    waiting_jobs: int
    failed_jobs: int

    def counts(self) -> dict[str, Any]:
        return asdict(self)


def of_bank(access: Access) -> Health:
    """Four queries; the first two pass over the bank's rows."""
    bank_id = access.bank.id
    live = Q(retired_at=None, deleted_at=None)
    memories = Memory.objects.filter(bank_id=bank_id).aggregate(
        live=Count("id", filter=live),
        pending=Count("id", filter=live & Q(indexed_at=None)),
        retired=Count("id", filter=Q(retired_at__isnull=False, deleted_at=None)),
        deleted=Count("id", filter=Q(deleted_at__isnull=False)),
        pinned=Count("id", filter=live & Q(pinned_at__isnull=False)),
    )
    cells = Cell.objects.filter(bank_id=bank_id, live=True).aggregate(
        cells=Count("id"), without_vector=Count("id", filter=Q(embedding=None))
    )
    jobs = Job.objects.filter(bank_id=bank_id).aggregate(
        waiting_jobs=Count("id", filter=Q(failed_at=None, not_before__lt=Now() + SOON)),
        failed_jobs=Count("id", filter=Q(failed_at__isnull=False)),
    )
    waiting = Proposal.objects.filter(bank_id=bank_id, status=Proposal.Status.OPEN).count()
    return Health(**memories, **cells, **jobs, open_proposals=waiting)
