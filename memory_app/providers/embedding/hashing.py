"""Vectors from hashed words and letter groups: no weights, the same everywhere. For tests only."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from memory_app.providers.embedding.protocol import Budget, Kind, Vectors, normalized

_WORD = re.compile(r"\w+", re.UNICODE)
_GROUP_WEIGHT = 0.35


class HashingEmbedder:
    """Texts that share words or parts of words are near, all others are far."""

    def __init__(self, dimensions: int = 384) -> None:
        self.dimensions = dimensions
        self.model_id = f"hashing:{dimensions}"
        self.max_tokens = 100_000
        self.single_core = True

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        budget = Budget.of(timeout)
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            budget.check()
            for feature, weight in _features(text):
                digest = zlib.crc32(feature.encode("utf-8", "replace"))
                row[digest % self.dimensions] += weight if digest & 0x8000_0000 else -weight
        return normalized(rows) if len(texts) else rows

    def count_tokens(self, text: str) -> int:
        return len(_WORD.findall(text))

    def fits(self, text: str) -> bool:
        return self.count_tokens(text) <= self.max_tokens


def _features(text: str) -> Iterator[tuple[str, float]]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    for word in _WORD.findall(folded) or [folded]:
        yield word, 1.0
        framed = f"<{word[:200]}>"
        for start in range(max(1, len(framed) - 3)):
            yield framed[start : start + 4], _GROUP_WEIGHT
