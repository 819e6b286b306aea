"""The default embedder and what all embedders promise."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding import caching, embed_cached, get_embedder, registry, weights
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.providers.embedding.onnx import OnnxEmbedder
from memory_app.providers.embedding.sentence_transformers import SentenceTransformersEmbedder
from memory_app.providers.reranking import MaxSimReranker

ODD_TEXTS = [
    "",
    " ",
    "x" * 9_900,
    "🦊" * 9_900,
    "lone \ud83d surrogate",
    "nul \x00 inside",
    "word " * 40_000,
    "認証方式を変えた",
]


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def minilm(model_cache: Path) -> OnnxEmbedder:
    return OnnxEmbedder(weights.find_minilm(), cache=model_cache)


def _build_in(cache: str) -> str:
    return str(weights.int8_graph(weights.find_minilm(), Path(cache)))


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_text_of_any_content_gets_a_vector_of_length_one(minilm: OnnxEmbedder, text: str) -> None:
    vector = minilm.embed([text])

    assert vector.shape == (1, 384)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


def test_like_texts_are_nearer_than_unlike_ones(minilm: OnnxEmbedder) -> None:
    first, like, unlike = minilm.embed(
        ["She moved to Lisbon.", "Her home is in Lisbon now.", "The build fails on the linter."]
    )

    assert first @ like > 0.6
    assert first @ unlike < 0.3


def test_a_vector_does_not_depend_on_the_texts_beside_it(minilm: OnnxEmbedder) -> None:
    alone = minilm.embed(["short one"])[0]
    in_company = minilm.embed(["a much longer text " * 20, "short one", "and another"])[1]

    assert np.array_equal(alone, in_company)


def test_very_long_words_stay_distinguishable(minilm: OnnxEmbedder) -> None:
    first, second = minilm.embed(["ab" * 2_000, "qz" * 2_000])

    assert first @ second < 0.99


def test_fits_is_false_beyond_the_window_and_for_unknown_characters(minilm: OnnxEmbedder) -> None:
    assert minilm.fits("A short statement.")
    assert not minilm.fits("word " * 300)
    assert not minilm.fits("\U0001f98a\U0001f98b")


def test_no_texts_give_no_rows(minilm: OnnxEmbedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


def test_a_spent_budget_is_unavailable(minilm: OnnxEmbedder) -> None:
    with pytest.raises(Unavailable):
        minilm.embed(["anything"], timeout=0)


def test_eight_threads_get_the_same_vectors(minilm: OnnxEmbedder) -> None:
    texts = [f"statement number {number}" for number in range(16)]
    expected = minilm.embed(texts)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: minilm.embed([text])[0], texts))

    assert np.array_equal(np.stack(found), expected)


def test_two_processes_building_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        paths = pool.map(_build_in, [str(tmp_path), str(tmp_path)])

    assert paths[0] == paths[1]
    assert [path.name for path in tmp_path.glob("*.onnx")] == [Path(paths[0]).name]


def test_a_damaged_graph_in_the_cache_is_built_again(tmp_path: Path, minilm: OnnxEmbedder) -> None:
    graph = weights.int8_graph(weights.find_minilm(), tmp_path)
    graph.write_bytes(b"damaged")

    vector = OnnxEmbedder(weights.find_minilm(), cache=tmp_path).embed(["hello"])

    assert vector[0] @ minilm.embed(["hello"])[0] == pytest.approx(1.0, abs=1e-4)


def test_other_weights_than_the_pinned_ones_are_refused(tmp_path: Path) -> None:
    for name in weights.MINILM_SHA256:
        (tmp_path / name).write_bytes(b"something else")
    pretended = weights.ModelFolder(
        name="all-minilm-l6-v2", path=tmp_path, sha256=weights.MINILM_SHA256["model.safetensors"]
    )

    with pytest.raises(Unavailable, match="not the file that was pinned"):
        weights.int8_graph(pretended, tmp_path / "cache")


def test_a_bank_of_an_unknown_model_is_told_so() -> None:
    with pytest.raises(Unavailable, match="doesn't run"):
        get_embedder("another-model:fp16:00000000")


def test_the_settings_choose_one_embedder_for_the_process() -> None:
    registry.forget_embedders()

    assert get_embedder() is get_embedder()
    assert get_embedder(get_embedder().model_id) is get_embedder()


def test_a_text_seen_before_is_not_embedded_again() -> None:
    class Counting(HashingEmbedder):
        asked = 0

        def embed(self, texts, **options):  # type: ignore[no-untyped-def]
            self.asked += len(texts)
            return super().embed(texts, **options)

    embedder = Counting(64)
    texts = ["cached one", "cached two", "cached one"]

    first = embed_cached(embedder, texts, "passage")
    second = embed_cached(embedder, texts, "passage")

    assert embedder.asked == 2
    assert np.array_equal(first, second)


def test_maxsim_prefers_the_text_that_answers(minilm: OnnxEmbedder) -> None:
    scores = MaxSimReranker(minilm).score(
        "Where does Ana live?", ["The budget was cut.", "Ana lives in Porto."]
    )

    assert scores[1] > scores[0]


def test_a_cache_that_is_down_costs_an_inference_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def down(*arguments: object, **options: object) -> None:
        raise ConnectionError("refused")

    monkeypatch.setattr(caching.cache, "get_many", down)
    monkeypatch.setattr(caching.cache, "set_many", down)

    assert embed_cached(HashingEmbedder(64), ["a text"], "query").shape == (1, 64)


@pytest.mark.slow
def test_sentence_transformers_loads_the_same_model_from_its_folder(minilm: OnnxEmbedder) -> None:
    pytest.importorskip("sentence_transformers")
    whole = SentenceTransformersEmbedder(str(weights.find_minilm().path))

    texts = ["She moved to Lisbon.", "x" * 9_900, "lone \ud83d surrogate"]

    assert whole.dimensions == 384
    assert whole.model_id != minilm.model_id
    assert whole.embed(texts).shape == (3, 384)
    assert whole.embed(texts)[0] @ minilm.embed(texts)[0] > 0.98
