"""Breadth-first from memories and entities over mentions and relationships, one statement a layer (C3).

A node is a memory or an entity. An edge is a mention or a live relationship, walked both ways.
Retired and binned memories have no live mention, so they are never reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Q

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Entity, Mention, Relationship
from memory_app.queries.access import Access

NODES_LIMIT = 300
EDGES_LIMIT = 600

# The newest first, so that a hub shows what was said of it last. Each branch reads one index.
_NEXT = """
SELECT kind, id FROM (
  SELECT 'mem' AS kind, memory_id AS id FROM mentions
  WHERE bank_id = %(bank)s AND entity_id = ANY(%(entities)s) AND until IS NULL
  UNION
  SELECT 'ent', entity_id FROM mentions
  WHERE bank_id = %(bank)s AND memory_id = ANY(%(memories)s) AND until IS NULL
  UNION
  SELECT 'ent', target_id FROM relationships
  WHERE bank_id = %(bank)s AND source_id = ANY(%(entities)s) AND until IS NULL
  UNION
  SELECT 'ent', source_id FROM relationships
  WHERE bank_id = %(bank)s AND target_id = ANY(%(entities)s) AND until IS NULL) AS near
WHERE id <> ALL(%(seen)s) ORDER BY id DESC LIMIT %(room)s
"""


@dataclass(slots=True, kw_only=True)
class Expansion:
    """Every node that was reached, with its distance from the nearest seed."""

    distances: dict[str, int] = field(default_factory=dict)
    truncated: bool = False

    def of_kind(self, prefix: str) -> list[str]:
        return [node for node in self.distances if node.startswith(f"{prefix}_")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The entities of an expansion, and the edges among all of its nodes."""

    entities: tuple[Entity, ...]
    relationships: tuple[Relationship, ...]
    mentions: tuple[Mention, ...]
    truncated: bool


def expand(access: Access, seeds: Iterable[str], *, hops: int) -> Expansion:
    """From the seeds' ids up to `hops` edges away, at most 300 nodes. One statement a hop."""
    given = list(dict.fromkeys(seeds))
    reached = Expansion(
        distances=dict.fromkeys(given[:NODES_LIMIT], 0), truncated=len(given) > NODES_LIMIT
    )
    frontier = list(reached.distances)
    for distance in range(1, hops + 1):
        room = NODES_LIMIT - len(reached.distances)
        if not frontier or reached.truncated:
            break
        found = _layer(access, frontier, reached.distances, room=room + 1)
        reached.truncated = len(found) > room
        frontier = found[:room]
        reached.distances |= dict.fromkeys(frontier, distance)
    return reached


def context_of(access: Access, reached: Expansion) -> Context:
    """What the reached nodes are and how they hang together. Three queries."""
    entity_ids, memory_ids = reached.of_kind("ent"), reached.of_kind("mem")
    entities = {
        row.id: row for row in Entity.objects.filter(bank_id=access.bank.id, id__in=entity_ids)
    }
    relationships = list(
        Relationship.objects.filter(
            Q(source_id__in=entity_ids) & Q(target_id__in=entity_ids),
            bank_id=access.bank.id,
            until=None,
        ).order_by("-weight", "-id")[: EDGES_LIMIT + 1]
    )
    mentions = list(
        Mention.objects.filter(
            bank_id=access.bank.id, memory_id__in=memory_ids, entity_id__in=entity_ids, until=None
        ).order_by("-id")[: EDGES_LIMIT + 1]
    )
    return Context(
        entities=tuple(entities[one] for one in entity_ids if one in entities),
        relationships=tuple(relationships[:EDGES_LIMIT]),
        mentions=tuple(mentions[:EDGES_LIMIT]),
        truncated=max(len(relationships), len(mentions)) > EDGES_LIMIT,
    )


def _layer(
    access: Access, frontier: Sequence[str], seen: Mapping[str, int], *, room: int
) -> list[str]:
    values: dict[str, Any] = {
        "bank": to_uuid("bank", access.bank.id),
        "memories": _uuids("mem", frontier),
        "entities": _uuids("ent", frontier),
        "seen": [*_uuids("mem", seen), *_uuids("ent", seen)],
        "room": room,
    }
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, values)
        return [from_uuid(kind, found) for kind, found in cursor.fetchall()]


def _uuids(prefix: str, nodes: Iterable[str]) -> list[Any]:
    return [to_uuid(prefix, node) for node in nodes if node.startswith(f"{prefix}_")]
