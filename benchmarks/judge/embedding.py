"""The product's own MiniLM for the training scripts, with every vector kept in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory_app.providers.embedding.onnx import OnnxEmbedder
from memory_app.providers.embedding.weights import find_minilm
from memory_app.providers.judging.protocol import Pair


class KeptEmbedder:
    """`embed` that asks the model once for each text, over runs too."""

    def __init__(self, cache: Path) -> None:
        self._model = OnnxEmbedder(find_minilm(), cache=cache)
        self._file = cache / "vectors.npz"
        self._known: dict[str, npt.NDArray[np.float32]] = {}
        if self._file.is_file():
            kept = np.load(self._file)
            self._known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        for text in dict.fromkeys(texts):
            if text not in self._known:
                self._known[text] = self._model.embed([text])[0].astype(np.float32)
        return np.stack([self._known[text] for text in texts])

    def pairs(self, rows: Sequence[tuple[str, str]]) -> list[Pair]:
        return [
            Pair(old=old, new=new, cosine=float(self([old])[0] @ self([new])[0]))
            for old, new in rows
        ]

    def keep(self) -> None:
        np.savez(
            self._file,
            texts=np.array(list(self._known), dtype=str),
            vectors=np.stack(list(self._known.values())).astype(np.float16),
        )
