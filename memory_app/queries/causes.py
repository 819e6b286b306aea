"""Chains of causes through recorded hints (D5): one recursive statement, chains put together here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.names import name_key
from memory_app.models import Entity, EntityAlias
from memory_app.queries.access import Access

Direction = Literal["upstream", "downstream", "both"]
HOPS_LIMIT = 6
CHAINS_LIMIT = 100

# "A led_to B" and "B caused_by A" are one claim: both become a step from cause to effect. The walks
# go over entities, each once a hop, so the hop count ends every cycle and a step is read once however
# many ways lead to it. Of several facts that claim one step the newest speaks. Ids as text: thousands
# of rows are compared, and few are shown.
_STEPS = """
WITH RECURSIVE steps AS MATERIALIZED (
  SELECT a.memory_id,
         CASE WHEN a.causal_hint = 'led_to' THEN r.source_id ELSE r.target_id END AS cause,
         CASE WHEN a.causal_hint = 'led_to' THEN r.target_id ELSE r.source_id END AS effect
  FROM assertions a JOIN relationships r ON r.bank_id = %(bank)s AND r.id = a.relationship_id
  WHERE a.bank_id = %(bank)s AND a.until IS NULL
    AND a.causal_hint IN ('led_to', 'caused_by', 'enabled_by', 'blocked_by')
), ways AS MATERIALIZED (
  SELECT effect AS near, cause AS far, max(memory_id::text) AS memory_id, true AS up
  FROM steps WHERE %(upstream)s GROUP BY effect, cause
  UNION ALL
  SELECT cause, effect, max(memory_id::text), false
  FROM steps WHERE %(downstream)s GROUP BY cause, effect
), walk AS (
  SELECT id AS at, up, 0 AS hop
  FROM unnest(%(subjects)s::uuid[]) AS subject(id), (VALUES (true), (false)) AS side(up)
  UNION
  SELECT w.far, w.up, walk.hop + 1
  FROM walk JOIN ways w ON w.near = walk.at AND w.up = walk.up WHERE walk.hop < %(hops)s - 1
)
SELECT w.up, w.near::text, w.far::text, w.memory_id
FROM ways w WHERE (w.near, w.up) IN (SELECT at, up FROM walk)
ORDER BY w.memory_id DESC
"""

_CONTRADICTING = """
SELECT DISTINCT a.memory_id
FROM assertions a JOIN relationships r ON r.bank_id = %(bank)s AND r.id = a.relationship_id
WHERE a.bank_id = %(bank)s AND a.until IS NULL AND a.causal_hint = 'contradicts'
  AND (r.source_id = ANY(%(subjects)s) OR r.target_id = ANY(%(subjects)s))
ORDER BY a.memory_id LIMIT %(limit)s
"""

_ANY_STEP = """
SELECT EXISTS (
  SELECT 1 FROM assertions a JOIN relationships r
    ON r.bank_id = %(bank)s AND r.id = a.relationship_id
  WHERE a.bank_id = %(bank)s AND a.until IS NULL AND a.causal_hint <> ''
    AND (r.source_id = ANY(%(subjects)s) OR r.target_id = ANY(%(subjects)s)))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """Chains of memory ids, each ordered outwards from the subject."""

    causes: tuple[tuple[str, ...], ...] = ()
    effects: tuple[tuple[str, ...], ...] = ()
    contradictions: tuple[str, ...] = ()
    truncated: bool = False
    empty_reason: str | None = None


# (the next entity, the fact that says so), newest fact first, by where one stands.
_Ways = Mapping[str, Sequence[tuple[str, str]]]


def subjects_of(access: Access, subject: str) -> list[str]:
    """The entities a subject may mean: its name or alias, else names that contain it. Two queries."""
    key = name_key(subject)
    bank_id = access.bank.id
    named = Entity.objects.filter(bank_id=bank_id, until=None, name_key=key)
    aliased = EntityAlias.objects.filter(bank_id=bank_id, name_key=key)
    exact = [str(row.id) for row in named] + [str(row.entity_id) for row in aliased]
    if exact:
        return list(dict.fromkeys(exact))
    rows = Entity.objects.filter(bank_id=bank_id, until=None, name_key__contains=key)
    return [str(row.id) for row in rows.order_by("-degree", "id")[:20]]


def trace(access: Access, subject: str, *, direction: Direction, hops: int) -> Traced:
    """Chains from the subject, at most `hops` long. At most five queries; the walk is one of them.

    Only recorded links are followed; a chain never visits an entity twice.
    """
    subjects = subjects_of(access, subject)
    if not subjects:
        return Traced(empty_reason="unknown_subject")
    up, down = _ways(access, subjects, hops, direction)
    causes, effects = _chains(up, subjects, hops), _chains(down, subjects, hops)
    contradictions = _contradicting(access, subjects)
    reason = None
    if not causes and not effects:
        reason = "none_in_direction" if _has_any(access, subjects) else "no_causal_links"
    return Traced(
        causes=tuple(causes[:CHAINS_LIMIT]),
        effects=tuple(effects[:CHAINS_LIMIT]),
        contradictions=tuple(contradictions),
        truncated=max(len(causes), len(effects)) > CHAINS_LIMIT,
        empty_reason=reason,
    )


def _ways(
    access: Access, subjects: Sequence[str], hops: int, direction: Direction
) -> tuple[_Ways, _Ways]:
    """The steps within reach, towards causes and towards effects. One statement."""
    asked = {
        "hops": hops,
        "upstream": direction != "downstream",
        "downstream": direction != "upstream",
    }
    with connection.cursor() as cursor:
        cursor.execute(_STEPS, _parameters(access, subjects) | asked)
        rows = cursor.fetchall()
    ways: tuple[dict[str, list[tuple[str, str]]], ...] = ({}, {})
    for up, near, far, memory_id in rows:
        ways[0 if up else 1].setdefault(near, []).append((far, memory_id))
    return ways[0], ways[1]


def _chains(ways: _Ways, subjects: Sequence[str], hops: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for subject in subjects:
        start = str(to_uuid("ent", subject))
        _walk(ways, start, (), {start}, hops, found)
    return [tuple(from_uuid("mem", UUID(one)) for one in chain) for chain in found]


def _walk(
    ways: _Ways,
    at: str,
    path: tuple[str, ...],
    seen: set[str],
    hops: int,
    found: list[tuple[str, ...]],
) -> None:
    """Every longest chain from `at`, depth first; stops just past the limit."""
    onward = [step for step in ways.get(at, ()) if step[0] not in seen] if hops else []
    if not onward:
        if path:
            found.append(path)
        return
    for far, memory_id in onward:
        if len(found) > CHAINS_LIMIT:
            return
        _walk(ways, far, (*path, memory_id), seen | {far}, hops - 1, found)


def _contradicting(access: Access, subjects: Sequence[str]) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(_CONTRADICTING, _parameters(access, subjects) | {"limit": CHAINS_LIMIT})
        return [from_uuid("mem", row[0]) for row in cursor.fetchall()]


def _has_any(access: Access, subjects: Sequence[str]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_ANY_STEP, _parameters(access, subjects))
        return bool(cursor.fetchone()[0])


def _parameters(access: Access, subjects: Iterable[str]) -> dict[str, Any]:
    return {
        "bank": to_uuid("bank", access.bank.id),
        "subjects": [to_uuid("ent", one) for one in subjects],
    }
