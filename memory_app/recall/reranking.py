"""The head of the list once more, by a model that reads query and text together. Off by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_app.providers.reranking import Reranker
from memory_app.recall.loading import load
from memory_app.recall.scope import Scope

WEIGHT = 0.5


def rerank(
    scope: Scope,
    reranker: Reranker,
    text: str,
    order: Sequence[str],
    scores: Mapping[str, float],
) -> list[str]:
    """The first `depth` of the order, by fused score and reranker together, then the rest.

    Both count on a scale from the worst to the best of these. One statement for the texts.
    """
    head = list(order[: reranker.depth])
    if len(head) < 2:
        return list(order)
    loaded = load(scope, head)
    known = [memory_id for memory_id in head if memory_id in loaded]
    judged = reranker.score(text, [loaded[memory_id].memory.content for memory_id in known])
    first = _scaled([scores.get(memory_id, 0.0) for memory_id in known])
    second = _scaled([float(value) for value in judged])
    total = {
        memory_id: (1 - WEIGHT) * fused + WEIGHT * again
        for memory_id, fused, again in zip(known, first, second, strict=True)
    }
    # `sorted` is stable: what ties keeps the order of the fusion.
    return [*sorted(known, key=lambda memory_id: -total[memory_id]), *order[len(head) :]]


def _scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]
