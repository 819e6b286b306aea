"""Lists of memories for people: pinned first, then newest, with what replaced the retired ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id
from memory_app.models import Memory
from memory_app.queries.access import Access
from memory_app.queries.memories import MemoryFilter, find_many, list_memories

_PINNED = Q(pinned_at__isnull=False)
_MOST_RECALLS = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order besides the default: by one column, ties by id in the same direction."""

    name: str
    label: str
    column: str
    descending: bool
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsePage:
    """`replacements` holds what superseded the retired ones, by id; `older` is the next cursor."""

    memories: tuple[Memory, ...]
    replacements: dict[str, Memory]
    older: str | None


def browse(
    access: Access, where: MemoryFilter, *, after: str = "", limit: int = 50, order: str = ""
) -> BrowsePage:
    """One page by keyset. At most three queries, whatever the page holds.

    Without an order only live memories are listed pinned first; a partial index holds those few.

    `after` is the `older` of the page before. Raises `InvalidArgument` for a cursor that isn't one
    of this order, and for an unknown order.
    """
    if order:
        return _ordered(access, where, after, limit, _order(order))
    among_pinned, last = _read_cursor(after)
    matching = list_memories(access, where)
    if where.state != "live" or where.at is not None:
        found = _rows(access, matching, last, limit + 1)
    elif among_pinned:
        found = _rows(access, matching.filter(_PINNED), last, limit + 1)
        found += _rows(access, matching.exclude(_PINNED), None, limit + 1 - len(found))
    else:
        found = _rows(access, matching.exclude(_PINNED), last, limit + 1)
    cursor = _write_cursor(found[limit - 1]) if len(found) > limit else None
    return _page(access, found[:limit], cursor)


def is_empty(access: Access) -> bool:
    """Whether nothing was ever stored here. One query."""
    return not Memory.objects.filter(bank_id=access.bank.id).exists()


def _ordered(
    access: Access, where: MemoryFilter, after: str, limit: int, order: Order
) -> BrowsePage:
    rows = list_memories(access, where)
    sign, beyond = ("-", "lt") if order.descending else ("", "gt")
    if after:
        value, last = _read_value(after, order)
        rows = rows.filter(
            Q(**{f"{order.column}__{beyond}": value})
            | Q(**{order.column: value, f"id__{beyond}": last})
        )
    found = _loaded(access, rows, limit + 1, f"{sign}{order.column}", f"{sign}id")
    cursor = _write_value(found[limit - 1], order) if len(found) > limit else None
    return _page(access, found[:limit], cursor)


def _page(access: Access, memories: list[Memory], older: str | None) -> BrowsePage:
    replaced = [memory.superseded_by for memory in memories if memory.superseded_by]
    return BrowsePage(
        memories=tuple(memories),
        replacements=find_many(access, replaced) if replaced else {},
        older=older,
    )


def _rows(
    access: Access, matching: QuerySet[Memory], last: str | None, number: int
) -> list[Memory]:
    """The next so many below an id; no query for none."""
    if number <= 0:
        return []
    return _loaded(access, matching.filter(id__lt=last) if last else matching, number, "-id")


def _loaded(access: Access, matching: QuerySet[Memory], number: int, *order: str) -> list[Memory]:
    """The first so many. Which they are is asked apart, so that an index can answer that alone."""
    chosen = matching.order_by(*order).values("id")[:number]
    rows = Memory.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id, id__in=chosen
    )
    return list(rows.order_by(*order))


def _order(name: str) -> Order:
    if name not in ORDERS:
        raise InvalidArgument(
            f"sort is {name!r:.40}.",
            hint=f"Choose one of {', '.join(ORDERS)}, or leave it out.",
            field="sort",
        )
    return ORDERS[name]


def _write_cursor(memory: Memory) -> str:
    return f"{'p' if memory.pinned_at else 'n'}.{memory.id}"


def _read_cursor(cursor: str) -> tuple[bool, str | None]:
    if not cursor:
        return True, None
    kind, _, last = cursor.partition(".")
    if kind not in {"p", "n"} or not is_id("mem", last):
        raise _refused()
    return kind == "p", last


def _write_value(memory: Memory, order: Order) -> str:
    value = getattr(memory, order.column)
    shown = value.isoformat() if isinstance(value, datetime) else value
    return f"{order.name}~{shown}~{memory.id}"


def _read_value(cursor: str, order: Order) -> tuple[Any, str]:
    name, _, rest = cursor.partition("~")
    shown, _, last = rest.rpartition("~")
    if name != order.name or not is_id("mem", last):
        raise _refused()
    try:
        return order.read(shown), last
    except ValueError:
        raise _refused() from None


def _instant(shown: str) -> datetime:
    moment = datetime.fromisoformat(shown)
    if moment.tzinfo is None:
        raise ValueError(shown)
    return moment


def _times(shown: str) -> int:
    if not (shown.isascii() and shown.isdigit() and len(shown) < 11 and int(shown) < _MOST_RECALLS):
        raise ValueError(shown)
    return int(shown)


def _refused() -> InvalidArgument:
    return InvalidArgument(
        "after is not the cursor of a page of memories.",
        hint="Follow the link to the next page, or leave it out.",
        field="after",
    )


ORDERS = {
    order.name: order
    for order in (
        Order(
            name="oldest",
            label="Oldest first",
            column="created_at",
            descending=False,
            read=_instant,
        ),
        Order(
            name="changed",
            label="Last changed first",
            column="updated_at",
            descending=True,
            read=_instant,
        ),
        Order(
            name="recalled",
            label="Most recalled first",
            column="recall_count",
            descending=True,
            read=_times,
        ),
        Order(
            name="unrecalled",
            label="Least recalled first",
            column="recall_count",
            descending=False,
            read=_times,
        ),
    )
}
