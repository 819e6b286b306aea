"""The shortest way between two entities over relationships in either direction. Inside `acting_as`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Relationship
from memory_app.queries.access import Access
from memory_app.queries.past import turn_entities_back
from memory_app.queries.standing import THEN

HOPS_LIMIT = 6
# So many relationships a step looks at; beyond that the heaviest stand for all.
EDGES_LIMIT = 50_000

_AROUND = """
SELECT r.id, r.source_id, r.target_id FROM relationships r
WHERE r.bank_id = %(bank)s AND (r.source_id = ANY(%(ids)s) OR r.target_id = ANY(%(ids)s))
  AND {alive}
ORDER BY r.weight DESC, r.id DESC LIMIT %(limit)s
"""

# Each entity reached, with the one before it and the relationship between; None at the start.
Reached = dict[UUID, tuple[UUID, UUID] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """Entity ids from one end to the other, and the relationship between each two in turn."""

    entities: tuple[str, ...]
    relationships: tuple[Relationship, ...]


def shortest(access: Access, source: str, target: str, *, at: int | None = None) -> Path | None:
    """At most six relationships long, over the heaviest where several are equal; None without one.

    Searched from both ends, a statement a step: six and two for the relationships at most.
    """
    start, goal = to_uuid("ent", source), to_uuid("ent", target)
    sides: tuple[Reached, Reached] = ({start: None}, {goal: None})
    edges: list[set[UUID]] = [{start}, {goal}]
    met = start if start == goal else None
    for _ in range(HOPS_LIMIT):
        if met is not None or not all(edges):
            break
        one = 0 if len(edges[0]) <= len(edges[1]) else 1
        edges[one] = _step(access, sides[one], edges[one], at)
        met = next((each for each in sorted(edges[one]) if each in sides[1 - one]), None)
    return None if met is None else _joined(access, sides, met, at)


def _step(access: Access, reached: Reached, ids: Iterable[UUID], at: int | None) -> set[UUID]:
    fresh: set[UUID] = set()
    here = set(ids)
    for edge, source, target in _around(access, here, at):
        for before, after in ((source, target), (target, source)):
            if before in here and after not in reached:
                reached[after] = (before, edge)
                fresh.add(after)
    return fresh


def _around(access: Access, ids: set[UUID], at: int | None) -> list[tuple[Any, ...]]:
    statement = _AROUND.format(alive="r.until IS NULL" if at is None else THEN)
    values: dict[str, Any] = {"ids": list(ids), "at": at, "limit": EDGES_LIMIT}
    with connection.cursor() as cursor:
        cursor.execute(statement, values | {"bank": to_uuid("bank", access.bank.id)})
        return list(cursor.fetchall())


def _joined(access: Access, sides: tuple[Reached, Reached], met: UUID, at: int | None) -> Path:
    first, last = _walk(sides[0], met), _walk(sides[1], met)
    entities = [*reversed([each for each, _ in first]), met, *(each for each, _ in last)]
    edges = [*reversed([edge for _, edge in first]), *(edge for _, edge in last)]
    ids = [from_uuid("rel", edge) for edge in edges]
    rows = {
        row.id: row
        for row in Relationship.objects.filter(bank_id=access.bank.id, id__in=ids).select_related(
            "source", "target"
        )
    }
    if at is not None:
        ends = [end for row in rows.values() for end in (row.source, row.target)]
        turn_entities_back(access.bank.id, ends, at)
    return Path(
        entities=tuple(from_uuid("ent", each) for each in entities),
        relationships=tuple(rows[each] for each in ids),
    )


def _walk(reached: Reached, met: UUID) -> list[tuple[UUID, UUID]]:
    """(entity, relationship that led from it) from the meeting point back to the start."""
    found = []
    step = reached[met]
    while step is not None:
        found.append(step)
        step = reached[step[0]]
    return found
