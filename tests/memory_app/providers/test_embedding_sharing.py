"""Long lists of texts are embedded in two threads, and come back as if in one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.providers.embedding.protocol import Kind, Vectors
from memory_app.providers.embedding.sharing import SHARED_FROM, embed_shared

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
