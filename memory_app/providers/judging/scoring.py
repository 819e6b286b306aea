"""From figures to calibrated probabilities with numpy alone: a linear model and boosted trees.

The files in `weights/` are made by benchmarks/judge/train.py and name the features they expect by
number; a change to `features.py` needs a new training.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_app.providers.judging.features import Features
from memory_app.providers.judging.protocol import Verdict

WEIGHTS = Path(__file__).parent / "weights"
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureModel:
    """Two models of the same figures; each gives one row of log-probabilities for each pair."""

    mean: Scores
    scale: Scores
    coefficients: Scores  # (features, 3)
    intercept: Scores
    feature: npt.NDArray[np.int64]  # of each node of each tree: the feature it asks for,
    threshold: Scores  # the bound at or below which it goes left,
    left: npt.NDArray[np.int64]  # its children (a leaf is its own child)
    right: npt.NDArray[np.int64]
    value: Scores  # and what a leaf adds
    roots: npt.NDArray[np.int64]  # (rounds, 3)
    baseline: Scores
    depth: int

    def linear(self, features: Features) -> Scores:
        return log_softmax((features - self.mean) / self.scale @ self.coefficients + self.intercept)

    def boosted(self, features: Features) -> Scores:
        nodes = np.broadcast_to(self.roots.ravel(), (len(features), self.roots.size)).copy()
        rows = np.arange(len(features))[:, None]
        for _ in range(self.depth):
            goes_left = features[rows, self.feature[nodes]] <= self.threshold[nodes]
            nodes = np.where(goes_left, self.left[nodes], self.right[nodes])
        added = self.value[nodes].reshape(len(features), *self.roots.shape).sum(axis=1)
        return log_softmax(added + self.baseline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Weights of the sources' log-probabilities, fitted on pairs that no source was trained on."""

    weights: tuple[float, ...]
    bias: tuple[float, float, float]

    def mixed(self, sources: list[Scores]) -> Scores:
        """Log-probabilities of the sources taken together."""
        return log_softmax(self._weighed(sources))

    def margin(self, sources: list[Scores], besides: Scores) -> Scores:
        """How far the first sources alone, and what is added to them, put "unrelated" before the
        better of the other two.
        """
        weighed = self._weighed(sources) + besides
        found: Scores = weighed[:, 2] - weighed[:, :2].max(axis=1)
        return found

    def _weighed(self, sources: list[Scores]) -> Scores:
        pairs = zip(self.weights, sources, strict=False)  # the last may not have been asked
        return np.array(self.bias) + sum(weight * source for weight, source in pairs)


def verdicts(scores: Scores) -> list[Verdict]:
    """One verdict for each row of scores."""
    chances = np.exp(log_softmax(scores))
    return [
        Verdict(duplicate=float(row[0]), supersedes=float(row[1]), unrelated=float(row[2]))
        for row in chances
    ]


def log_softmax(scores: Any) -> Scores:
    """Row by row, in float64."""
    shifted = np.asarray(scores, dtype=np.float64)
    shifted = shifted - shifted.max(axis=1, keepdims=True)
    found: Scores = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found


@cache
def feature_model() -> FeatureModel:
    """The shipped model; read once a process, 2 ms."""
    with np.load(WEIGHTS / "features.npz", allow_pickle=False) as kept:
        found = {name: kept[name] for name in kept.files}
    return FeatureModel(depth=int(found.pop("depth")), **found)


@cache
def calibration(name: str) -> tuple[str, Calibration]:
    """The version of the training, and the calibration of that kind of judge."""
    kept = json.loads((WEIGHTS / "calibration.json").read_text("utf-8"))
    entry = kept[name]
    first, second, third = entry["bias"]
    return kept["version"], Calibration(
        weights=tuple(entry["weights"]), bias=(first, second, third)
    )
