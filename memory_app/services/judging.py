"""The judge of this process: built once a model, from the settings, at first use."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from memory_app.providers.embedding import embed_cached, get_embedder
from memory_app.providers.judging import Judge, build_judge


@lru_cache(maxsize=8)
def local_judge(model_id: str) -> Judge:
    """The judge that answers inside a request: never a language model, which only Celery asks."""
    kind = "ensemble" if settings.JUDGE["KIND"] == "llm" else settings.JUDGE["KIND"]
    embedder = get_embedder(model_id)
    options = {"cache": Path(settings.EMBEDDING["CACHE_DIR"])} if kind == "ensemble" else {}
    return build_judge(
        kind, embed=lambda texts: embed_cached(embedder, texts, "passage"), **options
    )
