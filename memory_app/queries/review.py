"""What waits for a person in a bank: questions about memories and entities, and old pins. Inside
`acting_as`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import QuerySet

from memory_app.domain.ids import is_id, to_uuid
from memory_app.models import Memory
from memory_app.providers.clock import now
from memory_app.queries import merges, proposals
from memory_app.queries.access import Access

_RECENT = 2_000
_WAITING = """
WITH standing AS (
  SELECT p.kind, p.created_by FROM proposals p
  JOIN memories o ON o.bank_id = p.bank_id AND o.id = p.old_memory_id AND o.retired_at IS NULL
    AND o.deleted_at IS NULL AND o.content_hash = p.evidence->>'old_hash'
  JOIN memories n ON n.bank_id = p.bank_id AND n.id = p.new_memory_id AND n.retired_at IS NULL
    AND n.deleted_at IS NULL AND n.content_hash = p.evidence->>'new_hash'
  WHERE p.bank_id = %(bank)s AND p.status = 'open'),
merging AS (
  SELECT m.created_by FROM merge_proposals m
  JOIN entities c ON c.bank_id = m.bank_id AND c.id = m.canonical_id AND c.until IS NULL
  JOIN entities v ON v.bank_id = m.bank_id AND v.id = m.variant_id AND v.until IS NULL
  WHERE m.bank_id = %(bank)s AND m.status = 'open')
SELECT
  (SELECT count(*) FROM standing WHERE kind = 'contradiction'),
  (SELECT count(*) FROM standing WHERE kind = 'duplicate'),
  (SELECT count(*) FROM standing WHERE kind = 'retirement'),
  (SELECT count(*) FROM merging),
  (SELECT count(*) FROM memories WHERE bank_id = %(bank)s AND pinned_at < %(before)s
    AND updated_at < %(before)s AND retired_at IS NULL AND deleted_at IS NULL)
"""
_SERVED = """
SELECT hit->>'id', recent.actor, count(*), max(recent.created_at)
FROM (SELECT actor, hits, created_at FROM recalls WHERE bank_id = %(bank)s
      ORDER BY id DESC LIMIT %(recent)s) AS recent,
     jsonb_path_query(recent.hits, '$[*] ? (@.id.type() == "string")') AS hit
WHERE hit->>'id' = ANY(%(ids)s) GROUP BY 1, 2 ORDER BY 3 DESC, 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How much of each kind waits."""

    contradictions: int
    duplicates: int
    retirements: int
    entities: int
    pins: int

    @property
    def total(self) -> int:
        questions = self.contradictions + self.duplicates + self.retirements
        return questions + self.entities + self.pins


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who was given a memory, how often among the newest recalls, and when last."""

    actor: str
    times: int
    last_at: datetime


def waiting(access: Access) -> Waiting:
    """One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            _WAITING, {"bank": to_uuid("bank", access.bank.id), "before": _stale_before(access)}
        )
        contradictions, duplicates, retirements, entities, pins = cursor.fetchone()
    return Waiting(
        contradictions=contradictions,
        duplicates=duplicates,
        retirements=retirements,
        entities=entities,
        pins=pins,
    )


def stale_pins(access: Access, *, limit: int, after: str | None = None) -> list[Memory]:
    """Pinned memories that nobody pinned, edited or confirmed within the bank's freshness days,
    newest first. One query.
    """
    rows = stale(access).order_by("-id")
    if after is not None:
        rows = rows.filter(id__lt=after)
    return list(rows[:limit])


def still_waiting(access: Access, ids: Iterable[str]) -> set[str]:
    """Which of these questions and pinned memories wait for a person yet. Three queries."""
    asked = set(ids)
    of_pairs = {one for one in asked if is_id("prop", one)}
    found = {
        *proposals.standing(access).filter(id__in=of_pairs).values_list("id", flat=True),
        *merges.standing(access).filter(id__in=of_pairs).values_list("id", flat=True),
        *stale(access).filter(id__in=asked - of_pairs).values_list("id", flat=True),
    }
    return {str(one) for one in found}


def readers(access: Access, memory_ids: Iterable[str]) -> dict[str, list[Reader]]:
    """Whom the newest 2,000 recalls gave these memories, the most frequent first. One query."""
    ids = sorted(set(memory_ids))
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            _SERVED,
            {"bank": to_uuid("bank", access.bank.id), "recent": _RECENT, "ids": ids},
        )
        rows = cursor.fetchall()
    found: dict[str, list[Reader]] = {}
    for memory_id, actor, times, last_at in rows:
        found.setdefault(memory_id, []).append(Reader(actor=actor, times=times, last_at=last_at))
    return found


def stale(access: Access) -> QuerySet[Memory]:
    """Live pinned memories that nobody touched within the bank's freshness days."""
    before = _stale_before(access)
    return Memory.objects.filter(
        bank_id=access.bank.id,
        pinned_at__lt=before,
        updated_at__lt=before,
        retired_at=None,
        deleted_at=None,
    )


def _stale_before(access: Access) -> datetime:
    return now() - timedelta(days=access.bank.freshness_days)
