"""One question through the channels to one answer. Computes only: no commit, no log, no embedding.

Statements: the newest 2, the profile 3, keyword 4, lookup 2, a search 5 whatever it finds; one more
each for `as_of`'s watermark and versions, and for a reranker's texts; up to four more for the graph.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt
from django.conf import settings

from memory_app.domain.vectors import vector_text
from memory_app.providers.clock import now
from memory_app.providers.reranking import get_reranker
from memory_app.queries.access import Access
from memory_app.recall import packing, surroundings
from memory_app.recall.channels import (
    Found,
    dense,
    graph,
    keyword,
    lexical,
    lookup,
    structural,
)
from memory_app.recall.freshness import preference
from memory_app.recall.fusion import STRATEGIES, WEIGHTS
from memory_app.recall.loading import load
from memory_app.recall.reranking import rerank
from memory_app.recall.scope import Scope, scope_of
from memory_app.recall.trace import Ranked, Seen, Trace
from memory_app.recall.values import TOKEN_BUDGET, ChannelScore, Hit, Query, Result

Vector = npt.NDArray[np.float32]

# How deep each channel reaches, and how many of the fused list get their surroundings looked at.
DEPTH = 200
LEAST_TOP = 20


@dataclass(slots=True)
class _Stopwatch:
    """Milliseconds by stage."""

    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self.stages[stage] = round(self.stages.get(stage, 0.0) + spent, 3)


def run(
    access: Access,
    query: Query,
    *,
    query_vector: Vector | None = None,
    trace: Trace | None = None,
) -> Result:
    """Answer a query inside the organization's transaction.

    `query_vector` is the text's vector by the bank's model; without one, words alone answer. A
    `trace` holds afterwards what the answer was made of.
    """
    watch = _Stopwatch()
    scope = scope_of(access, query)
    if query.is_profile:
        ranked = _listed("structural", _timed_profile(scope, query, watch), query)
    elif query.mode == "recent":
        with watch("recent"):
            found = structural.newest(scope, depth=query.limit)
        ranked = _listed("recent", found, query)
    elif query.mode == "lookup":
        with watch("lookup"):
            found = lookup.search(scope, query.text or "", depth=max(query.limit, 1))
        ranked = _listed("lookup", found, query)
    elif query.mode == "keyword":
        ranked = _by_keyword(scope, query, query_vector, watch)
    else:
        ranked = _searched(scope, query, query_vector, watch)
    with watch("load"):
        hits = _hits(scope, query, ranked)
    budget = query.max_tokens or TOKEN_BUDGET
    if trace is not None:
        trace.seen = Seen(query=query, scope=scope, ranked=ranked, hits=hits, budget=budget)
    packed = packing.pack(hits, budget=budget)
    dropped = dict(ranked.dropped)
    if packed.left_out:
        dropped["tokens"] = packed.left_out
    return Result(
        hits=packed.hits,
        profile=query.is_profile,
        dropped=dropped,
        best_refused_score=ranked.best_refused,
        timings=watch.stages,
        tokens=packed.tokens,
        watermark=scope.watermark,
    )


def _timed_profile(scope: Scope, query: Query, watch: _Stopwatch) -> list[Found]:
    with watch("structural"):
        return structural.search(scope, depth=query.limit)


def _listed(channel: str, found: Sequence[Found], query: Query) -> Ranked:
    order = [row.memory_id for row in found]
    return Ranked(order=order[: query.limit], channels={channel: found}, whole=order)


def _by_keyword(scope: Scope, query: Query, vector: Vector | None, watch: _Stopwatch) -> Ranked:
    """Those with every word of the text by BM25, then those that contain it, newest first."""
    text = query.text or ""
    asked = None if vector is None else vector_text(vector.tolist())
    depth = max(DEPTH, query.limit)
    with watch("terms"):
        terms = lexical.terms_of(scope, text)
    with watch("lexical"):
        by_word = lexical.search(scope, terms, depth=depth, vector=asked, every=True)
    with watch("keyword"):
        containing = keyword.search(scope, text, depth=depth)
    cosines = {row.memory_id: row.cosine for row in by_word}
    order = list(dict.fromkeys(row.memory_id for row in (*by_word, *containing)))
    kept, refused = _above(order, cosines, query)
    return Ranked(
        order=kept[: query.limit],
        fused={row.memory_id: row.score for row in by_word},
        cosines=cosines,
        channels={"lexical": by_word, "keyword": containing},
        dropped={"min_score": len(refused)} if refused else {},
        best_refused=_best(refused, cosines),
        whole=kept,
        refused=refused,
        terms=terms,
    )


def _searched(scope: Scope, query: Query, vector: Vector | None, watch: _Stopwatch) -> Ranked:
    """Dense and lexical candidates, fused; neighbours in a session lend; newer ones gain."""
    text = query.text or ""
    asked = None if vector is None else vector_text(vector.tolist())
    depth = max(DEPTH, query.limit)
    channels: dict[str, Sequence[Found]] = {}
    terms: Sequence[lexical.Term] = ()
    if vector is not None:
        with watch("dense"):
            channels["dense"] = dense.search(scope, vector, depth=depth)
    if query.mode == "hybrid" or vector is None:
        with watch("terms"):
            terms = lexical.terms_of(scope, text)
        with watch("lexical"):
            channels["lexical"] = lexical.search(scope, terms, depth=depth, vector=asked)
    if query.mode == "hybrid" and (settings.GRAPH_CHANNEL if query.graph is None else query.graph):
        with watch("graph"):
            channels["graph"] = graph.search(scope, text, depth=depth, vector=asked)
    cosines = {row.memory_id: row.cosine for found in reversed(channels.values()) for row in found}
    scores = STRATEGIES[query.fusion](channels, cosines, {**WEIGHTS, **query.weights})
    kept, refused = _above(_order(scores, cosines), cosines, query)
    with watch("surroundings"):
        top = kept[: max(LEAST_TOP, 2 * query.limit)]
        floor = min((cosines.get(row) or 0.0 for row in top[: query.limit]), default=0.0)
        around = surroundings.look(
            scope, top, vector=asked, floor=max(floor, query.min_score or 0.0, 0.01)
        )
    cosines |= {key: value for key, value in around.cosines.items() if key not in cosines}
    final, adjustments = _adjusted(scope, scores, around, query.as_of)
    order, late = _above(_order(final, cosines), cosines, query)
    if (reranker := get_reranker()) is not None:
        with watch("rerank"):
            order = rerank(scope, reranker, text, order, final)
    dropped = {"min_score": len({*refused, *late}), "retired": around.retired}
    return Ranked(
        order=order[: query.limit],
        fused=final,
        cosines=cosines,
        channels=channels,
        dropped={reason: count for reason, count in dropped.items() if count},
        best_refused=_best([*refused, *late], cosines),
        adjustments=adjustments,
        whole=order,
        refused=[*refused, *late],
        first=scores,
        looked=top,
        beside=around.beside,
        terms=terms,
    )


def _adjusted(
    scope: Scope,
    scores: Mapping[str, float],
    around: surroundings.Surroundings,
    asked_at: datetime | None,
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Fused scores of all that was looked at, with neighbours' shares and the bonus for newer.

    Newer than what was then, when an earlier instant was asked for.
    """
    lent = surroundings.lend(scores, around.beside)
    bank, instant = scope.bank, (asked_at or now()).timestamp()
    newer = {
        memory_id: preference(
            happened, instant, weight=bank.freshness_weight, days=bank.freshness_days
        )
        for memory_id, happened in around.happened.items()
    }
    final = {
        memory_id: (scores.get(memory_id, 0.0) + lent.get(memory_id, 0.0)) * factor
        for memory_id, factor in newer.items()
    }
    return final, {"neighbour": lent, "freshness": newer}


