"""Memory tests and their runs. Inside `acting_as`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Min, QuerySet

from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import is_id, to_uuid
from memory_app.models import LedgerEntry, MemoryTest, MemoryTestRun
from memory_app.queries.access import Access

# What may change many answers at once: after it the tests run again without waiting for the night.
SWEEPING = (
    "import",
    "run_import",
    "undo_import",
    "merge",
    "merge_memories",
    "unmerge",
    "bulk_change",
    "undo_bulk_change",
    "bank.reembedded",
    "merge_entities",
    "undo_merge",
    "decide",
    "undo_decision",
)
_LOOKED_BACK = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPage:
    tests: tuple[MemoryTest, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """When the sweeping changes since the tests last ran began and ended."""

    first: datetime
    last: datetime


def live_tests(access: Access) -> QuerySet[MemoryTest]:
    """All that aren't deleted, newest first; the caller slices."""
    rows = MemoryTest.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id, deleted_at=None
    )
    return rows.order_by("-id")


def list_tests(
    access: Access, *, status: str = "", memory: str = "", after: str | None = None, limit: int = 50
) -> TestPage:
    """One page. One query. Raises `InvalidArgument` for a cursor that is no test's id."""
    rows = live_tests(access)
    if status:
        rows = rows.filter(status=status)
    if memory:
        rows = rows.filter(memory_id=to_uuid("mem", memory))
    if after:
        if not is_id("test", after):
            raise InvalidArgument(
                "after is not the cursor of a page of tests.",
                hint="Follow the link to the next page, or leave it out.",
                field="after",
            )
        rows = rows.filter(id__lt=to_uuid("test", after))
    found: Sequence[MemoryTest] = list(rows[: limit + 1])
    page = tuple(found[:limit])
    return TestPage(tests=page, next_after=page[-1].id if len(found) > limit else None)


def find_test(access: Access, reference: str) -> MemoryTest:
    """By id, a deleted one too. Raises `NotFound` and `WrongIdPrefix`."""
    row = MemoryTest.objects.filter(
        bank_id=access.bank.id,
        organization_id=access.actor.organization_id,
        id=to_uuid("test", reference),
    ).first()
    if row is None:
        raise NotFound("memory test")
    return row


def runs_of(access: Access, test: MemoryTest, *, limit: int = 50) -> list[MemoryTestRun]:
    """The newest runs of a test. One query."""
    rows = MemoryTestRun.objects.filter(bank_id=access.bank.id, test_id=test.id)
    return list(rows.order_by("-id")[:limit])


def count_red(access: Access) -> int:
    """How many tests are red; the badge. One query on an index of the red ones alone."""
    return live_tests(access).filter(status=MemoryTest.Status.RED).order_by().count()


def oldest_run(access: Access) -> int | None:
    """The lowest watermark that a test last ran at; None without tests. One query."""
    found: int | None = live_tests(access).order_by().aggregate(low=Min("last_watermark"))["low"]
    return found


def swept_since(access: Access, watermark: int) -> Sweep | None:
    """The sweeping changes after a watermark, the newest 50,000 entries read at most. One query."""
    since = max(watermark, access.bank.head_watermark - _LOOKED_BACK)
    entries = LedgerEntry.objects.filter(
        bank_id=access.bank.id, seq__gt=since, operation__in=SWEEPING
    )
    found = entries.aggregate(first=Min("created_at"), last=Max("created_at"))
    if found["last"] is None:
        return None
    return Sweep(first=found["first"], last=found["last"])
