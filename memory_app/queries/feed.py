"""The activity feed: recalls and changes of a bank in one stream, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeVar
from uuid import UUID

from django.db.models import QuerySet

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id, to_uuid
from memory_app.models import LedgerEntry, Recall
from memory_app.queries.access import Access
from memory_app.queries.ledger import UPKEEP

Kind = Literal["", "searched", "saved", "changed"]
KINDS: tuple[Kind, ...] = ("", "searched", "saved", "changed")
_NEWER_COUNTED = 50
Row = TypeVar("Row", Recall, LedgerEntry)
SAVES = ("create", "import", "revive", "merge")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    events: tuple[Recall | LedgerEntry, ...]
    older: str | None


def feed(
    access: Access, *, kind: Kind = "", who: str = "", after: str = "", limit: int = 40
) -> FeedPage:
    """One page. Two queries at most: both tables' ids rise with time, so they merge by id.

    Raises `InvalidArgument` for a cursor that isn't an event's id.
    """
    last = _read_cursor(after)
    found: list[Recall | LedgerEntry] = []
    if kind in {"", "searched"}:
        found += _page(Recall.objects.filter(bank_id=access.bank.id), who, last, limit)
    if kind != "searched":
        found += _page(_entries(access, kind), who, last, limit)
    found.sort(key=_position, reverse=True)
    page = tuple(found[:limit])
    return FeedPage(events=page, older=page[-1].id if len(found) > limit else None)


def count_newer(access: Access, *, since: str, kind: Kind = "", who: str = "") -> int:
    """How many events came after the one of that id, 50 of each sort counted at most. Two queries at most."""
    last = _read_cursor(since)
    number = 0
    if kind in {"", "searched"}:
        number += _newer(Recall.objects.filter(bank_id=access.bank.id), who, last)
    if kind != "searched":
        number += _newer(_entries(access, kind), who, last)
    return number


def _newer(found: QuerySet[Any], who: str, last: UUID | None) -> int:
    if who:
        found = found.filter(actor=who)
    if last:
        found = found.filter(id__gt=last)
    return found[:_NEWER_COUNTED].count()


def _entries(access: Access, kind: Kind) -> QuerySet[LedgerEntry]:
    entries = LedgerEntry.objects.filter(bank_id=access.bank.id)
    if kind == "saved":
        return entries.filter(operation__in=SAVES)
    hidden = (*SAVES, *UPKEEP) if kind == "changed" else UPKEEP
    return entries.exclude(operation__in=hidden)


def _page(found: QuerySet[Row], who: str, last: UUID | None, limit: int) -> list[Row]:
    if who:
        found = found.filter(actor=who)
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
