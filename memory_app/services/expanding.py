"""Recall by word and by graph: keyword seeds and a named entity, expanded breadth-first (C3)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from accounts.actor import Actor
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import from_uuid, is_id, to_uuid
from memory_app.models import Memory
from memory_app.queries import expansion
from memory_app.queries.access import Access
from memory_app.queries.expansion import NODES_LIMIT, Context
from memory_app.recall import packing
from memory_app.recall.channels import dense, lexical
from memory_app.recall.loading import load
from memory_app.recall.scope import Scope, scope_of
from memory_app.recall.values import TOKEN_BUDGET, Filters, Hit, Query, Result
from memory_app.services import recalling, usage
from memory_app.services.graph import resolution

Vector = np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A memory of the answer. `score` is 2 for each word it holds, and 1 / (1 + distance)."""

    memory: Memory
    score: float
    distance: int
    cosine: float | None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """Ranked memories and the graph that they lie in; `distances` by the id of each node."""

    memories: tuple[Reached, ...]
    context: Context
    distances: Mapping[str, int]
    truncated: bool
    dropped: Mapping[str, int]
    recall_id: str


def recall(
    actor: Actor, bank: str | None, *, text: str, entity: str, hops: int, limit: int
) -> Expanded:
    """Memories that hold the words, or lie near the entity. One operation of the daily cap.

    An unknown entity gives no seed. Raises `InvalidArgument` when neither is given. About ten
    statements, and one more for each hop.
    """
    started = time.perf_counter()

    def asked(access: Access, vector: Vector | None) -> Expanded:
        if not text and not entity:
            raise InvalidArgument(
                "recall needs a query or an entity.",
                hint="Send query, entity or both; for the newest memories use recent.",
                field="query",
            )
        query = Query(
            text=text or None,
            mode="keyword",
            limit=limit,
            filters=Filters(about=(entity,) if entity else ()),
        )
        found = _expanded(access, text, entity, vector, hops=hops, limit=limit)
        usage.count_operations(actor, 1, "search")
        spent = (time.perf_counter() - started) * 1000
        logged = recalling.record(access, query, found.result, spent)
        return found.answer(logged.id)

    return recalling.reading(actor, bank, text or None, asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    reached: expansion.Expansion
    context: Context
    scores: Mapping[str, float]
    result: Result

    def answer(self, recall_id: str) -> Expanded:
        return Expanded(
            memories=tuple(
                Reached(
                    memory=hit.memory,
                    score=self.scores[hit.memory.id],
                    distance=self.reached.distances[hit.memory.id],
                    cosine=hit.score,
                    truncated=hit.truncated,
                )
                for hit in self.result.hits
            ),
            context=self.context,
            distances=self.reached.distances,
            truncated=self.reached.truncated or self.context.truncated,
            dropped=self.result.dropped,
            recall_id=recall_id,
        )


def _expanded(
    access: Access, text: str, entity: str, vector: Vector | None, *, hops: int, limit: int
) -> _Found:
    scope = scope_of(access, Query())
    terms = lexical.terms_of(scope, text) if text else []
    held = lexical.held(scope, terms, depth=NODES_LIMIT + 1)
    words = {_shown(row.memory_id): row.score for row in held}
    seeds = [*_named(access, entity), *words]
    reached = expansion.expand(access, seeds, hops=hops)
    scores = {
        node: 2 * words.get(node, 0.0) + 1 / (1 + reached.distances[node])
        for node in reached.of_kind("mem")
    }
    order = sorted(scores, key=lambda node: (scores[node], node), reverse=True)
    hits = _hits(scope, order[:limit], scores, words, vector)
    packed = packing.pack(hits, budget=TOKEN_BUDGET)
    dropped = {"limit": max(0, len(order) - limit), "tokens": packed.left_out}
    result = Result(
        hits=packed.hits,
        profile=False,
        dropped={reason: count for reason, count in dropped.items() if count},
        best_refused_score=None,
        timings={},
        tokens=packed.tokens,
        watermark=scope.watermark,
    )
    context = expansion.context_of(access, reached)
    return _Found(reached=reached, context=context, scores=scores, result=result)


def _named(access: Access, entity: str) -> list[str]:
    if not entity:
        return []
    if is_id("ent", entity):
        return list(resolution.by_ids(access.bank.id, [entity]))
    return [one.entity.id for one in resolution.by_names(access.bank.id, [entity]).values()]


def _hits(
    scope: Scope,
    order: Sequence[str],
    scores: Mapping[str, float],
    words: Mapping[str, float],
    vector: Vector | None,
) -> list[Hit]:
    ids = {node: str(to_uuid("mem", node)) for node in order}
    loaded = load(scope, list(ids.values()))
    near = {} if vector is None else dense.cosines(scope, vector, list(ids.values()))
    return [
        Hit(
            memory=loaded[ids[node]].memory,
            score=near.get(ids[node]),
            rank=rank,
            matched=("keyword",) if node in words else ("graph",),
            via="seed" if node in words else "graph",
            disputed_by=loaded[ids[node]].disputed_by,
            fused=scores[node],
        )
        for rank, node in enumerate(order, start=1)
        if ids[node] in loaded
    ]


def _shown(memory_id: str) -> str:
    return from_uuid("mem", UUID(memory_id))
