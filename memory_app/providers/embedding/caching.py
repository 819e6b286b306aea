"""Vectors remembered in Django's cache by text and model: a repeated query costs no inference."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from django.core.cache import cache

from memory_app.providers.embedding.protocol import Embedder, Kind, Vectors

_SECONDS = 24 * 3600


def embed_cached(
    embedder: Embedder, texts: Sequence[str], kind: Kind, *, timeout: float | None = None
) -> Vectors:
    """As `embedder.embed`, asking the model only for texts it hasn't seen for a day.

    Two round trips to the cache at most. Raises `Unavailable` as the embedder does.
    """
    if not texts:
        return np.zeros((0, embedder.dimensions), np.float32)
    keys = [_key(embedder.model_id, kind, text) for text in texts]
    known: dict[str, bytes] = cache.get_many(set(keys))
    unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if unknown:
        made = embedder.embed(list(unknown.values()), kind=kind, timeout=timeout)
        fresh = {key: vector.tobytes() for key, vector in zip(unknown, made, strict=True)}
        cache.set_many(fresh, _SECONDS)
        known |= fresh
    return np.stack([np.frombuffer(known[key], dtype=np.float32) for key in keys])


def _key(model_id: str, kind: Kind, text: str) -> str:
    digest = hashlib.sha256(f"{model_id}\x00{kind}\x00{text}".encode("utf-8", "replace"))
    return f"vector:{digest.hexdigest()}"
