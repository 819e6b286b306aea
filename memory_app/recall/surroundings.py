"""What stands beside the best candidates: their age, the turns before and after, what has retired.

People and agents say things over several turns: the answer often stands beside the words of the
question. So a memory that was written in a session gets a share of the better of its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_app.recall.scope import Scope

SHARE = 0.25
_RETIRED_COUNTED = 500

# The candidates by their keys one by one, the retired by the order of their own index: so these stay
# look-ups where a planner has no statistics yet.
_STATEMENT = """
WITH top AS MATERIALIZED (
  SELECT m.id, m.session, extract(epoch FROM coalesce(m.observed_at, m.created_at))::float8 AS happened
  FROM unnest(%(ids)s::uuid[]) AS wanted(id) JOIN LATERAL (
    SELECT m.id, m.session, m.observed_at, m.created_at
    FROM memories m WHERE m.bank_id = %(bank)s AND m.id = wanted.id OFFSET 0) AS m ON true
)
SELECT top.id::text, NULL::text, top.happened, NULL::float FROM top
UNION ALL
SELECT near.id::text, top.id::text, near.happened, (
    SELECT 1 - min(c.embedding <=> %(vector)s::halfvec) FROM cells c
    WHERE c.memory_id = near.id AND {cells})
FROM top CROSS JOIN LATERAL (
  (SELECT m.id, extract(epoch FROM coalesce(m.observed_at, m.created_at))::float8 AS happened FROM memories m
   WHERE m.bank_id = %(bank)s AND m.session = top.session
     AND m.session <> '' AND m.id < top.id AND {memories}
   ORDER BY m.id DESC LIMIT 1)
  UNION ALL
  (SELECT m.id, extract(epoch FROM coalesce(m.observed_at, m.created_at))::float8 AS happened FROM memories m
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
  SELECT 1 FROM (
    SELECT m.id FROM memories m
    WHERE m.bank_id = %(bank)s AND m.retired_at IS NOT NULL AND {memories}
    ORDER BY m.dedupe_key OFFSET 0) m
  JOIN cells c ON c.bank_id = %(bank)s AND c.memory_id = m.id
  WHERE 1 - (c.embedding <=> %(vector)s::halfvec) >= %(floor)s
  GROUP BY m.id LIMIT %(most)s
) r"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """When each memory looked at happened (unix seconds: cheaper to read than dates), who is beside
    whom, and the cosines of the neighbours.
    """

    happened: Mapping[str, float]
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
            cells=scope.cells(filtered=False), memories=_standing(scope), retired=retired
        ),
        ids=list(top),
        vector=vector,
        floor=floor,
        most=_RETIRED_COUNTED,
    )
    happened: dict[str, float] = {}
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


def _standing(scope: Scope) -> str:
    """The condition on a neighbour. Not retired and not in the bin is said in one, since the indexes
    over current memories know nothing of sessions and must not be taken.
    """
    parts = scope.standing()
    if "retired" in parts:
        del parts["retired"]
        parts["bin"] = "coalesce(m.deleted_at, m.retired_at) IS NULL"
    return " AND ".join((parts | scope.conditions()).values())


def lend(scores: Mapping[str, float], beside: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """What each memory gets from its better neighbour."""
    return {
        memory_id: SHARE * max(scores.get(neighbour, 0.0) for neighbour in neighbours)
        for memory_id, neighbours in beside.items()
    }
