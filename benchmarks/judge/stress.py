"""What becomes of pairs of memories: folded, retired, put to a person, or nothing, by their label.

The write path's own plan for one stored statement and a new one, then the second look that the
background job takes. A line is {"old", "new", "label"}; `series.jsonl` has templates instead.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from itertools import permutations
from pathlib import Path

from embedding import KeptEmbedder

from memory_app.providers.judging import Pair, Verdict, build_judge
from memory_app.writing.plan import Bars, Candidate, make_plan, pairs_to_judge

BARS = Bars()
FLOOR = 0.30  # of the second look, as in services/contradictions.py
WRONG = {
    ("unrelated", "known"): "false merge",
    ("supersedes", "known"): "false merge",
    ("unrelated", "retired"): "wrong retirement",
    ("duplicate", "retired"): "wrong retirement",
    ("supersedes", "stands"): "missed in silence",
    ("unrelated", "asked: contradiction"): "asked in vain",
    ("unrelated", "asked: duplicate"): "asked in vain",
}


def rows(path: Path) -> list[tuple[str, str, str]]:
    found = []
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        if "template" in row:
            pairs = permutations([row["template"].format(word) for word in row["words"]], 2)
            found += [(old, new, "unrelated") for old, new in pairs]
        else:
            found.append((row["old"], row["new"], row.get("label", "unrelated")))
    return found


def fate(pair: Pair, verdict: Verdict) -> str:
    """What becomes of the stored statement."""
    stored = Candidate(memory_id="old", text=pair.old, cosine=pair.cosine)
    asked = pairs_to_judge(pair.new, [stored], BARS)
    plan = make_plan(pair.new, [stored], {one.memory_id: verdict for one in asked}, BARS)
    if plan.known_as or plan.retire:
        return "known" if plan.known_as else "retired"
    if plan.queue:
        return f"asked: {plan.queue[0].kind}"
    kind, probability = verdict.best
    found = kind == "supersedes" and probability > BARS.verdict and pair.cosine >= FLOOR
    return "asked: contradiction" if found else "stands"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--kind", default="ensemble", choices=["ensemble", "features"])
    parser.add_argument("--work", type=Path, required=True, help="folder for vectors and graphs")
    parser.add_argument("--show", action="store_true", help="print every pair that went wrong")
    given = parser.parse_args()
    read = rows(given.file)
    embed = KeptEmbedder(given.work)
    options = {"cache": given.work} if given.kind == "ensemble" else {}
    judge = build_judge(given.kind, embed=embed, **options)
    pairs = embed.pairs([row[:2] for row in read])
    embed.keep()
    done = [fate(*both) for both in zip(pairs, judge.judge(pairs), strict=True)]
    labels = [row[2] for row in read]
    for (label, what), number in sorted(Counter(zip(labels, done, strict=True)).items()):
        print(f"{label:10} {what:20} {number:4} of {labels.count(label)}")
    wrong = [WRONG.get(both, "") for both in zip(labels, done, strict=True)]
    print(dict(Counter(filter(None, wrong))))
    for why, pair in sorted(zip(wrong, pairs, strict=True), key=lambda one: one[0]):
        if given.show and why:
            print(f"{why}: {pair.old} / {pair.new}")
