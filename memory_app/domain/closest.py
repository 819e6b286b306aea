"""Which of many vectors are closest to given ones: exact, in memory, growing row by row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)

# Rows are looked through in blocks: only those with the highest maxima are sorted.
_BLOCK = 64
# Scores that are in memory at once; 32 MB.
_SCORES = 8_000_000


def as_stored(vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, d) as the database compares them: rounded to half precision, of length one."""
    halves = vectors.astype(np.float16).astype(np.float32)
    lengths = np.linalg.norm(halves, axis=1, keepdims=True)
    made: np.ndarray = halves / np.maximum(lengths, 1e-9)
    return made


class Closest(Generic[Key]):
    """Vectors of length one by key; a key may have several. 4 bytes a number."""

    def __init__(self) -> None:
        self._vectors = np.zeros((0, 0), np.float32)
        # None where a row was dropped.
        self._keys: list[Key | None] = []
        self._places: dict[Key, list[int]] = {}
        self._dropped: list[int] = []

    def __len__(self) -> int:
        return len(self._places)

    def add(self, keys: Sequence[Key], vectors: np.ndarray) -> None:
        """Append a row for each key; `vectors` are of length one (`as_stored`)."""
        if not keys:
            return
        begin, end = len(self._keys), len(self._keys) + len(keys)
        if end > len(self._vectors):
            self._grow(end, vectors.shape[1])
        self._vectors[begin:end] = vectors
        self._keys.extend(keys)
        for place, key in enumerate(keys, begin):
            self._places.setdefault(key, []).append(place)

    def drop(self, keys: Iterable[Key]) -> None:
        """Forget every row of these keys; unknown ones are no matter."""
        for key in keys:
            for place in self._places.pop(key, ()):
                self._keys[place] = None
                self._dropped.append(place)

    def best(
        self, vectors: np.ndarray, *, limit: int, least: float = -2.0
    ) -> Iterator[list[tuple[Key, float]]]:
        """For each of `vectors` (n, d) its `limit` closest rows at or above `least`, best first."""
        asked_at_once = max(1, _SCORES // max(1, len(self._vectors)))
        for start in range(0, len(vectors), asked_at_once):
            yield from self._best(vectors[start : start + asked_at_once], limit, least)

    def _best(
        self, vectors: np.ndarray, limit: int, least: float
    ) -> Iterator[list[tuple[Key, float]]]:
        if not self._keys:
            yield from ([] for _ in vectors)
            return
        # Whole blocks: what stands behind the last row counts as dropped.
        used = -(-len(self._keys) // _BLOCK) * _BLOCK
        scores = vectors @ self._vectors[:used].T
        scores[:, [*self._dropped, *range(len(self._keys), used)]] = -np.inf
        for row, places in zip(scores, _highest(scores, limit), strict=True):
            found = ((place, float(row[place])) for place in places if row[place] >= least)
            yield [(key, score) for place, score in found if (key := self._keys[place]) is not None]

    def _grow(self, rows: int, dimensions: int) -> None:
        size = -(-max(rows, 2 * len(self._vectors)) // _BLOCK) * _BLOCK
        grown = np.zeros((size, dimensions), np.float32)
        if self._keys:
            grown[: len(self._keys)] = self._vectors[: len(self._keys)]
        self._vectors = grown


def _highest(scores: np.ndarray, limit: int) -> np.ndarray:
    """The places of the `limit` highest of each row, best first, equals in their order.

    They stand in the `limit` blocks with the highest maxima, so nothing else is sorted.
    """
    rows, width = scores.shape
    blocks = scores.reshape(rows, width // _BLOCK, _BLOCK)
    places = np.arange(width).reshape(width // _BLOCK, _BLOCK)
    if blocks.shape[1] > limit:
        top = np.argpartition(-blocks.max(axis=2), limit - 1, axis=1)[:, :limit]
        top.sort(axis=1)
        chosen = blocks[np.arange(rows)[:, None], top].reshape(rows, -1)
        named = places[top].reshape(rows, -1)
    else:
        chosen, named = scores, np.broadcast_to(places.reshape(-1), scores.shape)
    order = np.argsort(-chosen, axis=1, kind="stable")[:, :limit]
    return np.take_along_axis(named, order, axis=1)
