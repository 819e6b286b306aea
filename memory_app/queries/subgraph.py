"""The graph around a question, a filter or an entity, within ceilings that say what they dropped.

Everything is asked as of a watermark: the present is the head. No model is asked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.names import name_key
from memory_app.domain.vectors import vector_text
from memory_app.models import Entity, Memory, Mention, Relationship
from memory_app.queries.access import Access
from memory_app.queries.past import turn_entities_back
from memory_app.queries.standing import THEN, dated, entity_stood_then, stood, stood_then

ENTITIES_LIMIT = 50
RELATIONSHIPS_LIMIT = 200
OBSERVATIONS_LIMIT = 50
PROBES_DEPTH = 400

_PROBED = """
SELECT entity_id, max(cosine) FROM (
  SELECT entity_id, 1 - (embedding <=> %(vector)s::halfvec) AS cosine
  FROM entity_probes
  WHERE bank_id = %(bank)s AND organization_id = %(organization)s AND live AND compact
    AND embedding IS NOT NULL
    AND (SELECT embedding_model FROM banks WHERE id = %(bank)s) = %(model)s
  ORDER BY (embedding <=> %(vector)s::halfvec) + 0 LIMIT %(depth)s) AS near
GROUP BY entity_id ORDER BY 2 DESC
"""

_NAMED_IN = dated("""
SELECT e.id FROM entities e
WHERE e.bank_id = %(bank)s AND {e}
  AND length(e.name_key) > 1 AND position(' ' || e.name_key || ' ' IN %(text)s) > 0
LIMIT %(limit)s
""")

_EDGES = """
SELECT r.id FROM relationships r
WHERE r.bank_id = %(bank)s AND r.source_id = ANY(%(ids)s) AND r.target_id = ANY(%(ids)s)
  AND {then}
ORDER BY r.weight DESC, r.id DESC LIMIT %(limit)s
"""

_EDGES_OF = """
SELECT r.id FROM relationships r
WHERE r.bank_id = %(bank)s AND (r.source_id = ANY(%(ids)s) OR r.target_id = ANY(%(ids)s))
  AND {then}
ORDER BY r.weight DESC, r.id DESC LIMIT %(limit)s
"""

_MENTIONING = """
SELECT n.memory_id, array_agg(n.entity_id) FROM mentions n
JOIN memories m ON m.bank_id = %(bank)s AND m.id = n.memory_id
WHERE n.bank_id = %(bank)s AND n.entity_id = ANY(%(ids)s) AND {then} AND {filters}
GROUP BY n.memory_id ORDER BY n.memory_id DESC LIMIT %(limit)s
"""

# Live then: a slice of it was. Slices are kept for the bank's history window.
_FILTERED = dated("""
SELECT m.id FROM memories m
WHERE m.bank_id = %(bank)s AND m.created_watermark <= %(at)s
  AND EXISTS (SELECT 1 FROM cells c
              WHERE c.bank_id = %(bank)s AND c.memory_id = m.id AND {c})
  AND {{filters}} {{entity}}
ORDER BY m.id DESC LIMIT %(limit)s
""")

_OF_ENTITY = dated("""
  AND m.id IN (SELECT n.memory_id FROM mentions n WHERE n.bank_id = %(bank)s
               AND n.entity_id = ANY(%(ids)s) AND {n})""")

_NAMES_OF = dated("""
SELECT n.entity_id, count(*) FROM mentions n
WHERE n.bank_id = %(bank)s AND n.memory_id = ANY(%(ids)s) AND {n}
GROUP BY n.entity_id ORDER BY 2 DESC, n.entity_id LIMIT %(limit)s
""")

_UNNAMED = dated("""
SELECT count(*) FROM unnest(%(ids)s::uuid[]) AS wanted(id)
WHERE NOT EXISTS (SELECT 1 FROM mentions n WHERE n.bank_id = %(bank)s AND n.memory_id = wanted.id
                  AND {n})
