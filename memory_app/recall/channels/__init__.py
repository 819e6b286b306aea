"""The channels: each finds memories in its own way and scores them by its own measure.

A channel takes a scope and answers rows, best first; the engine puts them together.
"""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """A memory as one channel found it. `cosine` is set where the statement had it at hand.

    `memory_id` is the uuid as text, which hashes several times as fast as a UUID: a recall compares
    thousands of them. A tuple, since it makes hundreds, in a third of a data class's time.
    """

    memory_id: str
    score: float
    cosine: float | None = None
