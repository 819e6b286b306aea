"""Pages of a bank's ledger. Inside `acting_as`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.models import LedgerCheck, LedgerContent, LedgerEntry
from memory_app.queries.access import Access

PAGE_LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFilter:
    """Which entries; every condition narrows. Times are half-open."""

    operation: str | None = None
    target: str | None = None
    actor: str | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPage:
    """Entries, newest first, their contents by number, and the number to go on below."""

    entries: tuple[LedgerEntry, ...]
    contents: dict[int, LedgerContent]
    next_after: int | None


def page(
    access: Access, where: LedgerFilter, *, after: int | None = None, limit: int = 50
) -> LedgerPage:
    """One page by keyset on the ledger's own number: two queries, whatever the page's number."""
    if not 1 <= limit <= PAGE_LIMIT:
        raise InvalidArgument(
            f"limit is {limit}; it must be from 1 to {PAGE_LIMIT}.",
            hint=f"Ask for at most {PAGE_LIMIT} and follow the cursor.",
            field="limit",
            details={"least": 1, "most": PAGE_LIMIT},
        )
    rows = _matching(access, where).order_by("-seq")
    if after is not None:
        rows = rows.filter(seq__lt=after)
    found = list(rows[: limit + 1])
    entries = tuple(found[:limit])
    contents = LedgerContent.objects.filter(
        bank_id=access.bank.id, seq__in=[entry.seq for entry in entries]
    )
    return LedgerPage(
        entries=entries,
        contents={content.seq: content for content in contents},
        next_after=entries[-1].seq if len(found) > limit else None,
    )


# Entries of the system about itself; the audit log is about what was written and why.
UPKEEP = ("index", "edge_cascade_forget", "orphan_gc", "auto_link_skipped")


def chronological(
    access: Access, *, since: datetime | None, after: int | None = None, limit: int = 50
) -> LedgerPage:
    """One page, the oldest first, without the system's upkeep. Two queries."""
    where = LedgerFilter(created_from=since)
    rows = _matching(access, where).exclude(operation__in=UPKEEP).order_by("seq")
    if after is not None:
        rows = rows.filter(seq__gt=after)
    found = list(rows[: limit + 1])
    entries = tuple(found[:limit])
    contents = LedgerContent.objects.filter(
        bank_id=access.bank.id, seq__in=[entry.seq for entry in entries]
    )
    return LedgerPage(
        entries=entries,
        contents={content.seq: content for content in contents},
        next_after=entries[-1].seq if len(found) > limit else None,
    )


def _matching(access: Access, where: LedgerFilter) -> QuerySet[LedgerEntry]:
    rows = LedgerEntry.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id
    )
    for name in ("operation", "target", "actor"):
        value = getattr(where, name)
        if value is not None:
            rows = rows.filter(**{name: value})
    if where.created_from is not None:
        rows = rows.filter(created_at__gte=where.created_from)
    if where.created_to is not None:
        rows = rows.filter(created_at__lt=where.created_to)
    return rows


def latest_check(access: Access) -> LedgerCheck | None:
    """The newest request for a proof of the chain. One query."""
    return LedgerCheck.objects.filter(bank_id=access.bank.id).order_by("-id").first()


def entry(access: Access, seq: int) -> tuple[LedgerEntry, LedgerContent | None]:
    """One entry with its content, None when that was erased. Two queries. Raises `NotFound`."""
    found = LedgerEntry.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id, seq=seq
    ).first()
    if found is None:
        raise NotFound("ledger entry")
    return found, LedgerContent.objects.filter(bank_id=access.bank.id, seq=seq).first()


def ascending(access: Access, where: LedgerFilter, *, above: int, limit: int) -> LedgerPage:
    """The next entries in the ledger's own order, for an export. Two queries."""
    rows = _matching(access, where).filter(seq__gt=above).order_by("seq")
    found = list(rows[: limit + 1])
    entries = tuple(found[:limit])
    contents = LedgerContent.objects.filter(
        bank_id=access.bank.id, seq__in=[one.seq for one in entries]
    )
    return LedgerPage(
        entries=entries,
        contents={content.seq: content for content in contents},
        next_after=entries[-1].seq if len(found) > limit else None,
    )
