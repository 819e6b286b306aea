"""Two models' answers side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.presenters.memories import Pointer
from memory_app.models import Memory
from memory_app.services.model_comparing import Compared


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView:
    """A memory in one model's answer; `alone` when the other one doesn't find it."""

    pointer: Pointer
    score: float
    alone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    question: str
    own: tuple[HitView, ...]
    other: tuple[HitView, ...]
    shared: int
    most: int


def present_comparison(
    compared: Sequence[Compared], point: Callable[[Memory], Pointer]
) -> tuple[ComparisonView, ...]:
    return tuple(
        ComparisonView(
            question=one.question,
            own=_hits(one.own, one.other, point),
            other=_hits(one.other, one.own, point),
            shared=one.shared,
            most=max(len(one.own), len(one.other)),
        )
        for one in compared
    )


def _hits(
    hits: Sequence[tuple[Memory, float]],
    others: Sequence[tuple[Memory, float]],
    point: Callable[[Memory], Pointer],
) -> tuple[HitView, ...]:
    found = {memory.id for memory, _ in others}
    return tuple(
        HitView(pointer=point(memory), score=score, alone=memory.id not in found)
        for memory, score in hits
    )
