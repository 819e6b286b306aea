from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

# A vector of more dimensions doesn't fit a row of the covering indexes.
COMPACT_DIMENSIONS = 1_200


def vector_text(values: Sequence[float]) -> str:
    """A vector as pgvector reads it. Five digits give every half-precision number back exactly.

    One format for the whole vector: half the time of formatting number by number.
    """
    return _form(len(values)) % tuple(values)


@lru_cache(maxsize=16)
def _form(dimensions: int) -> str:
    return "[" + ",".join(["%.5g"] * dimensions) + "]"
