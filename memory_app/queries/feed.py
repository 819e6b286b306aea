"""The activity feed: recalls and changes of a bank in one stream, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id, to_uuid
from memory_app.models import LedgerContent, LedgerEntry, Memory, Recall
from memory_app.queries.access import Access
from memory_app.queries.ledger import UPKEEP

Kind = Literal["", "searched", "saved", "changed"]
KINDS: tuple[Kind, ...] = ("", "searched", "saved", "changed")
_NEWER_COUNTED = 50
# A text is looked for in so many of the newest memories that hold it.
_MATCHING_MEMORIES = 500
Row = TypeVar("Row", Recall, LedgerEntry)
SAVES = ("create", "import", "revive", "merge")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFilter:
    """Every condition narrows. `operation` leaves only such changes; times are half-open; `text` is
    part of a question, of a reason, or of the memory that was changed.
    """

    kind: Kind = ""
    who: str = ""
    operation: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    events: tuple[Recall | LedgerEntry, ...]
    older: str | None


EVERYTHING = FeedFilter()


def feed(
    access: Access, where: FeedFilter = EVERYTHING, *, after: str = "", limit: int = 40
) -> FeedPage:
    """One page. Two queries at most: both tables' ids rise with time, so they merge by id.

    Raises `InvalidArgument` for a cursor that isn't an event's id.
    """
    last = _read_cursor(after)
    found: list[Recall | LedgerEntry] = []
    if _has_searches(where):
        found += _page(_recalls(access, where), last, limit)
    if where.kind != "searched":
        found += _page(_entries(access, where), last, limit)
    found.sort(key=_position, reverse=True)
    page = tuple(found[:limit])
    return FeedPage(events=page, older=page[-1].id if len(found) > limit else None)


def count_newer(access: Access, where: FeedFilter = EVERYTHING, *, since: str) -> int:
    """How many events came after the one of that id, 50 of each sort counted at most. Two queries at most."""
    last = _read_cursor(since)
    number = 0
    if _has_searches(where):
        number += _newer(_recalls(access, where), last)
    if where.kind != "searched":
        number += _newer(_entries(access, where), last)
    return number


def changes_of(access: Access, entries: list[LedgerEntry]) -> dict[int, dict[str, Any]]:
    """What the entries' contents say, by number; erased ones are left out. One query at most."""
    numbers = [entry.seq for entry in entries]
    if not numbers:
        return {}
    rows = LedgerContent.objects.filter(bank_id=access.bank.id, seq__in=numbers)
    return {row.seq: row.content for row in rows}


def _has_searches(where: FeedFilter) -> bool:
    return where.kind in {"", "searched"} and not where.operation


def _newer(found: QuerySet[Any], last: UUID | None) -> int:
    if last:
        found = found.filter(id__gt=last)
    return found[:_NEWER_COUNTED].count()


def _recalls(access: Access, where: FeedFilter) -> QuerySet[Recall]:
    found = _narrowed(Recall.objects.filter(bank_id=access.bank.id), where)
    if where.kind == "searched":  # a profile is read without a question
        found = found.exclude(query="")
    return found.filter(query__icontains=where.text) if where.text else found


def _entries(access: Access, where: FeedFilter) -> QuerySet[LedgerEntry]:
    entries = _narrowed(LedgerEntry.objects.filter(bank_id=access.bank.id), where)
    if where.text:
        about = Memory.objects.filter(bank_id=access.bank.id, content__icontains=where.text)
        ids = about.order_by("-id").values_list("id", flat=True)[:_MATCHING_MEMORIES]
        entries = entries.filter(Q(reason__icontains=where.text) | Q(target__in=list(ids)))
    if where.operation:
        return entries.filter(operation=where.operation)
    if where.kind == "saved":
        return entries.filter(operation__in=SAVES)
    hidden = (*SAVES, *UPKEEP) if where.kind == "changed" else UPKEEP
    return entries.exclude(operation__in=hidden)


def _narrowed(found: QuerySet[Row], where: FeedFilter) -> QuerySet[Row]:
    if where.who:
        found = found.filter(actor=where.who)
    if where.since:
        found = found.filter(created_at__gte=where.since)
    if where.until:
        found = found.filter(created_at__lt=where.until)
    return found


def _page(found: QuerySet[Row], last: UUID | None, limit: int) -> list[Row]:
    if last:
        found = found.filter(id__lt=last)
    return list(found.order_by("-id")[: limit + 1])


def _position(event: Recall | LedgerEntry) -> UUID:
    return to_uuid("rec" if isinstance(event, Recall) else "led", event.id)


def _read_cursor(cursor: str) -> UUID | None:
    if not cursor:
        return None
    prefix = cursor.partition("_")[0]
    if prefix not in {"rec", "led"} or not is_id(prefix, cursor):
        raise InvalidArgument(
            "after is not the cursor of a page of activity.",
            hint="Follow the link to the next page, or leave it out.",
            field="after",
        )
    return to_uuid(prefix, cursor)
