"""A part of the graph as a picture shows it: around entities or the best connected, filtered, then or now.

All inside `acting_as`; what stood is asked as of a watermark where one is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.names import type_key
from memory_app.queries.access import Access
from memory_app.queries.overview import EDGES_LIMIT, Node, Overview, named_then, read_edges
from memory_app.queries.standing import THEN, entity_stood, stood

# So many neighbours an entity shows when it is expanded.
EXPANDED = 100
EXPAND_LIMIT = 20
DEPTH_LIMIT = 3

_NOW = "r.until IS NULL"
_STANDS_NOW = "e.until IS NULL"
_STOOD = entity_stood("e")

_RANKED = """
SELECT e.id FROM entities e
WHERE e.bank_id = %(bank)s AND {stands} AND {kind} ORDER BY e.degree DESC, e.id DESC LIMIT %(limit)s
"""
_RANKED_BY_EDGES = """
SELECT e.id FROM (
  SELECT ends.id, count(*) AS degree FROM relationships r
  CROSS JOIN LATERAL (
    VALUES (r.source_id, true), (r.target_id, r.target_id <> r.source_id)) AS ends(id, other)
  WHERE r.bank_id = %(bank)s AND ends.other AND {counted} GROUP BY ends.id {cut}) AS d
JOIN entities e ON e.bank_id = %(bank)s AND e.id = d.id AND {stands} AND {kind}
ORDER BY d.degree DESC, e.id DESC LIMIT %(limit)s
"""
_NEXT = """
SELECT e.id FROM (
  SELECT r.target_id AS id FROM relationships r
  WHERE r.bank_id = %(bank)s AND r.source_id = ANY(%(ids)s) AND {counted}
  UNION
  SELECT r.source_id FROM relationships r
  WHERE r.bank_id = %(bank)s AND r.target_id = ANY(%(ids)s) AND {counted}) AS next
JOIN entities e ON e.bank_id = %(bank)s AND e.id = next.id AND {stands} AND {kind}
WHERE next.id <> ALL(%(seen)s) ORDER BY e.degree DESC, e.id DESC LIMIT %(limit)s
"""
_NODES = """
SELECT id, name, type, degree FROM entities e
WHERE e.bank_id = %(bank)s AND e.id = ANY(%(ids)s) AND {stands}
"""
_DEGREES_THEN = """
SELECT ends.id, count(*) FROM (
  SELECT r.source_id AS id FROM relationships r
  WHERE r.bank_id = %(bank)s AND r.source_id = ANY(%(ids)s) AND {alive}
  UNION ALL
  SELECT r.target_id FROM relationships r
  WHERE r.bank_id = %(bank)s AND r.target_id = ANY(%(ids)s) AND r.target_id <> r.source_id
    AND {alive}) AS ends
GROUP BY ends.id
"""
_EDGES = """
SELECT r.id, r.source_id, r.target_id, r.type, r.weight FROM relationships r
WHERE r.bank_id = %(bank)s AND r.source_id = ANY(%(ids)s) AND r.target_id = ANY(%(ids)s)
  AND {counted}
