"""Reading the graph of a bank: degrees, edges among entities, neighbourhoods. All inside `acting_as`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import connection
from django.db.models import Q

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Relationship

EdgeKey = tuple[str, str, str]

_DEGREES = """
SELECT ends.id, count(*) FROM (
  SELECT source_id AS id FROM relationships
  WHERE bank_id = %(bank)s AND until IS NULL AND source_id = ANY(%(ids)s)
  UNION ALL
  SELECT target_id FROM relationships
  WHERE bank_id = %(bank)s AND until IS NULL AND target_id = ANY(%(ids)s)
    AND target_id <> source_id) AS ends
GROUP BY ends.id
"""


def degrees_of(bank_id: str, ids: Iterable[str]) -> dict[str, int]:
    """Live relationships of each entity, one with itself once; those without any are left out. One
    query.
    """
    wanted = [to_uuid("ent", one) for one in set(ids)]
    if not wanted:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_DEGREES, {"bank": to_uuid("bank", bank_id), "ids": wanted})
        return {from_uuid("ent", row[0]): int(row[1]) for row in cursor.fetchall()}


def relationships_among(bank_id: str, keys: Sequence[EdgeKey]) -> dict[EdgeKey, Relationship]:
    """Live relationships by (source id, type key, target id). One query."""
    if not keys:
        return {}
    rows = Relationship.objects.filter(
        bank_id=bank_id,
        until=None,
        source_id__in={source for source, _, _ in keys},
        target_id__in={target for _, _, target in keys},
        type_key__in={kind for _, kind, _ in keys},
    )
    return {(row.source_id, row.type_key, row.target_id): row for row in rows}


def edges_of(bank_id: str, ids: Iterable[str], *, limit: int) -> list[Relationship]:
    """Live relationships that begin or end at one of the entities, heaviest first. One query."""
    wanted = set(ids)
    rows = Relationship.objects.filter(
        Q(source_id__in=wanted) | Q(target_id__in=wanted), bank_id=bank_id, until=None
    )
    return list(rows.order_by("-weight", "-id").select_related("source", "target")[:limit])


_NEIGHBOUR_NAMES = """
SELECT e.name FROM (
  SELECT CASE WHEN r.source_id = ANY(%(ids)s) THEN r.target_id ELSE r.source_id END AS id
  FROM relationships r
  WHERE r.bank_id = %(bank)s AND r.until IS NULL
    AND (r.source_id = ANY(%(ids)s) OR r.target_id = ANY(%(ids)s))) AS next
JOIN entities e ON e.bank_id = %(bank)s AND e.id = next.id AND e.until IS NULL
WHERE e.id <> ALL(%(ids)s)
GROUP BY e.name, e.degree ORDER BY e.degree DESC, e.name LIMIT %(limit)s
"""


def neighbour_names(bank_id: str, ids: Sequence[str], *, limit: int) -> list[str]:
    """Names one relationship away from the entities, best connected first. One query."""
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            _NEIGHBOUR_NAMES,
            {
                "bank": to_uuid("bank", bank_id),
                "ids": [to_uuid("ent", one) for one in ids],
                "limit": limit,
            },
        )
        return [str(row[0]) for row in cursor.fetchall()]
