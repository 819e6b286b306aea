"""E5: what acts alone on hand-written pairs that no training or calibration has seen.

`judge_pairs.jsonl` was written apart from the templates. A pair acts alone when `ends` says so, or
the judge at 0.85 and more; a duplicate needs the guards' consent besides.
"""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from memory_app.providers.embedding.onnx import OnnxEmbedder
from memory_app.providers.embedding.weights import find_minilm
from memory_app.providers.judging import Pair, build_judge
from memory_app.providers.judging.cross_encoder import CrossEncoder
from memory_app.writing.changes import ends
from memory_app.writing.guards import same_statement

BAR = 0.85
PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "judge_pairs.jsonl")
    .read_text("utf-8")
    .splitlines()
]
STANDING = [
    ("Borehole BH-7 showed no benzene.", "Borehole BH-9 showed no benzene."),
    (
        "We picked SQLite over MySQL because deployment is simpler.",
        "We picked Svelte over React because bundles are smaller.",
    ),
    (
        "Use connection pooling for the report worker.",
        "Do not forget to size the connection pooling for the report worker.",
    ),
    ("Heap-1 retaining wall is 3 m high.", "Heap-2 retaining wall is 4 m high."),
    ("Borehole BH-7 showed benzene.", "Borehole BH-9 showed no benzene."),
    ("Ticket 4521 is closed.", "Ticket 4522 is open."),
    ("PR #12 adds a cache.", "PR #13 adds a queue."),
    ("Invoice 2001 was paid.", "Invoice 2002 was not paid."),
    ("Anna lives in Oslo.", "Bob lives in Rome."),
    ("User likes sushi.", "User likes pizza."),
    (
        "The harbour of district 0 employs 3 people.",
        "The harbour of district 1 employs 4 people.",
    ),
    (
        "The tramway of district 8 employs 11 people.",
        "The tramway of district 9 employs 12 people.",
    ),
    ("Back up the database nightly.", "Never forget to encrypt the database backup."),
]
RETIRED = [
    (
        "Tomas works as a data analyst at Northwind.",
        "Tomas has just started as a data analyst at Contoso.",
    ),
    ("Ravi is assigned to project Falcon.", "Ravi moved from project Falcon to project Heron."),
    ("Kit lives in Ayr.", "Kit moved from Ayr to Oban."),
    (
        "The stack is FastAPI, PostgreSQL and Redis.",
        "The stack has moved from PostgreSQL to MySQL.",
    ),
]


@pytest.fixture(scope="module")
def embedder(tmp_path_factory):
    return OnnxEmbedder(find_minilm(), cache=tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module", params=["features", "ensemble"])
def judge(request, embedder):
    return build_judge(request.param, embed=embedder.embed)


@pytest.fixture(scope="module")
def judged(judge, embedder):
    """What the judge says of every pair, and what would be done without a human (or "")."""
    pairs = [paired(embedder, row["old"], row["new"]) for row in PAIRS]
    best = [verdict.best for verdict in judge.judge(pairs)]
    done = [acts(pair.old, pair.new, *found) for pair, found in zip(pairs, best, strict=True)]
    return best, done


def paired(embedder, old, new):
    vectors = embedder.embed([old, new])
    return Pair(old=old, new=new, cosine=float(vectors[0] @ vectors[1]))


def acts(old, new, kind, probability):
    sure = probability >= BAR and (kind != "duplicate" or same_statement(old, new))
    return "supersedes" if ends(old, new) else kind if sure else ""


def test_what_acts_alone_is_right_in_95_of_100_and_covers_half(judged):
    _, done = judged
    alone = [(row["label"], kind) for row, kind in zip(PAIRS, done, strict=True) if kind]

    right = sum(label == kind for label, kind in alone)

    assert right / len(alone) >= 0.95
    assert len(alone) / len(PAIRS) >= 0.5


def test_what_changes_the_store_alone_is_right_in_95_of_100(judged):
    """A retired or folded memory matters more than a pair left alone."""
    _, done = judged
    changing = [
        (row["label"], kind)
        for row, kind in zip(PAIRS, done, strict=True)
        if kind in ("duplicate", "supersedes")
    ]

    assert sum(label == kind for label, kind in changing) / len(changing) >= 0.95


def test_probabilities_are_calibrated(judged):
    """Expected calibration error in ten equal bins."""
    best, _ = judged
    sure = np.array([probability for _, probability in best])
    right = np.array([kind == row["label"] for (kind, _), row in zip(best, PAIRS, strict=True)])
    bins = np.minimum((sure * 10).astype(int), 9)

    gaps = [
        abs(right[bins == each].mean() - sure[bins == each].mean()) * (bins == each).mean()
        for each in np.unique(bins)
    ]

    assert sum(gaps) <= 0.05


@pytest.mark.parametrize(("old", "new"), STANDING)
def test_reported_false_merges_and_retirements_do_not_happen(judge, embedder, old, new):
    """E4, E5: bug cases 002, 004 and 008."""
    found = judge.judge([paired(embedder, old, new)])[0].best

    assert not same_statement(old, new)
    assert acts(old, new, *found) in ("", "unrelated")


@pytest.mark.parametrize(("old", "new"), RETIRED)
def test_reported_stale_facts_are_retired(judge, embedder, old, new):
    """E5: bug cases 006, 010 and 012."""
    found = judge.judge([paired(embedder, old, new)])[0].best

    assert acts(old, new, *found) == "supersedes"


def test_four_pairs_cost_little_in_a_request(judge, embedder):
    """The write path judges at most four pairs inside a request. Far above what it takes alone,
    since other work shares the machine."""
    pairs = [paired(embedder, row["old"], row["new"]) for row in PAIRS[:4]]
    judge.judge(pairs)
    started = time.process_time()

    judge.judge(pairs)

    assert time.process_time() - started < 0.2


def test_statement_that_is_long_or_in_another_script_is_left_to_a_human(judge, embedder):
    pairs = [
        paired(embedder, "田中さんは東京に住んでいます。", "田中さんは大阪に住んでいます。"),
        paired(embedder, "Anna lives in Oslo. " * 20, "Anna moved from Oslo to Riga."),
    ]

    verdicts = judge.judge(pairs)

    assert all(verdict.best[0] == "unrelated" or verdict.best[1] < BAR for verdict in verdicts)


def test_a_damaged_graph_in_the_cache_is_built_again(tmp_path):
    encoder = CrossEncoder(cache=tmp_path)
    before = encoder.scores([("Anna lives in Oslo.", "Anna left Oslo.")])
    graph = next(tmp_path.glob("judge-*.onnx"))
    graph.write_bytes(graph.read_bytes()[:1000])

    after = CrossEncoder(cache=tmp_path).scores([("Anna lives in Oslo.", "Anna left Oslo.")])

    assert np.allclose(before, after)
