"""By the graph: memories near the entities that a query names, by personalised PageRank.

The walk restarts at the query's entities and goes along mentions and relationships, so a memory
that names none of them is found through what it shares with one that does. It sees a bounded
neighbourhood and never the bank: four statements, each through an index.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_app.domain.names import name_key
from memory_app.recall.channels import Found
from memory_app.recall.scope import Scope

SEEDS = 8
GRAM = 4
QUERY_WORDS = 60
# Named by so many memories an entity tells nothing of what is asked about it.
HUB = 40
# What one walk sees: the memories of each seed, and of each further entity a few.
NEAR_ENTITIES = 300
NEAR_MEMORIES = 20
RESTART = 0.5
ROUNDS = 12

# Exact names and aliases by the unique indexes; the rarer an entity the more it says.
_NAMED = """
SELECT e.id, e.name_key FROM entities e
WHERE e.bank_id = %(bank)s AND e.name_key = ANY(%(grams)s) AND {entities}
UNION
SELECT x.entity_id, x.name_key FROM entity_aliases x
WHERE x.bank_id = %(bank)s AND x.name_key = ANY(%(grams)s) AND {aliases}
"""

_NEIGHBOURHOOD = """
WITH near AS (
  SELECT n.memory_id, n.entity_id FROM unnest(%(seeds)s::uuid[]) AS seed(id)
  CROSS JOIN LATERAL (
    SELECT n.memory_id, n.entity_id FROM mentions n
    WHERE n.bank_id = %(bank)s AND n.entity_id = seed.id AND {mentions}
    ORDER BY n.memory_id DESC LIMIT %(seed_memories)s) AS n
), beside AS (
  SELECT id FROM (
    SELECT n.entity_id AS id, count(*) AS shared FROM mentions n
    WHERE n.bank_id = %(bank)s AND n.memory_id = ANY(ARRAY(SELECT DISTINCT memory_id FROM near))
      AND {mentions}
    GROUP BY n.entity_id
    UNION ALL
    SELECT r.target_id, 1 FROM relationships r
    WHERE r.bank_id = %(bank)s AND r.source_id = ANY(%(seeds)s::uuid[]) AND {relationships}
    UNION ALL
    SELECT r.source_id, 1 FROM relationships r
    WHERE r.bank_id = %(bank)s AND r.target_id = ANY(%(seeds)s::uuid[]) AND {relationships}
  ) AS found
  WHERE id <> ALL(%(seeds)s::uuid[])
  GROUP BY id ORDER BY sum(shared) DESC, id LIMIT %(near_entities)s
)
SELECT memory_id::text, entity_id::text FROM near
UNION
SELECT n.memory_id::text, n.entity_id::text FROM beside
CROSS JOIN LATERAL (
  SELECT n.memory_id, n.entity_id FROM mentions n
  WHERE n.bank_id = %(bank)s AND n.entity_id = beside.id AND {mentions}
  ORDER BY n.memory_id DESC LIMIT %(near_memories)s) AS n
"""

_EDGES = """
SELECT r.source_id::text, r.target_id::text FROM relationships r
WHERE r.bank_id = %(bank)s AND r.source_id = ANY(%(ids)s::uuid[])
  AND r.target_id = ANY(%(ids)s::uuid[]) AND {relationships}
LIMIT 2000
"""

_VISIBLE = """
SELECT c.memory_id::text, 1 - min(c.embedding <=> %(vector)s::halfvec) FROM cells c
WHERE {cells} AND c.memory_id = ANY(%(ids)s::uuid[])
GROUP BY c.memory_id
"""

_WORD = re.compile(r"[^\s?!,;]+")


def search(scope: Scope, text: str, *, depth: int, vector: str | None) -> list[Found]:
    """The memories that a walk from the query's entities meets most often; none without entities.

    `cosine` is set where there is a vector.
    """
    seeds = _seeds(scope, text)
    if not seeds:
        return []
    standing = {"mentions": scope.stood("n"), "relationships": scope.stood("r")}
    pairs = scope.rows(
        _NEIGHBOURHOOD.format(**standing),
        seeds=list(seeds),
        seed_memories=HUB,
        near_entities=NEAR_ENTITIES,
        near_memories=NEAR_MEMORIES,
    )
    entities = list({entity for _, entity in pairs} | set(seeds))
    edges = scope.rows(_EDGES.format(**standing), ids=entities)
    shares = Counter(entity for _, entity in pairs)
    rare = {seed: weight / shares[seed] for seed, weight in seeds.items() if 0 < shares[seed] < HUB}
    if not rare:
        return []
    scores = walk(pairs + edges, rare)
    memories = {memory for memory, _ in pairs}
    best = sorted(memories, key=lambda one: (-scores[one], one))[: 2 * depth]
    visible = dict(scope.rows(_VISIBLE.format(cells=scope.cells()), ids=best, vector=vector))
    return [
        Found(
            memory_id=one,
            score=scores[one],
            cosine=None if visible[one] is None else float(visible[one]),
        )
        for one in best
        if one in visible
    ][:depth]


def walk(edges: Sequence[tuple[Any, Any]], seeds: Mapping[str, float]) -> dict[str, float]:
    """How often a walk that restarts at the seeds stands at each node; sums to 1.

    Twelve rounds over the edges: with a restart of a half what is left out is under 0.0003.
    """
    names = list({node for edge in edges for node in edge} | set(seeds))
    places = {name: place for place, name in enumerate(names)}
    pairs = [(places[a], places[b]) for a, b in edges]
    ends: npt.NDArray[np.int64] = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    source = np.concatenate([ends[:, 0], ends[:, 1]])
    target = np.concatenate([ends[:, 1], ends[:, 0]])
    degree = np.bincount(source, minlength=len(names)).astype(np.float64)
    start = np.zeros(len(names))
    for name, weight in seeds.items():
        start[places[name]] = weight
    start /= start.sum()
    at = start
    for _ in range(ROUNDS):
        share = np.divide(at, degree, out=np.zeros_like(at), where=degree > 0)
        moved = np.bincount(target, weights=share[source], minlength=len(names))
        lost = at[degree == 0].sum()
        at = RESTART * start + (1 - RESTART) * (moved + lost * start)
    return {name: float(at[places[name]]) for name in names}


def _seeds(scope: Scope, text: str) -> dict[str, float]:
    """Entities whose whole name stands in the query, with the length of the name in words."""
    words = _WORD.findall(text)[:QUERY_WORDS]
    grams = {
        name_key(" ".join(words[start : start + length]))
        for length in range(1, GRAM + 1)
        for start in range(len(words) - length + 1)
    }
    grams |= {gram[:-2] for gram in grams if gram.endswith("'s")}
    named = _NAMED.format(entities=scope.stood("e"), aliases=scope.alias_stood())
    rows = scope.rows(named, grams=sorted(grams - {""}))
    ranked = sorted(rows, key=lambda row: (-len(row[1]), row[1]))[:SEEDS]
    return {str(row[0]): float(len(row[1].split())) for row in ranked}
