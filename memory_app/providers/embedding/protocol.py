"""What every embedder offers, and the few steps that all of them share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from memory_app.domain.errors import Unavailable

Vectors = npt.NDArray[np.float32]
Kind = Literal["passage", "query"]


class Embedder(Protocol):
    """A model behind one id. Vectors of two ids never meet.

    `embed` answers float32 rows of length 1 in the order asked, whatever the texts hold: what a
    model can't see (beyond its window, unknown characters) is left out, and `fits` says so.
    """

    @property
    def model_id(self) -> str:
        """Name, quantisation and the first digits of the weights' sha256; known without loading."""

    @property
    def dimensions(self) -> int:
        """Length of a vector; for a model nobody measured yet, read from a probe."""

    @property
    def max_tokens(self) -> int:
        """The window: what lies beyond is not in the vector."""

    @property
    def single_core(self) -> bool:
        """Whether `embed` keeps one core busy and no more, and may be called from two threads."""

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        """Vectors of shape (n, d). Raises `Unavailable` when the model can't answer in time."""

    def count_tokens(self, text: str) -> int:
        """Tokens of the whole text, the two that frame it included."""

    def fits(self, text: str) -> bool:
        """Whether the vector stands for all of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The time that one call may take."""

    ends: float | None

    @classmethod
    def of(cls, seconds: float | None) -> Budget:
        return cls(ends=None if seconds is None else time.monotonic() + seconds)

    def remaining(self) -> float | None:
        return None if self.ends is None else self.ends - time.monotonic()

    def check(self) -> None:
        """Raises `Unavailable` once the time is over."""
        remaining = self.remaining()
        if remaining is not None and remaining <= 0:
            raise Unavailable(
                "Embedding took longer than the time it was given.",
                hint="Try again; the server is busy, or the text is very long.",
            )


def encodable(text: str) -> str:
    """The text with lone surrogates replaced: tokenizers and JSON refuse them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def normalized(vectors: npt.ArrayLike) -> Vectors:
    """Float32 rows of length 1; a row of zeros points along the first axis."""
    rows = np.array(vectors, dtype=np.float32, ndmin=2)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows[norms[:, 0] == 0, 0] = 1.0
    norms[norms == 0] = 1.0
    return np.asarray(rows / norms, dtype=np.float32)
