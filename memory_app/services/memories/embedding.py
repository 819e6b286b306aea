"""A draft made ready for the database: cut into cells, embedded where there is time for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np
from django.conf import settings

from memory_app.domain.errors import Unavailable
from memory_app.domain.hashing import dedupe_key
from memory_app.domain.values import Draft
from memory_app.models import Bank
from memory_app.providers.embedding import Embedder, get_embedder
from memory_app.providers.embedding.sharing import Ahead, embed_shared
from memory_app.writing.chunking import split

# A text of more cells than this is stored as pending and embedded in the background.
CELLS_IN_REQUEST = 40


class Known(Protocol):
    """Vectors by text that were made before, all by the bank's model."""

    def find(self, text: str) -> np.ndarray | None: ...

    def keep(self, texts: Sequence[str], vectors: np.ndarray) -> None: ...


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
    bank: Bank,
    prepared: Sequence[Prepared],
    *,
    probes: Sequence[str] = (),
    known: Known | None = None,
    ahead: Ahead | None = None,
    patient: bool = False,
) -> dict[str, np.ndarray]:
    """Fill in the vectors, all cells of the call and the entities' `probes` in one batch, inside the
    bank's time budget; answers the probes' vectors by text.

    What is too large for a request, and everything when the embedder is down or too slow, keeps
    `vectors=None`: it is stored as pending and indexed later. What is `known` isn't made again, and
    what is made is kept there; what was begun `ahead` is taken where nothing else is missing. With
    `patient` nobody waits for an answer, and slow isn't too slow.
    """
    now_due = [item for item in prepared if len(item.cells) <= CELLS_IN_REQUEST]
    texts = [[embedded_text(item.draft.title, cell) for cell in item.cells] for item in now_due]
    # What is said twice is embedded once.
    wanted = dict.fromkeys([*chain.from_iterable(texts), *probes])
    made: dict[str, np.ndarray] = {}
    if known is not None:
        made = {text: found for text in wanted if (found := known.find(text)) is not None}
    missing = [text for text in wanted if text not in made]
    if missing:
        # The budget is for one statement; a batch gets its proportion of it.
        budget = None if patient else settings.WRITE_EMBED_SECONDS * max(1.0, len(missing) / 16)
        embedder = get_embedder(bank.embedding_model)
        try:
            if ahead is not None and ahead.serves(embedder, missing):
                vectors = ahead.vectors()
            else:
                vectors = embed_texts(embedder, missing, timeout=budget)
        except Unavailable:
            return {}
        made.update(zip(missing, vectors, strict=True))
        if known is not None:
            known.keep(missing, vectors)
    for item, cells in zip(now_due, texts, strict=True):
        item.vectors = np.stack([made[text] for text in cells])
    return {text: made[text] for text in probes}


def embed_texts(embedder: Embedder, texts: Sequence[str], *, timeout: float | None) -> np.ndarray:
    """Vectors of passages. Raises `Unavailable`."""
    return embed_shared(embedder, texts, kind="passage", timeout=timeout)


def embedded_text(title: str, cell: str) -> str:
    """What is embedded of a cell: the title and the content, nothing else."""
    return f"{title}\n{cell}" if title else cell
