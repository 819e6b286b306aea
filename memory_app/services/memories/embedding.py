"""A draft made ready for the database: cut into cells, embedded where there is time for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.conf import settings

from memory_app.domain.errors import Unavailable
from memory_app.domain.hashing import dedupe_key
from memory_app.domain.values import Draft
from memory_app.models import Bank
from memory_app.providers.embedding import Embedder, get_embedder
from memory_app.providers.embedding.sharing import embed_shared
from memory_app.writing.chunking import split

# A text of more cells than this is stored as pending and embedded in the background.
CELLS_IN_REQUEST = 40


@dataclass(slots=True, kw_only=True)
class Prepared:
    """A draft with its cells; `vectors` (cells, dimensions) is None while they are still to be
    made.
    """

    draft: Draft
    # Unique among live memories; None for what may be said twice.
    key: str | None
    cells: list[str]
    vectors: np.ndarray | None = None

    @property
    def whole(self) -> bool:
        """Whether one cell holds all of the text."""
        return len(self.cells) == 1


def prepare(bank: Bank, drafts: Sequence[Draft]) -> list[Prepared]:
    """Cut each draft into cells. No model is asked; about 50 microseconds a short text."""
    embedder = get_embedder(bank.embedding_model)
    return [
        Prepared(
            draft=draft,
            key=key_of(draft),
            cells=split(draft.content, chunker=bank.chunker, fits=embedder.fits),
        )
        for draft in drafts
    ]


def key_of(draft: Draft) -> str | None:
    """What the database keeps unique among live memories; None for what may be said twice."""
    return None if draft.identity is None else dedupe_key(draft.content, *draft.identity)


def embed(
    bank: Bank, prepared: Sequence[Prepared], *, probes: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """Fill in the vectors, all cells of the call and the entities' `probes` in one batch, inside the
    bank's time budget; answers the probes' vectors by text.

    What is too large for a request, and everything when the embedder is down or too slow, keeps
    `vectors=None`: it is stored as pending and indexed later.
    """
    now_due = [item for item in prepared if len(item.cells) <= CELLS_IN_REQUEST]
    if not now_due and not probes:
        return {}
    embedder = get_embedder(bank.embedding_model)
    texts = [embedded_text(item.draft.title, cell) for item in now_due for cell in item.cells]
    texts += probes
    # The budget is for one statement; a batch gets its proportion of it.
    budget = settings.WRITE_EMBED_SECONDS * max(1.0, len(texts) / 16)
    try:
        vectors = embed_texts(embedder, texts, timeout=budget)
    except Unavailable:
        return {}
    start = 0
    for item in now_due:
        item.vectors = vectors[start : start + len(item.cells)]
        start += len(item.cells)
    return dict(zip(probes, vectors[start:], strict=True))


def embed_texts(embedder: Embedder, texts: Sequence[str], *, timeout: float | None) -> np.ndarray:
    """Vectors of passages. Raises `Unavailable`."""
    return embed_shared(embedder, texts, kind="passage", timeout=timeout)


def embedded_text(title: str, cell: str) -> str:
    """What is embedded of a cell: the title and the content, nothing else."""
    return f"{title}\n{cell}" if title else cell
