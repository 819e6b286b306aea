"""The whole graph as a picture shows it: the best connected entities and the edges among them (D11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Entity, Relationship
from memory_app.models.fields import finite
from memory_app.queries.access import Access
from memory_app.queries.past import fields_then
from memory_app.queries.standing import (
    THEN,
    dated,
    edge_stood_then,
    entity_stood,
    entity_stood_then,
)

EDGES_LIMIT = 20_000

_NODES = """
SELECT id, name, type, degree FROM entities
WHERE bank_id = %(bank)s AND until IS NULL ORDER BY degree DESC, id DESC LIMIT %(limit)s
"""
_COUNT = "SELECT count(*) FROM entities WHERE bank_id = %(bank)s AND until IS NULL"
_EDGES = """
SELECT id, source_id, target_id, type, weight FROM relationships
WHERE bank_id = %(bank)s AND until IS NULL
  AND source_id = ANY(%(ids)s) AND target_id = ANY(%(ids)s)
ORDER BY weight DESC, id DESC LIMIT %(limit)s
"""
# Edges are looked at once, and cut before names are joined: an edge's ends stood when it did. Entities
# without edges fill what room there is.
_NODES_THEN = """
WITH stood AS MATERIALIZED (
  SELECT r.source_id, r.target_id FROM relationships r WHERE r.bank_id = %(bank)s AND {then}),
ranked AS MATERIALIZED (
  SELECT ends.id, count(*) AS degree
  FROM (SELECT source_id AS id FROM stood UNION ALL
        SELECT target_id FROM stood WHERE target_id <> source_id) AS ends
  GROUP BY ends.id ORDER BY 2 DESC, 1 DESC LIMIT 2 * %(limit)s)
SELECT e.id, e.name, e.type, ranked.degree FROM ranked
JOIN entities e ON e.bank_id = %(bank)s AND e.id = ranked.id
WHERE {e}
UNION ALL (
  SELECT e.id, e.name, e.type, 0 FROM entities e
  WHERE (SELECT count(*) FROM ranked) < %(limit)s AND e.bank_id = %(bank)s
    AND {e}
    AND e.id NOT IN (SELECT ranked.id FROM ranked)
  ORDER BY e.id DESC LIMIT %(limit)s)
ORDER BY 4 DESC, 1 DESC LIMIT %(limit)s
"""
_COUNT_THEN = dated("""
SELECT count(*) FROM entities e WHERE e.bank_id = %(bank)s AND {e}
""")
_EDGES_THEN = """
SELECT r.id, r.source_id, r.target_id, r.type, r.weight FROM relationships r
WHERE r.bank_id = %(bank)s AND r.source_id = ANY(%(ids)s) AND r.target_id = ANY(%(ids)s) AND {then}
ORDER BY r.weight DESC, r.id DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An entity in the picture; its size is its degree."""

    id: str
    name: str
    type: str
    degree: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relationship in the picture."""

    id: str
    source: str
    target: str
    type: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What is shown, of how many entities, and whether edges were left off."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    total: int
    edges_cut: bool

    @property
    def truncated(self) -> bool:
        return self.edges_cut or self.total > len(self.nodes)


def overview(access: Access, *, limit: int, at: int | None = None) -> Overview:
    """The `limit` best connected entities, now or as of a watermark. Four statements at most."""
    bank = {"bank": to_uuid("bank", access.bank.id), "at": at}
    nodes, count, edges = (
        (_NODES, _COUNT, _EDGES)
        if at is None
        else (
            _NODES_THEN.format(then=THEN, e=entity_stood("e")),
            _COUNT_THEN,
            _EDGES_THEN.format(then=THEN),
        )
    )
    with connection.cursor() as cursor:
        cursor.execute(nodes, bank | {"limit": limit})
        shown = cursor.fetchall()
        total = len(shown)
        if total == limit:
            cursor.execute(count, bank)
            total = int(cursor.fetchone()[0])
        cursor.execute(edges, bank | {"ids": [row[0] for row in shown], "limit": EDGES_LIMIT + 1})
        found = cursor.fetchall()
    return Overview(
        nodes=named_then(
            access,
            [
                Node(id=from_uuid("ent", row[0]), name=row[1], type=row[2], degree=int(row[3]))
                for row in shown
            ],
            at=at,
        ),
        edges=read_edges(found[:EDGES_LIMIT], [row[0] for row in shown]),
        total=total,
        edges_cut=len(found) > EDGES_LIMIT,
    )


def named_then(access: Access, nodes: Sequence[Node], *, at: int | None) -> tuple[Node, ...]:
    """The nodes with the names and types they had at a watermark. One statement, none for now."""
    if at is None:
        return tuple(nodes)
    fields = fields_then(access.bank.id, [node.id for node in nodes], at)
    return tuple(
        replace(
            node,
            name=fields.get(node.id, {}).get("name", node.name),
            type=fields.get(node.id, {}).get("type", node.type),
        )
        for node in nodes
    )


def read_edges(rows: Sequence[tuple[Any, ...]], ends: Sequence[UUID]) -> tuple[Edge, ...]:
    """Rows of id, source, target, type and weight; each of `ends` is written out once, not per edge."""
    names = {one: from_uuid("ent", one) for one in ends}
    return tuple(
        Edge(
            id=from_uuid("rel", row[0]),
            source=names[row[1]],
            target=names[row[2]],
            type=row[3],
            weight=finite(float(row[4])),
        )
        for row in rows
    )


def entities(
    access: Access, *, text: str = "", kind: str = "", at: int | None = None
) -> QuerySet[Entity]:
    """Entities that stand, or stood at a watermark, newest first.

    `text` is part of the name, `kind` the whole type, both as they are now.
    """
    standing = Q(until=None) if at is None else entity_stood_then(at)
    rows = Entity.objects.filter(standing, bank_id=access.bank.id)
    if text:
        rows = rows.filter(name__icontains=text)
    if kind:
        rows = rows.filter(type__iexact=kind)
    return rows.order_by("-id")


def relationships(access: Access, *, at: int | None = None) -> QuerySet[Relationship]:
    """Relationships that stand, or stood at a watermark, with their ends, newest first."""
    rows = Relationship.objects.filter(bank_id=access.bank.id)
    rows = rows.filter(until=None) if at is None else rows.filter(edge_stood_then(at))
    return rows.select_related("source", "target").order_by("-id")
