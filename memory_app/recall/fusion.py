"""Several ranked lists into one, by a strategy chosen by measurement (`docs/recall.md`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memory_app.recall.channels import Found
from memory_app.recall.values import FusionName

Channels = Mapping[str, Sequence[Found]]
Cosines = Mapping[str, float | None]
Scores = dict[str, float]

WEIGHTS = {"dense": 0.5, "lexical": 0.5, "keyword": 0.5, "graph": 0.1}
RANK_CONSTANT = 60


def weighted(
    channels: Channels, cosines: Cosines, weights: Mapping[str, float] = WEIGHTS
) -> Scores:
    """A weighted sum of each channel's scores on a scale from 0 to its best.

    The dense part counts for every memory whose cosine is known, also where only words found it.
    """
    total: Scores = {}
    for name, found in channels.items():
        scores = {row.memory_id: row.score for row in found}
        if name == "dense":
            scores = {key: cosine for key, cosine in cosines.items() if cosine is not None}
        best = max(scores.values(), default=0.0)
        if best > 0:
            factor, known = weights[name] / best, total.get
            for memory_id, score in scores.items():
                part = factor * score if score > 0 else 0.0
                total[memory_id] = known(memory_id, 0.0) + part
        else:
            for memory_id in scores:
                total.setdefault(memory_id, 0.0)
    return total


def reciprocal_rank(
    channels: Channels, cosines: Cosines, weights: Mapping[str, float] = WEIGHTS
) -> Scores:
    """The sum of 1 / (60 + rank) over the channels; the weights play no part."""
    total: Scores = {}
    for found in channels.values():
        for rank, row in enumerate(found, start=1):
            total[row.memory_id] = total.get(row.memory_id, 0.0) + 1 / (RANK_CONSTANT + rank)
    return total


STRATEGIES: dict[FusionName, Callable[[Channels, Cosines, Mapping[str, float]], Scores]] = {
    "weighted": weighted,
    "reciprocal_rank": reciprocal_rank,
}
