"""Figures of a judge on a file of pairs: alone, with the guards and `ends`, and its calibration.

A line is {"old", "new", "label"}, or {"a", "b", "label"} of a public set (entailment, neutral,
contradiction). Public sets show how far the judge generalises; nothing is trained on them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections import Counter
from pathlib import Path

import numpy as np
from embedding import KeptEmbedder

from memory_app.providers.judging import build_judge
from memory_app.writing.changes import ends
from memory_app.writing.guards import same_statement

BAR = 0.85
PUBLIC = {"entailment": "duplicate", "contradiction": "supersedes", "neutral": "unrelated"}


def rows(path: Path, source: str, limit: int) -> list[tuple[str, str, str]]:
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as lines:
        read = [json.loads(line) for line in lines]
    found = [
        (
            row.get("old", row.get("a")),
            row.get("new", row.get("b")),
            PUBLIC.get(row["label"], row["label"]),
        )
        for row in read
        if not source or row.get("src") == source
    ]
    found = [row for row in found if row[2] in PUBLIC.values()]
    random.Random(0).shuffle(found)
    return found[:limit]


def done_alone(old: str, new: str, kind: str, probability: float) -> str:
    """What the write path would do without a human, or nothing."""
    if ends(old, new):
        return "supersedes"
    sure = probability >= BAR and (kind != "duplicate" or same_statement(old, new))
    return kind if sure else ""


def calibration_error(sure: np.ndarray, right: np.ndarray) -> float:
    bins = np.minimum((sure * 10).astype(int), 9)
    return float(
        sum(
            abs(right[bins == each].mean() - sure[bins == each].mean()) * (bins == each).mean()
            for each in np.unique(bins)
        )
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--kind", default="ensemble", choices=["ensemble", "features"])
    parser.add_argument("--work", type=Path, required=True, help="folder for vectors and graphs")
    parser.add_argument("--source", default="", help="only this src of a public file")
    parser.add_argument("--limit", type=int, default=10_000)
    given = parser.parse_args()
    pairs = rows(given.file, given.source, given.limit)
    embed = KeptEmbedder(given.work)
    options = {"cache": given.work} if given.kind == "ensemble" else {}
    judge = build_judge(given.kind, embed=embed, **options)
    best = [verdict.best for verdict in judge.judge(embed.pairs([row[:2] for row in pairs]))]
    embed.keep()
    right = np.array([kind == row[2] for (kind, _), row in zip(best, pairs, strict=True)])
    sure = np.array([probability for _, probability in best])
    alone = [
        (row[2], kind)
        for row, found in zip(pairs, best, strict=True)
        if (kind := done_alone(row[0], row[1], *found))
    ]
    acting = [pair for pair in alone if pair[1] != "unrelated"]
    print(f"{given.kind}, {len(pairs)} pairs: accuracy {right.mean():.3f}")
    print(f"expected calibration error {calibration_error(sure, right):.3f}")
    for name, found in (("alone", alone), ("retired or folded alone", acting)):
        good = sum(label == kind for label, kind in found)
        print(
            f"{name}: {len(found)} ({len(found) / len(pairs):.3f}), right {good / max(1, len(found)):.3f}"
        )
    print(Counter(alone))
