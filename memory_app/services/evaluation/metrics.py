"""How good an order of turns is: hit@1, hit@10, recall@10, MRR and session@10."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_app.services.evaluation.corpora import Question

DEPTH = 30
NAMES = ("hit@1", "hit@10", "recall@10", "MRR", "session@10")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One result: the turns that its memory stands for (several, where they merged)."""

    turns: frozenset[str]
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One question's figures; None where the question cites nothing of that kind."""

    type: str
    values: tuple[float | None, ...]


def score(question: Question, results: Sequence[Place]) -> Score:
    """Turn level inside the first 10 results, MRR inside the first 30.

    recall@10 = cited turns found / cited turns; session@10 = gold sessions found / gold sessions.
    """
    first = next(
        (rank for rank, place in enumerate(results[:DEPTH], 1) if place.turns & question.turns),
        None,
    )
    head = results[:10]
    found = frozenset().union(*(place.turns for place in head)) & question.turns
    sessions = frozenset().union(*(place.sessions for place in head)) & question.sessions
    by_turn = (
        (float(first == 1), float(bool(found)), len(found) / len(question.turns), _inverse(first))
        if question.turns
        else (None, None, None, None)
    )
    by_session = len(sessions) / len(question.sessions) if question.sessions else None
    return Score(type=question.type, values=(*by_turn, by_session))


def means(scores: Iterable[Score]) -> dict[str, float | None]:
    """Micro averages by name, over the questions that have the figure."""
    columns = list(zip(*(row.values for row in scores), strict=True)) or [()] * len(NAMES)
    averages: dict[str, float | None] = {}
    for name, column in zip(NAMES, columns, strict=True):
        known = [value for value in column if value is not None]
        averages[name] = sum(known) / len(known) if known else None
    return averages


def _inverse(rank: int | None) -> float:
    return 0.0 if rank is None else 1 / rank
