"""A second look at the head of a recall's list. Off by default: an inference for each text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from django.conf import settings

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding import get_embedder
from memory_app.providers.embedding.onnx import OnnxEmbedder


class Reranker(Protocol):
    """Scores texts against a query; higher is better, comparable within one call only."""

    @property
    def depth(self) -> int:
        """How many of the first hits are worth its cost."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One score for each text. Raises `Unavailable`."""


class MaxSimReranker:
    """Late interaction: for each token of the query the nearest token of the text, averaged.

    Uses the token vectors of the default embedder, so it needs no other weights; about 3 ms a text.
    """

    depth = 50

    def __init__(self, embedder: OnnxEmbedder) -> None:
        self._embedder = embedder

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        asked = self._embedder.embed_tokens(query)
        if not len(asked):
            return np.zeros(len(texts), np.float32)
        return np.array([self._nearest(asked, text) for text in texts], np.float32)

    def _nearest(self, asked: npt.NDArray[np.float32], text: str) -> float:
        tokens = self._embedder.embed_tokens(text)
        return float((asked @ tokens.T).max(axis=1).mean()) if len(tokens) else 0.0


def get_reranker() -> Reranker | None:
    """The reranker of the settings; None when recall goes without."""
    chosen = settings.RERANKER
    if chosen == "none":
        return None
    if chosen == "maxsim":
        embedder = get_embedder()
        if isinstance(embedder, OnnxEmbedder):
            return MaxSimReranker(embedder)
        raise Unavailable(
            "RERANKER=maxsim needs the token vectors of the onnx embedder.",
            hint="Set EMBEDDING_BACKEND=onnx, or RERANKER=none.",
        )
    raise Unavailable(f"RERANKER={chosen!r} is not known.", hint="Use none or maxsim.")
