"""One model and one judge for the tests of what the write path does alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from memory_app.providers.embedding.onnx import OnnxEmbedder
from memory_app.providers.embedding.weights import find_minilm
from memory_app.providers.judging import Pair, Verdict, build_judge
from memory_app.writing.plan import Bars, Candidate, Plan, make_plan, pairs_to_judge

BARS = Bars()

Weigh = Callable[[str, str], tuple[float, Verdict]]
Decide = Callable[[str, str], Plan]


@pytest.fixture(scope="session")
def weigh(tmp_path_factory: pytest.TempPathFactory) -> Weigh:
    """The cosine of two texts and what the judge says of them."""
    cache = tmp_path_factory.mktemp("models")
    embedder = OnnxEmbedder(find_minilm(), cache=cache)
    judge = build_judge("ensemble", embed=embedder.embed, cache=cache)
    vectors: dict[str, np.ndarray] = {}

    def vector(text: str) -> np.ndarray:
        if text not in vectors:
            vectors[text] = embedder.embed([text])[0]
        return vectors[text]

    def weighed(old: str, new: str) -> tuple[float, Verdict]:
        cosine = float(vector(old) @ vector(new))
        return cosine, judge.judge([Pair(old=old, new=new, cosine=cosine)])[0]

    return weighed


@pytest.fixture(scope="session")
def decide(weigh: Weigh) -> Decide:
    """What would be done with a new statement beside one stored one, without a database."""

    def decided(old: str, new: str) -> Plan:
        cosine, verdict = weigh(old, new)
        stored = Candidate(memory_id="old", text=old, cosine=cosine)
        asked = pairs_to_judge(new, [stored], BARS)
        return make_plan(new, [stored], {one.memory_id: verdict for one in asked}, BARS)

    return decided
