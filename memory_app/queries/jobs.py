"""What is still to be done, and the round of all banks that upkeep makes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import Count, Q
from django.db.models.functions import Now

from memory_app.domain.ids import from_uuid
from memory_app.models import Job
from memory_app.queries.access import Access

# A job for later than this is an appointment, such as an import that goes on tomorrow: nothing waits.
SOON = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many jobs of a bank wait, and the ones that failed for good, newest first."""

    waiting: int
    failed: int
    failures: list[Job]


def every_bank() -> list[tuple[str, str]]:
    """(organization, bank) of all there are, in no order. Runs outside `acting_as`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT organization_id, bank_id FROM every_bank()")
        return [
            (from_uuid("org", organization), from_uuid("bank", bank))
            for organization, bank in cursor.fetchall()
        ]


def waiting(access: Access, *, failures: int = 20) -> Waiting:
    """Two queries, inside `acting_as`."""
    jobs = Job.objects.filter(bank_id=access.bank.id)
    counts = jobs.aggregate(
        waiting=Count("id", filter=Q(failed_at=None, not_before__lt=Now() + SOON)),
        failed=Count("id", filter=Q(failed_at__isnull=False)),
    )
    failed = jobs.filter(failed_at__isnull=False).order_by("-id")[:failures]
    return Waiting(waiting=counts["waiting"], failed=counts["failed"], failures=list(failed))
