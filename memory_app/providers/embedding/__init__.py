"""Text to vectors. Which model is a setting; a bank remembers the id of its own."""

from memory_app.providers.embedding.caching import embed_cached
from memory_app.providers.embedding.protocol import Embedder, Kind
from memory_app.providers.embedding.registry import get_embedder, served_models

__all__ = ["Embedder", "Kind", "embed_cached", "get_embedder", "served_models"]
