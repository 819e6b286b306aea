"""What every judge takes and gives: two statements in, three calibrated probabilities out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Relation = Literal["duplicate", "supersedes", "unrelated"]
RELATIONS: tuple[Relation, ...] = ("duplicate", "supersedes", "unrelated")
Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A stored statement and a later one, with the cosine of their vectors."""

    old: str
    new: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How the new statement stands to the old one; the three sum to 1."""

    duplicate: float
    supersedes: float
    unrelated: float

    @property
    def best(self) -> tuple[Relation, float]:
        """The likeliest relation; of two equally likely ones the one that changes less."""
        ranked: tuple[tuple[Relation, float], ...] = (
            ("unrelated", self.unrelated),
            ("duplicate", self.duplicate),
            ("supersedes", self.supersedes),
        )
        return max(ranked, key=lambda relation: relation[1])


class Judge(Protocol):
    """One question for each pair. Raises `Unavailable` when it can't answer."""

    @property
    def id(self) -> str:
        """Kind and version: stored beside what a verdict did."""

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in the order asked."""


class NoJudge:
    """Judges nothing: every pair stands as it is."""

    id = "none"

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [Verdict(duplicate=0.0, supersedes=0.0, unrelated=1.0) for _ in pairs]
