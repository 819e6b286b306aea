"""The default embedder: all-MiniLM-L6-v2 in int8 on onnxruntime, no torch.

Texts run one at a time. Dynamic quantisation picks one scale for a whole batch, so in a batch the
vector of a text would depend on its neighbours (cosine down to 0.974 against itself, in reach of
the duplicate threshold), and on one thread a batch is no faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding import weights
from memory_app.providers.embedding.protocol import Budget, Kind, Vectors, encodable, normalized

_SENTENCE, _TOKENS = "sentence_embedding", "token_embeddings"
_LONG_WORD = re.compile(r"\S{65,}")
_CHARACTERS_A_TOKEN = 64  # a word longer than that is cut, so no token stands for more
_WINDOW = 256
_SHORT = 1_000  # characters
_RECALLED = 1_024  # two batches of an import, about a megabyte


class OnnxEmbedder:
    """A BERT sentence encoder from a folder of weights; loaded at the first text."""

    def __init__(self, folder: weights.ModelFolder, *, cache: Path, threads: int = 1) -> None:
        self._folder = folder
        self._cache = cache
        self._threads = threads
        self.model_id = f"{folder.name}:int8:{folder.sha256[:8]}"
        self.max_tokens = _WINDOW
        self.single_core = threads == 1

    @cached_property
    def dimensions(self) -> int:
        if self._folder.sha256 == weights.MINILM_SHA256["model.safetensors"]:
            return 384
        return int(self.embed(["probe"]).shape[1])

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        budget = Budget.of(timeout)
        rows = []
        for text in texts:
            budget.check()
            rows.append(self._run(_SENTENCE, self._identifiers(text))[0])
        return normalized(np.stack(rows)) if rows else np.zeros((0, self.dimensions), np.float32)

    def embed_tokens(self, text: str) -> Vectors:
        """One vector for each token inside the frame, for late interaction; shape (tokens, d)."""
        inner = self._run(_TOKENS, self._identifiers(text))[0][1:-1]
        return normalized(inner) if len(inner) else np.zeros((0, self.dimensions), np.float32)

    def count_tokens(self, text: str) -> int:
        return len(self._encoded(text))

    def fits(self, text: str) -> bool:
        """False too for a text with characters that the vocabulary lacks: all get one token."""
        found = self._encoded(text)
        return len(found) <= self.max_tokens and self._unknown not in found

    def _identifiers(self, text: str) -> Sequence[int]:
        found = self._encoded(text[: self.max_tokens * _CHARACTERS_A_TOKEN])
        return (
            found if len(found) <= self.max_tokens else [*found[: self.max_tokens - 1], found[-1]]
        )

    def _encoded(self, text: str) -> Sequence[int]:
        return self._recalled(text) if len(text) <= _SHORT else self._encode(text)

    def _encode(self, text: str) -> Sequence[int]:
        found: Sequence[int] = self._tokenizer.encode(_breakable(text)).ids
        return found

    @cached_property
    def _recalled(self) -> Callable[[str], Sequence[int]]:
        """A save asks whether a text fits and embeds it right after: it is read once for both."""
        return lru_cache(_RECALLED)(self._encode)

    def _run(self, output: str, identifiers: Sequence[int]) -> Any:
        ids = np.array([identifiers], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        return self._session.run([output], feed)[0]

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder.path / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _unknown(self) -> int | None:
        found: int | None = self._tokenizer.token_to_id("[UNK]")
        return found

    @cached_property
    def _session(self) -> Any:
        try:
            from onnxruntime.capi.onnxruntime_pybind11_state import (
                Fail,
                InvalidGraph,
                InvalidProtobuf,
            )
        except ImportError as missing:
            raise Unavailable(
                "onnxruntime is not installed.", hint="Install requirements-core.txt."
            ) from missing
        try:
            return self._open(weights.int8_graph(self._folder, self._cache))
        except (Fail, InvalidGraph, InvalidProtobuf):  # the file on the disk is damaged
            return self._open(weights.int8_graph(self._folder, self._cache, again=True))

    def _open(self, path: Path) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])


def _breakable(text: str) -> str:
    """The text with very long words cut: the tokenizer gives one token for all of such a word."""
    return _LONG_WORD.sub(lambda word: _cut(word.group()), encodable(text))


def _cut(word: str) -> str:
    size = _CHARACTERS_A_TOKEN
    return " ".join(word[start : start + size] for start in range(0, len(word), size))
