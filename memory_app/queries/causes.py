"""Chains of causes through recorded hints (D5): one recursive statement, chains put together here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.names import name_key
from memory_app.models import Entity, EntityAlias
from memory_app.queries.access import Access

Direction = Literal["upstream", "downstream", "both"]
HOPS_LIMIT = 6
CHAINS_LIMIT = 100

# "A led_to B" and "B caused_by A" are one claim: both become a step from cause to effect. The
# UNION drops steps that were reached before at the same hop, and the hop count ends every cycle.
_STEPS = """
WITH RECURSIVE steps AS MATERIALIZED (
  SELECT a.memory_id,
         CASE WHEN a.causal_hint = 'led_to' THEN r.source_id ELSE r.target_id END AS cause,
         CASE WHEN a.causal_hint = 'led_to' THEN r.target_id ELSE r.source_id END AS effect
  FROM assertions a JOIN relationships r ON r.bank_id = %(bank)s AND r.id = a.relationship_id
  WHERE a.bank_id = %(bank)s AND a.until IS NULL
    AND a.causal_hint IN ('led_to', 'caused_by', 'enabled_by', 'blocked_by')
), walk AS (
  SELECT memory_id, cause, effect, 1 AS hop FROM steps WHERE {near} = ANY(%(subjects)s)
  UNION
  SELECT s.memory_id, s.cause, s.effect, w.hop + 1
  FROM walk w JOIN steps s ON s.{near} = w.{far} WHERE w.hop < %(hops)s
)
SELECT DISTINCT ON (memory_id) memory_id, cause, effect FROM walk ORDER BY memory_id, hop
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    memory_id: str
    near: str
    far: str


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
    """Chains from the subject, at most `hops` long. At most five queries.

    Only recorded links are followed; a chain never visits an entity twice.
    """
    subjects = subjects_of(access, subject)
    if not subjects:
        return Traced(empty_reason="unknown_subject")
    causes = _chains(access, subjects, hops, upstream=True) if direction != "downstream" else []
    effects = _chains(access, subjects, hops, upstream=False) if direction != "upstream" else []
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


def _chains(
    access: Access, subjects: Sequence[str], hops: int, *, upstream: bool
) -> list[tuple[str, ...]]:
    near, far = ("effect", "cause") if upstream else ("cause", "effect")
    with connection.cursor() as cursor:
        cursor.execute(
            _STEPS.format(near=near, far=far), _parameters(access, subjects) | {"hops": hops}
        )
        rows = cursor.fetchall()
    steps = [
        _Step(
            memory_id=from_uuid("mem", memory),
            near=from_uuid("ent", effect if upstream else cause),
            far=from_uuid("ent", cause if upstream else effect),
        )
        for memory, cause, effect in rows
    ]
    by_near: dict[str, list[_Step]] = {}
    for step in sorted(steps, key=lambda one: one.memory_id, reverse=True):
        # Two facts that claim the same step are one link of the chain; the newer one speaks.
        siblings = by_near.setdefault(step.near, [])
        if all(sibling.far != step.far for sibling in siblings):
            siblings.append(step)
    found: list[tuple[str, ...]] = []
    for start in subjects:
        _walk(by_near, start, (), {start}, hops, found)
    return found


def _walk(
    by_near: Mapping[str, list[_Step]],
    at: str,
    path: tuple[str, ...],
    seen: set[str],
    hops: int,
    found: list[tuple[str, ...]],
) -> None:
    """Every longest chain from `at`, depth first; stops just past the limit."""
    onward = [step for step in by_near.get(at, ()) if step.far not in seen] if hops else []
    if not onward:
        if path:
            found.append(path)
        return
    for step in onward:
        if len(found) > CHAINS_LIMIT:
            return
        _walk(by_near, step.far, (*path, step.memory_id), seen | {step.far}, hops - 1, found)


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
