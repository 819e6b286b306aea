"""What can be computed from a bank's canonical rows, computed again while the bank is served.

Every batch is a transaction of its own that holds the bank's lock, so a round that is stopped goes
on where it was, and a memory that was edited meanwhile is left as its edit made it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet
from pgvector import HalfVector

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.lexemes import count_words
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import Cell, Entity, EntityProbe, Memory
from memory_app.providers.embedding import get_embedder
from memory_app.queries.access import Access, resolve
from memory_app.services import ledger
from memory_app.services.graph.weaving import settle_degrees
from memory_app.services.memories import storing
from memory_app.services.memories.embedding import embed_texts, embedded_text

BATCH = 64
DEGREES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a round is; `last` is the id to go on behind."""

    what: str
    done: int
    last: str


Report = Callable[[Progress], object]


def fill_vectors(actor: Actor, bank: str, *, report: Report = lambda _: None) -> int:
    """Make the vectors that cells and entity texts lack; how many. Raises `Unavailable`.

    Memories that still wait for their first indexing are left to it, since it also compares them.
    """
    return _cells(actor, bank, every=False, after=None, report=report) + _probes(
        actor, bank, every=False, after=None, report=report
    )


def rebuild(
    actor: Actor, bank: str, *, after: str | None = None, report: Report = lambda _: None
) -> int:
    """Make every vector and every word list again, of cells behind `after`; how many rows."""
    return _cells(actor, bank, every=True, after=after, report=report) + _probes(
        actor, bank, every=True, after=None, report=report
    )


def recount_degrees(actor: Actor, bank: str) -> int:
    """Correct the degrees of live entities from their relationships; how many were wrong."""
    after, wrong = None, 0
    while True:
        with acting_as(actor):
            access = resolve(actor, bank)
            access.require("full")
            with ledger.opened(access) as book:
                rows = Entity.objects.filter(bank_id=access.bank.id, until=None).order_by("id")
                batch = list((rows if after is None else rows.filter(id__gt=after))[:DEGREES])
                before = [entity.degree for entity in batch]
                settle_degrees(book, batch)
        if not batch:
            return wrong
        wrong += sum(old != row.degree for old, row in zip(before, batch, strict=True))
        after = batch[-1].id


def _cells(actor: Actor, bank: str, *, every: bool, after: str | None, report: Report) -> int:
    done = 0
    while True:
        with acting_as(actor):
            access = resolve(actor, bank)
            access.require("full")
            waiting: QuerySet[Any] = Cell.objects.filter(
                bank_id=access.bank.id, memory__indexed_at__isnull=False
            )
            batch = _next(
                waiting.annotate(head=F("memory__head_watermark")), every=every, after=after
            )
            memories = _memories(access, batch)
        if not batch:
            return done
        texts = [embedded_text(memories[cell.memory_id].title, cell.text) for cell in batch]
        vectors = embed_texts(get_embedder(access.bank.embedding_model), texts, timeout=None)
        done += _write_cells(access, batch, vectors)
        after = batch[-1].id
        report(Progress(what="cells", done=done, last=after))


def _write_cells(access: Access, batch: Sequence[Any], vectors: Any) -> int:
    written = 0
    with acting_as(access.actor), ledger.opened(access) as book:
        memories = _memories(access, batch)
        for cell, vector in zip(batch, vectors, strict=True):
            memory = memories.get(cell.memory_id)
            if memory is None or memory.head_watermark != cell.head:
                continue
            document = storing.document_of(memory, cell.text)
            written += Cell.objects.filter(
                bank_id=access.bank.id, id=cell.id, digest=cell.digest
            ).update(
                embedding=HalfVector(vector),
                compact=len(vector) <= COMPACT_DIMENSIONS,
                words=storing.words_of(document, language=book.bank.text_search),
                length=count_words(document),
            )
    return written


def _probes(actor: Actor, bank: str, *, every: bool, after: str | None, report: Report) -> int:
    done = 0
    while True:
        with acting_as(actor):
            access = resolve(actor, bank)
            probes: QuerySet[Any] = EntityProbe.objects.filter(bank_id=access.bank.id)
            batch = _next(probes, every=every, after=after)
        if not batch:
            return done
        texts = [probe.text for probe in batch]
        vectors = embed_texts(get_embedder(access.bank.embedding_model), texts, timeout=None)
        with acting_as(actor), ledger.opened(access):
            for probe, vector in zip(batch, vectors, strict=True):
                done += EntityProbe.objects.filter(
                    bank_id=access.bank.id, id=probe.id, text=probe.text
                ).update(embedding=HalfVector(vector), compact=len(vector) <= COMPACT_DIMENSIONS)
        after = batch[-1].id
        report(Progress(what="entity texts", done=done, last=after))


def _next(rows: QuerySet[Any], *, every: bool, after: str | None) -> list[Any]:
    if not every:
        rows = rows.filter(embedding=None)
    if after is not None:
        rows = rows.filter(id__gt=after)
    return list(rows.order_by("id").defer("embedding")[:BATCH])


def _memories(access: Access, cells: Sequence[Any]) -> dict[Any, Memory]:
    wanted = {cell.memory_id for cell in cells}
    found = Memory.objects.filter(bank_id=access.bank.id, id__in=wanted)
    return {memory.id: memory for memory in found}