ORDER BY r.weight DESC, r.id DESC LIMIT %(limit)s
"""
# Where no type is asked for, names are joined for the best connected only: an edge's ends stand with it.
_CUT = "ORDER BY 2 DESC, 1 DESC LIMIT 2 * %(limit)s"
_COUNT = "SELECT count(*) FROM entities e WHERE e.bank_id = %(bank)s AND {stands}"
_BACKED = """(
  (r.declared AND {declared} AND {interval})
  OR EXISTS (SELECT 1 FROM assertions a
             JOIN memories m ON m.bank_id = %(bank)s AND m.id = a.memory_id
             WHERE a.bank_id = %(bank)s AND a.relationship_id = r.id AND {then} AND {memory}))"""
_DECLARED_THEN = stood("r")
_BACKED_NOW = "a.until IS NULL"
_BACKED_THEN = stood("a")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What entities and edges must be; an edge is a member's when a memory of theirs backs it."""

    type: str = ""
    relation: str = ""
    author: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def on_edges(self) -> bool:
        return bool(self.relation) or self.on_backing

    @property
    def on_backing(self) -> bool:
        """Whether an edge counts by who declared it, or by the memories that back it."""
        return bool(self.author or self.since or self.until)

    def kind_sql(self) -> str:
        return "lower(e.type) = lower(%(type)s)" if self.type else "true"

    def edge_sql(self, *, then: bool) -> str:
        parts = ["r.type_key = %(relation)s"] if self.relation else []
        declared, memory = [], []
        if self.author:
            declared.append("r.created_by = %(author)s")
            memory.append("m.author = %(author)s")
        if self.since is not None:
            declared.append("r.created_at >= %(from)s")
            memory.append("coalesce(m.observed_at, m.created_at) >= %(from)s")
        if self.until is not None:
            declared.append("r.created_at < %(to)s")
            memory.append("coalesce(m.observed_at, m.created_at) < %(to)s")
        if memory:
            parts.append(
                _BACKED.format(
                    declared=" AND ".join(declared),
                    memory=" AND ".join(memory),
                    then=_BACKED_THEN if then else _BACKED_NOW,
                    interval=_DECLARED_THEN if then else "true",
                )
            )
        return " AND ".join(parts) or "true"

    def values(self) -> dict[str, object]:
        return {
            "type": self.type,
            "relation": type_key(self.relation),
            "author": self.author,
            "from": self.since,
            "to": self.until,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a picture is asked for.

    Around `focus` up to `depth` steps away, else the best connected; `expand` adds the neighbours of
    these, `also` these themselves.
    """

    limit: int = 300
    focus: tuple[str, ...] = ()
    depth: int = 1
    expand: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    where: Conditions = field(default_factory=Conditions)

    @property
    def is_plain(self) -> bool:
        """Whether it is the overview of the whole."""
        return not (self.focus or self.expand or self.also) and self.where == Conditions()


def surroundings(access: Access, view: View, *, at: int | None = None) -> Overview:
    """At most `limit` entities and what `expand` and `also` add; eight statements at most."""
    read = _Reading(access, view.where, at)
    if view.focus:
        ids = read.around(view.focus, view.depth, view.limit)
    else:
        ranked = _RANKED_BY_EDGES if view.where.on_edges else _RANKED
        ids = read.ids(ranked, limit=view.limit)
    ids = list(dict.fromkeys([*ids, *(to_uuid("ent", one) for one in (*view.expand, *view.also))]))
    if view.expand:
        expanded = [to_uuid("ent", one) for one in view.expand]
        ids += read.ids(_NEXT, ids=expanded, seen=ids, limit=EXPANDED * len(expanded))
    edges = read.rows(_EDGES, ids=ids, limit=EDGES_LIMIT + 1)
    return Overview(
        nodes=named_then(access, read.nodes(ids), at=at),
        edges=read_edges(edges[:EDGES_LIMIT], ids),
        total=int(read.rows(_COUNT)[0][0]),
        edges_cut=len(edges) > EDGES_LIMIT,
    )


class _Reading:
    """One picture's statements: the same bank, conditions and instant in each."""

    def __init__(self, access: Access, where: Conditions, at: int | None) -> None:
        self.at = at
        self.values: dict[str, Any] = {"bank": to_uuid("bank", access.bank.id), "at": at}
        self.values |= where.values()
        alive, edge = _NOW if at is None else THEN, where.edge_sql(then=at is not None)
        # What a memory or a declaration of then backs stood then: it isn't looked up twice.
        counted = edge if at is not None and where.on_backing else f"{alive} AND {edge}"
        self.parts = {
            "alive": alive,
            "counted": counted,
            "stands": _STANDS_NOW if at is None else _STOOD,
            "kind": where.kind_sql(),
            "cut": "" if where.type else _CUT,
        }

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement.format(**self.parts), self.values | values)
            return list(cursor.fetchall())

    def ids(self, statement: str, **values: Any) -> list[Any]:
        return [row[0] for row in self.rows(statement, **values)]

    def around(self, focus: Sequence[str], depth: int, limit: int) -> list[Any]:
        """Breadth first, the best connected of each step first, until there is no more room."""
        seen = [to_uuid("ent", one) for one in focus]
        edge = seen
        for _ in range(depth):
            room = limit - len(seen)
            if not edge or room <= 0:
                break
            edge = self.ids(_NEXT, ids=edge, seen=seen, limit=room)
            seen = [*seen, *edge]
        return seen

    def nodes(self, ids: Sequence[Any]) -> tuple[Node, ...]:
        """Best connected first; in the past with the degree of then."""
        degrees = {}
        if self.at is not None:
            degrees = {row[0]: int(row[1]) for row in self.rows(_DEGREES_THEN, ids=ids)}
        found = [
            Node(
                id=from_uuid("ent", row[0]),
                name=row[1],
                type=row[2],
                degree=int(row[3]) if self.at is None else degrees.get(row[0], 0),
            )
            for row in self.rows(_NODES, ids=ids)
        ]
        return tuple(sorted(found, key=lambda node: (-node.degree, node.id)))
