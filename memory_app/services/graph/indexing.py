"""Vectors of entity texts that a write had no time for."""

from __future__ import annotations

from collections.abc import Sequence

from pgvector import HalfVector

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import EntityProbe
from memory_app.providers.embedding import get_embedder
from memory_app.queries.access import resolve
from memory_app.services.ledger import Book


def unembedded(book: Book) -> list[str]:
    """The entities whose waiting probes have no vector yet."""
    rows = book.pending.rows.get(EntityProbe, [])
    return list(dict.fromkeys(row.entity_id for row in rows if row.embedding is None))


def index_probes(actor: Actor, bank: str, entity_ids: Sequence[str]) -> int:
    """Embed the probes of these entities that lack a vector; returns how many.

    Safe to run twice. Raises `Unavailable` when the embedder is down; nothing is half-written then.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        probes = list(
            EntityProbe.objects.filter(
                bank_id=access.bank.id, entity_id__in=entity_ids, embedding=None
            )
        )
    if not probes:
        return 0
    embedder = get_embedder(access.bank.embedding_model)
    vectors = embedder.embed([probe.text for probe in probes], kind="passage", timeout=None)
    for probe, vector in zip(probes, vectors, strict=True):
        probe.embedding = HalfVector(vector)
        probe.compact = len(vector) <= COMPACT_DIMENSIONS
    with acting_as(actor):
        EntityProbe.objects.bulk_update(probes, ["embedding", "compact"], batch_size=200)
    return len(probes)
