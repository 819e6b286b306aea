"""The imports of a bank with their reports. All inside `acting_as`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count

from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import to_uuid
from memory_app.models import ImportJob, ImportLine
from memory_app.queries.access import Access

PAGE_LIMIT = 100
LINES_LIMIT = 1_000
OUTCOMES = (
    *("waiting", "created", "pending", "known", "near_duplicate", "conflicting"),
    *("refused", "skipped"),
)
# Fates that are known as soon as a file is read.
SETTLED = ("refused", "skipped")

_OUTCOMES = """
UPDATE import_lines l SET outcome = d.outcome, memory_id = d.memory, reason = d.reason{fields}
FROM jsonb_to_recordset(%(rows)s) AS d (number int, outcome text, memory uuid, reason text,
  fields jsonb)
WHERE l.bank_id = %(bank)s AND l.import_id = %(import)s AND l.number = d.number
"""
_STORED = _OUTCOMES.format(fields=", fields = d.fields")
_FORESEEN = _OUTCOMES.format(fields="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Imports, newest first, and the id to go on after; None at the end."""

    items: list[ImportJob]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePage:
    """Lines in the order of the file, and the number to go on after; None at the end."""

    items: list[ImportLine]
    next_after: int | None


def find_job(access: Access, import_id: str, *, lock: bool = False) -> ImportJob:
    """One import. One query. Raises `NotFound`, and `WrongIdPrefix` for another kind's id."""
    rows = ImportJob.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id, id=import_id
    )
    job = (rows.select_for_update() if lock else rows).first()
    if job is None:
        raise NotFound("import")
    return job


def list_page(access: Access, *, after: str | None = None, limit: int = 50) -> Page:
    """One page by keyset on the id. One query."""
    _refuse_limit(limit, PAGE_LIMIT)
    rows = ImportJob.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id
    ).order_by("-id")
    if after is not None:
        rows = rows.filter(id__lt=after)
    found = list(rows[: limit + 1])
    following = found[limit - 1].id if len(found) > limit else None
    return Page(items=found[:limit], next_after=following)


def lines_page(
    access: Access,
    import_id: str,
    *,
    outcome: str = "",
    after: int | None = None,
    limit: int = 100,
) -> LinePage:
    """One page of an import's lines by keyset on the number. One query."""
    _refuse_limit(limit, LINES_LIMIT)
    rows = ImportLine.objects.filter(bank_id=access.bank.id, import_id=import_id)
    if outcome:
        rows = rows.filter(outcome=outcome)
    if after is not None:
        rows = rows.filter(number__gt=after)
    found = list(rows.order_by("number")[: limit + 1])
    following = found[limit - 1].number if len(found) > limit else None
    return LinePage(items=found[:limit], next_after=following)


def waiting_lines(job: ImportJob, *, after: int, limit: int) -> list[ImportLine]:
    """The next lines that can become memories."""
    rows = _unsettled(job).filter(number__gt=after)
    return list(rows.order_by("number")[:limit])


def count_waiting(job: ImportJob) -> int:
    """How many lines behind the cursor can become memories."""
    after = 0 if job.status in ("ready", "checking", "checked") else job.cursor
    return int(_unsettled(job).filter(number__gt=after).count())


def settled_counts(job: ImportJob) -> Counter[str]:
    """How many lines can't, by their fate."""
    rows = ImportLine.objects.filter(
        bank_id=job.bank_id, import_id=job.id, outcome__in=SETTLED
    ).values_list("outcome")
    return Counter({str(outcome): int(n) for outcome, n in rows.annotate(n=Count("number"))})


def write_outcomes(job: ImportJob, rows: Sequence[ImportLine]) -> None:
    """Keep what became of these lines, and what an undo needs of them. One statement."""
    _write(job, rows, _STORED)


def write_fates(job: ImportJob, rows: Sequence[ImportLine]) -> None:
    """Keep what would become of these lines; what is to be stored of them stays. One statement."""
    _write(job, rows, _FORESEEN)


def _write(job: ImportJob, rows: Sequence[ImportLine], statement: str) -> None:
    if not rows:
        return
    told: list[dict[str, Any]] = [
        {
            "number": row.number,
            "outcome": row.outcome,
            "memory": str(to_uuid("mem", row.memory_id)) if row.memory_id else None,
            "reason": row.reason,
            "fields": row.fields if statement is _STORED else None,
        }
        for row in rows
    ]
    values: dict[str, Any] = {
        "rows": json.dumps(told),
        "bank": to_uuid("bank", job.bank_id),
        "import": to_uuid("imp", job.id),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _unsettled(job: ImportJob) -> Any:
    return ImportLine.objects.filter(bank_id=job.bank_id, import_id=job.id).exclude(
        outcome__in=SETTLED
    )


def _refuse_limit(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise InvalidArgument(
            f"limit is {limit}; it must be from 1 to {most}.",
            hint=f"Ask for at most {most} and follow the cursor.",
            field="limit",
            details={"least": 1, "most": most},
        )
