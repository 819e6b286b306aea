"""What a second thread embeds comes back as if one had done it all."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.providers.embedding.protocol import Kind, Vectors
from memory_app.providers.embedding.sharing import SHARED_FROM, embed_ahead, embed_shared

TEXTS = [f"Room {number} holds {number * 3} chairs." for number in range(SHARED_FROM + 5)]


class Failing(HashingEmbedder):
    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        raise Unavailable("The model is down.")


def test_the_rows_stand_where_their_texts_stood() -> None:
    shared = embed_shared(HashingEmbedder(), TEXTS, kind="passage", timeout=None)

    assert np.array_equal(shared, HashingEmbedder().embed(TEXTS))


def test_a_failure_in_either_thread_is_the_callers() -> None:
    with pytest.raises(Unavailable):
        embed_shared(Failing(), TEXTS, kind="passage", timeout=None)


def test_lists_of_several_callers_at_once_keep_apart() -> None:
    lists = [[f"{text} Caller {caller}." for text in TEXTS] for caller in range(6)]

    with ThreadPoolExecutor(6) as callers:
        shared = list(
            callers.map(
                lambda texts: embed_shared(HashingEmbedder(), texts, kind="passage", timeout=30),
                lists,
            )
        )

    for texts, rows in zip(lists, shared, strict=True):
        assert np.array_equal(rows, HashingEmbedder().embed(texts))


class Held(HashingEmbedder):
    """Embeds once it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        self.let.wait(30)
        return super().embed(texts, kind=kind, timeout=timeout)


class Elsewhere(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.single_core = False


def test_a_text_begun_ahead_has_the_vector_it_would_have_had() -> None:
    begun = embed_ahead(HashingEmbedder(), TEXTS[0])

    assert begun is not None
    assert begun.serves(HashingEmbedder(), [TEXTS[0]])
    assert not begun.serves(HashingEmbedder(), [TEXTS[1]])
    assert not begun.serves(HashingEmbedder(), TEXTS[:2])
    assert not begun.serves(HashingEmbedder(64), [TEXTS[0]])
    assert np.array_equal(begun.vectors(), HashingEmbedder().embed(TEXTS[:1]))


def test_only_one_text_is_under_way_ahead() -> None:
    held = Held()
    first = embed_ahead(held, TEXTS[0])

    second = embed_ahead(held, TEXTS[1])
    held.let.set()

    assert first is not None
    assert len(first.vectors()) == 1
    assert second is None


def test_a_failure_ahead_is_the_callers_and_frees_the_helper() -> None:
    failed = embed_ahead(Failing(), TEXTS[0])

    assert failed is not None
    with pytest.raises(Unavailable):
        failed.vectors()
    assert embed_ahead(HashingEmbedder(), TEXTS[0]) is not None


def test_a_model_that_runs_elsewhere_is_not_asked_ahead() -> None:
    assert embed_ahead(Elsewhere(), TEXTS[0]) is None


def test_a_text_begun_ahead_waits_behind_no_list_of_somebody_elses() -> None:
    held = Held()
    with ThreadPoolExecutor(1) as caller:
        listed = caller.submit(embed_shared, held, TEXTS, kind="passage", timeout=None)
        begun = embed_ahead(HashingEmbedder(), TEXTS[0])
        vectors = begun.made.result(10) if begun else None
        waiting = not listed.done()
        held.let.set()

    assert waiting
    assert vectors is not None
    assert len(listed.result()) == len(TEXTS)
