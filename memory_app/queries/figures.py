"""What a bank did day by day: searches and how long they took, changes, saves, tokens. Inside
`acting_as`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memory_app.domain.ids import to_uuid
from memory_app.domain.times import day_start
from memory_app.models import LedgerEntry
from memory_app.queries.access import Access

# Ids begin with their millisecond, so a day's first id bounds the log's own index.
_RECALLS = """
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*),
       count(*) FILTER (WHERE hit_count > 0), sum(tokens),
       percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY took_ms)
FROM recalls WHERE bank_id = %(bank)s AND id >= %(first)s AND query <> '' GROUP BY 1
"""
_RECALLS_WHOLE = """
SELECT count(*), count(*) FILTER (WHERE hit_count > 0), coalesce(sum(tokens), 0),
       percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY took_ms)
FROM recalls WHERE bank_id = %(bank)s AND id >= %(first)s AND query <> ''
"""
_CHANGES = """
SELECT (created_at AT TIME ZONE 'UTC')::date AS day,
       count(*) FILTER (WHERE operation IN ('create', 'import', 'revive', 'restore')),
       count(*) FILTER (WHERE operation IN ('retire', 'supersede', 'forget')),
       percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY elapsed_ms)
         FILTER (WHERE operation IN ('create', 'update'))
FROM ledger_entries WHERE bank_id = %(bank)s AND created_at >= %(since)s GROUP BY 1
"""
_SAVES = """
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) FILTER (WHERE counted), count(*)
FROM recall_saves WHERE bank_id = %(bank)s AND created_at >= %(since)s GROUP BY 1
"""
# As `recall.packing.count_tokens` guesses, near enough for a sum: four characters a token.
_WHOLE_BANK = """
SELECT count(*), coalesce(sum(length(content)), 0) / 4 FROM memories
WHERE bank_id = %(bank)s AND retired_at IS NULL AND deleted_at IS NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentiles:
    """Milliseconds; None where nothing was measured."""

    half: float | None = None
    most: float | None = None
    nearly_all: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    day: date
    searches: int = 0
    answered: int = 0
    tokens: int = 0
    took: Percentiles = Percentiles()
    added: int = 0
    gone: int = 0
    writing: Percentiles = Percentiles()
    saves: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Every day of the window, oldest first, and the window as a whole.

    `pasted` is what the searches would have handed out had each been given every live memory;
    `own_saves` are those by a memory's own writer, which count for nothing.
    """

    days: tuple[Day, ...]
    searches: int
    answered: int
    tokens: int
    took: Percentiles
    live: int
    bank_tokens: int
    saves: int
    own_saves: int
    added: int
    gone: int

    @property
    def pasted(self) -> int:
        return self.searches * self.bank_tokens


def figures(access: Access, moment: datetime, *, days: int) -> Figures:
    """Five queries; the last passes over the live memories, the others over the window's rows."""
    since = day_start(moment) - timedelta(days=days - 1)
    values = {
        "bank": to_uuid("bank", access.bank.id),
        "since": since,
        "first": UUID(int=(int(since.timestamp() * 1000) << 80)),
    }
    searched = {row[0]: row[1:] for row in _rows(_RECALLS, values)}
    changed = {row[0]: row[1:] for row in _rows(_CHANGES, values)}
    said = _rows(_SAVES, values)
    saved = {row[0]: int(row[1]) for row in said}
    ((number, answered, tokens, took),) = _rows(_RECALLS_WHOLE, values)
    ((live, bank_tokens),) = _rows(_WHOLE_BANK, values)
    each = tuple(
        _day(since.astimezone(UTC).date() + timedelta(days=n), searched, changed, saved)
        for n in range(days)
    )
    return Figures(
        days=each,
        searches=int(number),
        answered=int(answered),
        tokens=int(tokens),
        took=_percentiles(took),
        live=int(live),
        bank_tokens=int(bank_tokens),
        saves=sum(saved.values()),
        own_saves=sum(int(row[2]) for row in said) - sum(saved.values()),
        added=sum(day.added for day in each),
        gone=sum(day.gone for day in each),
    )


def consolidations(access: Access, *, limit: int = 5) -> list[LedgerEntry]:
    """The newest looks for entities that are one. One query."""
    rows = LedgerEntry.objects.filter(bank_id=access.bank.id, operation="consolidate")
    return list(rows.order_by("-seq")[:limit])


def _day(
    day: date,
    searched: Mapping[date, tuple[Any, ...]],
    changed: Mapping[date, tuple[Any, ...]],
    saved: Mapping[date, int],
) -> Day:
    searches, answered, tokens, took = searched.get(day, (0, 0, 0, None))
    added, gone, writing = changed.get(day, (0, 0, None))
    return Day(
        day=day,
        searches=int(searches),
        answered=int(answered),
        tokens=int(tokens or 0),
        took=_percentiles(took),
        added=int(added),
        gone=int(gone),
        writing=_percentiles(writing),
        saves=saved.get(day, 0),
    )


def _percentiles(found: Iterable[float | None] | None) -> Percentiles:
    if found is None:
        return Percentiles()
    half, most, nearly_all = (None if one is None else round(one, 1) for one in found)
    return Percentiles(half=half, most=most, nearly_all=nearly_all)


def _rows(sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found
