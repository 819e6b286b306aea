"""Train the judge: features, cross-encoder (see cross_encoder.py), calibration; write weights.

Trained on generated pairs only. Calibrated on dev_pairs.jsonl, written by hand, and on generated
pairs of another seed. tests/data/judge_pairs.jsonl is never read here.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import generate
import numpy as np
import numpy.typing as npt
from embedding import KeptEmbedder
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from memory_app.providers.judging.features import features_of
from memory_app.providers.judging.scoring import WEIGHTS, FeatureModel, log_softmax

Array = npt.NDArray[np.float64]
HOLD = 1500
HAND_WEIGHT = 30.0  # what a hand-written pair counts against a generated one


def dev_rows() -> list[generate.Row]:
    lines = (generate.HERE / "dev_pairs.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row["old"], row["new"], row["label"]) for row in rows]


def features(rows: Sequence[generate.Row], embed: KeptEmbedder) -> Array:
    return features_of(embed.pairs([(old, new) for old, new, _ in rows]))


def labels(rows: Sequence[generate.Row]) -> npt.NDArray[np.int64]:
    return np.array([generate.LABELS.index(label) for *_, label in rows])


def train_features(x: Array, y: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.generic]]:
    """Both models of the features, as the arrays of `FeatureModel`."""
    mean, scale = x.mean(0), x.std(0)
    scale[scale < 1e-9] = 1.0
    linear = LogisticRegression(C=0.1, max_iter=2000).fit((x - mean) / scale, y)
    trees = HistGradientBoostingClassifier(
        max_iter=90, learning_rate=0.07, max_leaf_nodes=12, min_samples_leaf=40,
        l2_regularization=1.0, random_state=0,
    ).fit(x, y)  # fmt: skip
    nodes: dict[str, list[float]] = {
        n: [] for n in ("feature", "threshold", "left", "right", "value")
    }
    roots, depth = [], 0
    for trio in trees._predictors:
        roots.append([])
        for tree in trio:
            start = len(nodes["value"])
            roots[-1].append(start)
            depth = max(depth, int(tree.nodes["depth"].max()))
            for place, node in enumerate(tree.nodes):
                leaf, here = bool(node["is_leaf"]), start + place
                nodes["feature"].append(0 if leaf else int(node["feature_idx"]))
                nodes["threshold"].append(0.0 if leaf else float(node["num_threshold"]))
                nodes["left"].append(here if leaf else start + int(node["left"]))
                nodes["right"].append(here if leaf else start + int(node["right"]))
                nodes["value"].append(float(node["value"]))
    return {
        "mean": mean, "scale": scale, "coefficients": linear.coef_.T, "intercept": linear.intercept_,
        "feature": np.array(nodes["feature"], np.int64), "threshold": np.array(nodes["threshold"]),
        "left": np.array(nodes["left"], np.int64), "right": np.array(nodes["right"], np.int64),
        "value": np.array(nodes["value"]), "roots": np.array(roots, np.int64),
        "baseline": np.asarray(trees._baseline_prediction).reshape(-1), "depth": np.array(depth),
    }  # fmt: skip


def calibrate(
    sources: list[Array], y: npt.NDArray[np.int64], weight: Array
) -> dict[str, list[float]]:
    """Weights (not negative) and biases of least log-loss, drawn a little to equal shares."""
    count = len(sources)

    def loss(parameters: Array) -> float:
        mixed = (
            sum(w * s for w, s in zip(parameters[:count], sources, strict=True))
            + parameters[count:]
        )
        chosen = log_softmax(mixed)[np.arange(len(y)), y]
        pull = (
            0.02 * ((parameters[:count] - 1 / count) ** 2).sum()
            + 0.02 * (parameters[count:] ** 2).sum()
        )
        return float(-(weight * chosen).sum() / weight.sum() + pull)

    start = np.concatenate([np.full(count, 1 / count), np.zeros(3)])
    bounds = [(0.0, 3.0)] * count + [(-1.5, 1.5)] * 3
    found = minimize(loss, start, bounds=bounds, method="L-BFGS-B").x
    return {"weights": found[:count].round(4).tolist(), "bias": found[count:].round(4).tolist()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder for vectors and logits")
    parser.add_argument("--pairs", type=int, default=8000)
    parser.add_argument("--version", default="1")
    given = parser.parse_args()
    embed = KeptEmbedder(given.work)
    train, hold, dev = generate.generate(given.pairs, 0), generate.generate(HOLD, 99), dev_rows()
    arrays = train_features(features(train, embed), labels(train))
    WEIGHTS.mkdir(exist_ok=True)
    np.savez_compressed(WEIGHTS / "features.npz", **arrays)
    model = FeatureModel(**{**arrays, "depth": int(arrays["depth"])})
    x, y = np.concatenate([features(hold, embed), features(dev, embed)]), labels([*hold, *dev])
    weight = np.array([1.0] * len(hold) + [HAND_WEIGHT] * len(dev))
    sources = [model.linear(x), model.boosted(x)]
    kept = {"version": given.version, "features": calibrate(sources, y, weight)}
    logits = [given.work / f"{name}_logits.npy" for name in ("hold", "dev")]
    if all(path.is_file() for path in logits):
        encoder = log_softmax(np.concatenate([np.load(path) for path in logits]))
        kept["ensemble"] = calibrate([*sources, encoder], y, weight)
    (WEIGHTS / "calibration.json").write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
    embed.keep()
    print(json.dumps(kept))