""")


_DEGREES_THEN = """
SELECT e.id, (
  SELECT count(*) FROM relationships r WHERE r.bank_id = %(bank)s AND r.source_id = e.id AND {then}
) + (
  SELECT count(*) FROM relationships r WHERE r.bank_id = %(bank)s AND r.target_id = e.id
    AND r.target_id <> r.source_id AND {then}
) FROM unnest(%(ids)s::uuid[]) AS e(id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What observations must be: all conditions at once."""

    category: str | None = None
    tags: tuple[str, ...] = ()
    observed_from: datetime | None = None
    observed_to: datetime | None = None
    entity: str | None = None

    def sql(self) -> str:
        """The condition on `memories m`, as it is now; that it stood is asked beside."""
        parts = ["true"]
        if self.category is not None:
            parts.append("m.category = %(category)s")
        if self.tags:
            parts.append("m.tags @> %(tags)s::varchar[]")
        if self.observed_from is not None:
            parts.append("coalesce(m.observed_at, m.created_at) >= %(observed_from)s")
        if self.observed_to is not None:
            parts.append("coalesce(m.observed_at, m.created_at) < %(observed_to)s")
        return " AND ".join(parts)

    def values(self) -> dict[str, object]:
        return {
            "category": self.category,
            "tags": list(self.tags),
            "observed_from": self.observed_from,
            "observed_to": self.observed_to,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgraph:
    """Ranked entities, the relationships among them, and the memories they come from."""

    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    memories: tuple[Memory, ...] = ()
    scores: dict[str, float] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)


def semantic(
    access: Access,
    text: str,
    vector: np.ndarray | None,
    narrowing: Narrowing,
    *,
    at: int,
    limit: int = ENTITIES_LIMIT,
) -> Subgraph:
    """Entities by their best probe, those that the text names first; six statements at most."""
    scores = _named_in(access, text, at)
    if vector is not None:
        for entity_id, cosine in _probed(access, vector):
            scores.setdefault(entity_id, cosine)
    ranked = sorted(scores, key=lambda one: -scores[one])
    backed = _mentioning(access, ranked, narrowing, at=at)
    named = {entity for entities in backed.values() for entity in entities}
    if narrowing != Narrowing():
        ranked = [one for one in ranked if one in named]
    return _assembled(access, ranked, backed, scores, at=at, limit=limit)


def structural(
    access: Access, narrowing: Narrowing, ids: Sequence[str], *, at: int, limit: int
) -> Subgraph:
    """The newest memories that match, and what they name, most named first; five statements.

    `ids` are the entities that `narrowing.entity` means.
    """
    statement = _FILTERED.format(
        filters=narrowing.sql(), entity=_OF_ENTITY if narrowing.entity is not None else ""
    )
    values: dict[str, Any] = {
        "ids": _uuids("ent", ids),
        "limit": OBSERVATIONS_LIMIT + 1,
        **narrowing.values(),
    }
    found = [row[0] for row in _rows(access, statement, at=at, **values)]
    kept = found[:OBSERVATIONS_LIMIT]
    counted = _rows(access, _NAMES_OF, at=at, ids=kept, limit=limit + 1)
    ranked = [from_uuid("ent", row[0]) for row in counted]
    scores = {from_uuid("ent", row[0]): float(row[1]) for row in counted}
    backed: dict[str, list[str]] = {from_uuid("mem", one): [] for one in kept}
    subgraph = _assembled(access, ranked, backed, scores, at=at, limit=limit)
    if len(found) > len(kept):
        subgraph.dropped["observations"] = 1
    return subgraph


def around(access: Access, entity: Entity, *, at: int) -> Subgraph:
    """One entity with every relationship and memory of its, within the ceilings; four statements,
    three more for the past.
    """
    turn_back(access, [entity], at)
    edges = _edges(access, [entity.id], _EDGES_OF, at=at)
    backed = _mentioning(access, [entity.id], Narrowing(), at=at)
    memories = _memories(access, list(backed)[:OBSERVATIONS_LIMIT])
    dropped = {}
    if len(backed) > OBSERVATIONS_LIMIT:
        dropped["observations"] = len(backed) - OBSERVATIONS_LIMIT
    if len(edges) > RELATIONSHIPS_LIMIT:
        dropped["relationships"] = len(edges) - RELATIONSHIPS_LIMIT
    return Subgraph(
        entities=(entity,),
        relationships=tuple(edges[:RELATIONSHIPS_LIMIT]),
        memories=tuple(memories),
        dropped=dropped,
    )


def naming(
    access: Access, memory_ids: Sequence[str], entity_ids: Iterable[str], *, at: int
) -> dict[str, list[str]]:
    """Of these memories the ones that named one of the entities then, each with all it named."""
    rows = Mention.objects.filter(stood_then(at), bank_id=access.bank.id, memory_id__in=memory_ids)
    found: dict[str, list[str]] = {}
    for memory_id, entity_id in rows.values_list("memory_id", "entity_id"):
        found.setdefault(str(memory_id), []).append(str(entity_id))
    wanted = set(entity_ids)
    return {one: named for one, named in found.items() if wanted & set(named)}


def without_entities(access: Access, memory_ids: Iterable[str], *, at: int) -> int:
    """How many of these memories named no entity then. One statement."""
    rows = _rows(access, _UNNAMED, at=at, ids=_uuids("mem", memory_ids))
    return int(rows[0][0])


def _assembled(
    access: Access,
    ranked: Sequence[str],
    backed: dict[str, list[str]],
    scores: dict[str, float],
    *,
    at: int,
    limit: int,
) -> Subgraph:
    kept = list(ranked[:limit])
    standing = Entity.objects.filter(entity_stood_then(at), bank_id=access.bank.id, id__in=kept)
    rows = {row.id: row for row in standing}
    entities = [rows[one] for one in kept if one in rows]
    turn_back(access, entities, at)
    edges = _edges(access, kept, _EDGES, at=at)
    chosen = [one for one, named in backed.items() if not named or set(named) & set(kept)]
    places = {one: place for place, one in enumerate(kept)}
    chosen.sort(key=lambda one: min((places.get(e, limit) for e in backed[one]), default=0))
    dropped = {
        "entities": len(ranked) - len(kept),
        "relationships": len(edges) - RELATIONSHIPS_LIMIT,
        "observations": len(chosen) - OBSERVATIONS_LIMIT,
    }
    return Subgraph(
        entities=tuple(entities),
        relationships=tuple(edges[:RELATIONSHIPS_LIMIT]),
        memories=tuple(_memories(access, chosen[:OBSERVATIONS_LIMIT])),
        scores=scores,
        dropped={name: number for name, number in dropped.items() if number > 0},
    )


def relationships_of(
    access: Access, entity_id: str, *, at: int | None = None
) -> list[Relationship]:
    """What begins or ends at an entity, now or then, heaviest first, at most 201; three statements."""
    return _edges(access, [entity_id], _EDGES_OF, at=at)


def turn_back(access: Access, entities: Sequence[Entity], at: int) -> None:
    """Give the unsaved instances what they were and the degrees they had then; nothing for the
    present.
    """
    if at >= access.bank.head_watermark or not entities:
        return
    turn_entities_back(access.bank.id, entities, at)
    ids = _uuids("ent", [entity.id for entity in entities])
    rows = _rows(access, _DEGREES_THEN.format(then=THEN), at=at, ids=ids)
    degrees = {from_uuid("ent", row[0]): int(row[1]) for row in rows}
    for entity in entities:
        entity.degree = degrees.get(entity.id, 0)


def _probed(access: Access, vector: np.ndarray) -> list[tuple[str, float]]:
    model = access.bank.embedding_model
    given = {"vector": vector_text(vector.tolist()), "model": model, "depth": PROBES_DEPTH}
    rows = _rows(access, _PROBED, at=0, **given)
    return [(from_uuid("ent", row[0]), float(row[1])) for row in rows]


def _named_in(access: Access, text: str, at: int) -> dict[str, float]:
    """Entities whose whole name stands in the text."""
    words = " ".join(name_key(word) for word in text.split())
    rows = _rows(access, _NAMED_IN, at=at, text=f" {words} ", limit=ENTITIES_LIMIT)
    return {from_uuid("ent", row[0]): 1.0 for row in rows}


def _mentioning(
    access: Access, ids: Sequence[str], narrowing: Narrowing, *, at: int
) -> dict[str, list[str]]:
    """The newest memories that name one of the entities, with the names of theirs."""
    if not ids:
        return {}
    rows = _rows(
        access,
        _MENTIONING.format(filters=narrowing.sql(), then=stood("n")),
        at=at,
        ids=_uuids("ent", ids),
        limit=4 * OBSERVATIONS_LIMIT,
        **narrowing.values(),
    )
    return {from_uuid("mem", row[0]): [from_uuid("ent", one) for one in row[1]] for row in rows}


def _edges(
    access: Access, ids: Sequence[str], statement: str, *, at: int | None
) -> list[Relationship]:
    if not ids:
        return []
    rows = _rows(
        access,
        statement.format(then="r.until IS NULL" if at is None else THEN),
        at=at,
        ids=_uuids("ent", ids),
        limit=RELATIONSHIPS_LIMIT + 1,
    )
    order = [from_uuid("rel", row[0]) for row in rows]
    rows_found = Relationship.objects.filter(bank_id=access.bank.id, id__in=order)
    found = {row.id: row for row in rows_found.select_related("source", "target")}
    if at is not None and at < access.bank.head_watermark:
        ends = [end for row in found.values() for end in (row.source, row.target)]
        turn_entities_back(access.bank.id, ends, at)
    return [found[one] for one in order if one in found]


def _memories(access: Access, ids: Sequence[str]) -> list[Memory]:
    rows = {row.id: row for row in Memory.objects.filter(bank_id=access.bank.id, id__in=ids)}
    return [rows[one] for one in ids if one in rows]


def _uuids(prefix: str, ids: Iterable[str]) -> list[UUID]:
    return [to_uuid(prefix, one) for one in ids]


def _rows(access: Access, statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {
                "bank": to_uuid("bank", access.bank.id),
                "organization": to_uuid("org", access.bank.organization_id),
                **values,
            },
        )
        return list(cursor.fetchall())
