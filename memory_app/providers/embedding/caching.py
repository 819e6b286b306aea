"""Vectors remembered in Django's cache by text and model: a repeated query costs no inference."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from django.core.cache import cache
from redis.exceptions import RedisError

from memory_app.providers.embedding.protocol import Embedder, Kind, Vectors

logger = logging.getLogger(__name__)

_SECONDS = 24 * 3600


def embed_cached(
    embedder: Embedder, texts: Sequence[str], kind: Kind, *, timeout: float | None = None
) -> Vectors:
    """As `embedder.embed`, asking the model only for texts it hasn't seen for a day.

    Two round trips to the cache at most; without a cache everything is embedded. Raises
    `Unavailable` as the embedder does.
    """
    if not texts:
        return np.zeros((0, embedder.dimensions), np.float32)
    keys = [_key(embedder.model_id, kind, text) for text in texts]
    known = _recalled(set(keys))
    unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if unknown:
        made = embedder.embed(list(unknown.values()), kind=kind, timeout=timeout)
        fresh = {key: vector.tobytes() for key, vector in zip(unknown, made, strict=True)}
        _remember(fresh)
        known |= fresh
    return np.stack([np.frombuffer(known[key], dtype=np.float32) for key in keys])


def _recalled(keys: Collection[str]) -> dict[str, bytes]:
    try:
        return dict(cache.get_many(keys))
    except (RedisError, OSError):
        logger.warning("vector_cache_unreachable")
        return {}


def _remember(vectors: Mapping[str, bytes]) -> None:
    try:
        cache.set_many(dict(vectors), _SECONDS)
    except (RedisError, OSError):
        logger.warning("vector_cache_unreachable")


def _key(model_id: str, kind: Kind, text: str) -> str:
    digest = hashlib.sha256(f"{model_id}\x00{kind}\x00{text}".encode("utf-8", "replace"))
    return f"vector:{digest.hexdigest()}"
