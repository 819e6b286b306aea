"""Any model that sentence-transformers can load, by name or folder. Needs torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding.protocol import Budget, Kind, Vectors, encodable, normalized
from memory_app.providers.embedding.weights import digest

_CHARACTERS_A_TOKEN = 32


class SentenceTransformersEmbedder:
    """A model in float32. Its prompts named `query` and `passage` (or `document`) are used."""

    def __init__(self, model: str, *, threads: int = 1, batch: int = 32) -> None:
        self._name = model
        self._threads = threads
        self._batch = batch

    @cached_property
    def model_id(self) -> str:
        folder = Path(self._name)
        weights = folder / "model.safetensors"
        if weights.is_file():
            return f"{folder.name}:fp32:{digest(weights)[:8]}"
        return f"{self._name}:fp32:{hashlib.sha256(self._name.encode()).hexdigest()[:8]}"

    single_core = False

    @cached_property
    def dimensions(self) -> int:
        return int(self.embed(["probe"]).shape[1])

    @cached_property
    def max_tokens(self) -> int:
        return int(self._model.max_seq_length or 512)

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        budget = Budget.of(timeout)
        limit = self.max_tokens * _CHARACTERS_A_TOKEN
        shortened = [encodable(text[:limit]) for text in texts]
        order = sorted(range(len(texts)), key=lambda place: len(shortened[place]))
        prompt = self._prompts.get(kind)
        rows: dict[int, Any] = {}
        for start in range(0, len(order), self._batch):
            budget.check()
            places = order[start : start + self._batch]
            found = self._model.encode(
                [shortened[place] for place in places],
                prompt_name=prompt,
                batch_size=self._batch,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
            rows.update(zip(places, found, strict=True))
        return normalized(np.stack([rows[place] for place in range(len(texts))]))

    def count_tokens(self, text: str) -> int:
        return len(self._model.tokenizer(encodable(text), verbose=False)["input_ids"])

    def fits(self, text: str) -> bool:
        return self.count_tokens(text) <= self.max_tokens

    @cached_property
    def _prompts(self) -> dict[str, str]:
        named = self._model.prompts or {}
        passage = next((name for name in ("passage", "document") if named.get(name)), None)
        query = "query" if named.get("query") else None
        return {kind: name for kind, name in (("query", query), ("passage", passage)) if name}

    @cached_property
    def _model(self) -> Any:
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as missing:
            raise Unavailable(
                "sentence-transformers is not installed.",
                hint="Install requirements.txt, or set EMBEDDING_BACKEND=onnx.",
            ) from missing
        torch.set_num_threads(self._threads)
        try:
            return SentenceTransformer(self._name, device="cpu")
        except (OSError, ValueError) as failure:
            raise Unavailable(
                f"The embedding model {self._name!r} could not be loaded: {failure}",
                hint="Check EMBEDDING_MODEL: an existing folder, or a name that can be downloaded.",
            ) from failure
