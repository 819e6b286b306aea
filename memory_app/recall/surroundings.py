"""What stands beside the best candidates: their age, the turns before and after, what has retired.

People and agents say things over several turns: the answer often stands beside the words of the
question. So a memory that was written in a session gets a share of the better of its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_app.recall.scope import Scope

SHARE = 0.25
_RETIRED_COUNTED = 500

_STATEMENT = """
WITH top AS MATERIALIZED (
  SELECT m.id, m.session, coalesce(m.observed_at, m.created_at) AS happened
  FROM memories m WHERE m.bank_id = %(bank)s AND m.id = ANY(%(ids)s::uuid[])
)
SELECT top.id::text, NULL::text, top.happened, NULL::float FROM top
UNION ALL
SELECT near.id::text, top.id::text, near.happened, (
    SELECT 1 - min(c.embedding <=> %(vector)s::halfvec) FROM cells c
    WHERE c.memory_id = near.id AND {cells})
FROM top CROSS JOIN LATERAL (
  (SELECT m.id, coalesce(m.observed_at, m.created_at) AS happened FROM memories m
   WHERE m.bank_id = %(bank)s AND m.session = top.session
     AND m.session <> '' AND m.id < top.id AND {memories}
   ORDER BY m.id DESC LIMIT 1)
  UNION ALL
  (SELECT m.id, coalesce(m.observed_at, m.created_at) AS happened FROM memories m
   WHERE m.bank_id = %(bank)s AND m.session = top.session
     AND m.session <> '' AND m.id > top.id AND {memories}
   ORDER BY m.id LIMIT 1)
) near
WHERE top.session <> ''
UNION ALL
SELECT NULL, NULL, NULL, ({retired})
"""

_RETIRED = """
SELECT count(*)::float FROM (
  SELECT 1 FROM memories m JOIN cells c ON c.bank_id = m.bank_id AND c.memory_id = m.id
  WHERE m.bank_id = %(bank)s AND m.retired_at IS NOT NULL AND {memories}
    AND 1 - (c.embedding <=> %(vector)s::halfvec) >= %(floor)s
  GROUP BY m.id LIMIT %(most)s
) r"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Ages of all memories looked at, who is beside whom, and the cosines of the neighbours."""

    happened: Mapping[str, datetime]
    beside: Mapping[str, Sequence[str]]
    cosines: Mapping[str, float | None]
    retired: int


def look(scope: Scope, top: Sequence[str], *, vector: str | None, floor: float) -> Surroundings:
    """One statement for all of it; two index probes for each candidate of a session.

    `retired` counts outdated memories whose cosine is at least `floor`: what an answer would have
    held, had they not been retired.
    """
    counts_retired = (
        vector is not None and not scope.filters.include_retired and scope.as_of is None
    )
    retired = _RETIRED.format(memories=scope.memories(live=False)) if counts_retired else "0"
    rows = scope.rows(
        _STATEMENT.format(
            cells=scope.cells(filtered=False), memories=scope.memories(), retired=retired
        ),
        ids=list(top),
        vector=vector,
        floor=floor,
        most=_RETIRED_COUNTED,
    )
    happened: dict[str, datetime] = {}
    beside: dict[str, list[str]] = {}
    cosines: dict[str, float | None] = {}
    suppressed = 0
    for memory_id, seed, instant, value in rows:
        if memory_id is None:
            suppressed = int(value)
            continue
        happened[memory_id] = instant
        if seed is not None:
            beside.setdefault(seed, []).append(memory_id)
            beside.setdefault(memory_id, []).append(seed)
            cosines[memory_id] = None if value is None else float(value)
    return Surroundings(happened=happened, beside=beside, cosines=cosines, retired=suppressed)


def lend(scores: Mapping[str, float], beside: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """What each memory gets from its better neighbour."""
    return {
        memory_id: SHARE * max(scores.get(neighbour, 0.0) for neighbour in neighbours)
        for memory_id, neighbours in beside.items()
    }
