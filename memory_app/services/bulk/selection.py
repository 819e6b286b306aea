"""Which memories a bulk operation means: some by id, or all that a filter finds at that moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import canonical_id, to_uuid
from memory_app.domain.times import iso
from memory_app.models import BulkOperation, Memory
from memory_app.queries.access import Access
from memory_app.queries.memories import MemoryFilter, list_memories

IDS_LIMIT = 1_000
LIMIT = 100_000

_CHOOSE = """
INSERT INTO bulk_items (bank_id, organization_id, operation_id, number, memory_id, state, reason,
                        change)
SELECT %s, %s, %s, row_number() OVER (ORDER BY id DESC), id, 'waiting', '', '{{}}'
FROM ({chosen}) AS chosen
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Exactly one of the two is given."""

    ids: tuple[str, ...] = ()
    where: MemoryFilter | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """How many an operation would touch, and the newest few of them."""

    matching: int
    examples: tuple[Memory, ...]


def parse_selection(*, ids: Sequence[str] | None, where: MemoryFilter | None) -> Selection:
    """Raises `InvalidArgument` for none or both, too many ids; `WrongIdPrefix` for another kind's."""
    if (ids is None) == (where is None):
        raise InvalidArgument(
            "A bulk change needs either ids or filter.",
            hint="Send the ids of the memories, or a filter that finds them.",
            field="ids",
        )
    if ids is None:
        return Selection(where=where)
    if not 1 <= len(ids) <= IDS_LIMIT:
        raise InvalidArgument(
            f"ids has {len(ids):,} entries; it must have 1 to {IDS_LIMIT:,}.",
            hint="Choose more than that by a filter.",
            field="ids",
            details={"limit": IDS_LIMIT},
        )
    return Selection(ids=tuple(dict.fromkeys(canonical_id("mem", one) for one in ids)))


def preview(access: Access, selection: Selection) -> Preview:
    """Two queries; the count is exact, whatever the bank's size."""
    rows = rows_of(access, selection)
    return Preview(matching=rows.order_by().count(), examples=tuple(rows[:5]))


def choose(access: Access, operation: BulkOperation, selection: Selection) -> int:
    """Write down the memories as they match now; how many. One statement.

    Raises `InvalidArgument` for none and for more than 100,000.
    """
    rows = rows_of(access, selection).order_by().values_list("id")
    sql, values = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            _CHOOSE.format(chosen=sql),
            [
                to_uuid("bank", operation.bank_id),
                to_uuid("org", operation.organization_id),
                to_uuid("bulk", operation.id),
                *values,
            ],
        )
        number = int(cursor.rowcount)
    if not 1 <= number <= LIMIT:
        raise InvalidArgument(
            f"{number:,} memories match; a bulk change takes 1 to {LIMIT:,}.",
            hint="Choose another filter."
            if not number
            else "Narrow the filter, and do it by parts.",
            field="filter",
            details={"limit": LIMIT, "matching": number},
        )
    return number


def described(selection: Selection) -> dict[str, Any]:
    """The selection as JSON, for the operation's report."""
    if selection.where is None:
        return {"ids": len(selection.ids)}
    stated = MemoryFilter()
    return {
        each.name: iso(value) if isinstance(value, datetime) else value
        for each in fields(MemoryFilter)
        if (value := getattr(selection.where, each.name)) != getattr(stated, each.name)
    }


def rows_of(access: Access, selection: Selection) -> QuerySet[Memory]:
    """The chosen memories, newest first, as they match now."""
    if selection.where is not None:
        return list_memories(access, selection.where)
    return list_memories(access, MemoryFilter(state="all")).filter(id__in=selection.ids)