def _order(scores: Mapping[str, float], cosines: Mapping[str, float | None]) -> list[str]:
    """Best first; ties by cosine, then the newer."""
    known = cosines.get
    rows = [(score, known(key) or 0.0, key) for key, score in scores.items()]
    rows.sort(reverse=True)
    return [key for _, _, key in rows]


def _above(
    order: Sequence[str], cosines: Mapping[str, float | None], query: Query
) -> tuple[list[str], list[str]]:
    """What reaches the asked score, and what doesn't; without a vector nothing can reach it."""
    if query.min_score is None:
        return list(order), []
    kept: list[str] = []
    refused: list[str] = []
    for memory_id in order:
        cosine = cosines.get(memory_id)
        reached = cosine is not None and cosine >= query.min_score
        (kept if reached else refused).append(memory_id)
    return kept, refused


def _best(refused: Sequence[str], cosines: Mapping[str, float | None]) -> float | None:
    known = [cosine for row in refused if (cosine := cosines.get(row)) is not None]
    return max(known, default=None)


def _hits(scope: Scope, query: Query, ranked: Ranked) -> list[Hit]:
    loaded = load(scope, ranked.order)
    wanted = set(ranked.order)
    places: dict[str, dict[str, ChannelScore]] = {memory_id: {} for memory_id in ranked.order}
    for name, found in ranked.channels.items():
        for rank, row in enumerate(found, start=1):
            if row.memory_id in wanted:
                places[row.memory_id][name] = ChannelScore(rank=rank, score=row.score)
    hits = []
    for rank, memory_id in enumerate(ranked.order, start=1):
        entry = loaded.get(memory_id)
        if entry is None:  # deleted by another transaction since the channels ran
            continue
        hits.append(
            Hit(
                memory=entry.memory,
                score=ranked.cosines.get(memory_id),
                rank=rank,
                matched=tuple(places[memory_id]) or ("session",),
                channels=places[memory_id],
                adjustments={
                    name: values[memory_id]
                    for name, values in ranked.adjustments.items()
                    if query.explain and memory_id in values
                },
                disputed_by=entry.disputed_by,
                fused=ranked.fused.get(memory_id, 0.0),
            )
        )
    return _disputed_after(hits)


def _disputed_after(hits: Sequence[Hit]) -> list[Hit]:
    """A memory that another one disputes, while a person hasn't decided, never stands before it."""
    ordered = list(hits)
    for hit in hits:
        if not hit.disputed_by:
            continue
        places = [n for n, other in enumerate(ordered) if other.memory.id in hit.disputed_by]
        place = ordered.index(hit)
        if places and max(places) > place:
            ordered.insert(max(places), ordered.pop(place))
    return ordered
