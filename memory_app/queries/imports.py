"""The imports of a bank with their reports. All inside `acting_as`."""

from __future__ import annotations

from dataclasses import dataclass

from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.models import ImportJob, ImportLine
from memory_app.queries.access import Access

PAGE_LIMIT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An import and the fate of each line, in the order of the paste."""

    job: ImportJob
    lines: list[ImportLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Imports, newest first, and the id to go on after; None at the end."""

    items: list[ImportJob]
    next_after: str | None


def find(access: Access, import_id: str) -> Kept:
    """One import. Two queries. Raises `NotFound`, and `WrongIdPrefix` for another kind's id."""
    job = ImportJob.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id, id=import_id
    ).first()
    if job is None:
        raise NotFound("import")
    lines = ImportLine.objects.filter(bank_id=access.bank.id, import_id=import_id)
    return Kept(job=job, lines=list(lines.order_by("number")))


def list_page(access: Access, *, after: str | None = None, limit: int = 50) -> Page:
    """One page by keyset on the id. One query."""
    if not 1 <= limit <= PAGE_LIMIT:
        raise InvalidArgument(
            f"limit is {limit}; it must be from 1 to {PAGE_LIMIT}.",
            hint=f"Ask for at most {PAGE_LIMIT} and follow the cursor.",
            field="limit",
            details={"least": 1, "most": PAGE_LIMIT},
        )
    rows = ImportJob.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id
    ).order_by("-id")
    if after is not None:
        rows = rows.filter(id__lt=after)
    found = list(rows[: limit + 1])
    following = found[limit - 1].id if len(found) > limit else None
    return Page(items=found[:limit], next_after=following)
