"""The second half of a save that had no time for its vectors: the same plan, later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pgvector import HalfVector

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.hashing import dedupe_key
from memory_app.domain.values import Draft
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import Cell, Memory
from memory_app.providers.embedding import get_embedder
from memory_app.providers.judging import Verdict
from memory_app.queries.access import Access, resolve
from memory_app.services import ledger
from memory_app.services.jobs import enqueue
from memory_app.services.memories import comparing, storing
from memory_app.services.memories.embedding import Prepared, embed_texts, embedded_text
from memory_app.services.memories.saving import apply_plan
from memory_app.writing.plan import Plan


def index_pending(actor: Actor, bank: str, memory_ids: Sequence[str]) -> int:
    """Embed pending memories and carry out their plans; returns how many were indexed.

    Safe to run twice: what has its vectors already, or was edited meanwhile, is left alone. Raises
    `Unavailable` when the embedder is down; nothing is half-written then.
    """
    done = 0
    for memory_id in memory_ids:
        with acting_as(actor):
            access = resolve(actor, bank)
            found = _pending(access, memory_id)
        if found is None:
            continue
        memory, cells = found
        embedder = get_embedder(access.bank.embedding_model)
        texts = [embedded_text(memory.title, cell.text) for cell in cells]
        vectors = embed_texts(embedder, texts, timeout=None)
        item = Prepared(
            draft=Draft(content=memory.content, title=memory.title),
            key=dedupe_key(memory.content),
            cells=[cell.text for cell in cells],
            vectors=vectors,
        )
        done += _index_one(access, memory, cells, item)
    return done


def _index_one(access: Access, memory: Memory, cells: Sequence[Cell], item: Prepared) -> int:
    verdicts: dict[comparing.VerdictKey, Verdict] = {}
    # What came in by an import retires nothing, however late it is indexed (E9).
    judge = memory.import_id is None
    if judge:
        with acting_as(access.actor):
            near = comparing.candidates(access.bank, [item])
        unjudged = comparing.unjudged(access.bank, [item], near, verdicts)
        verdicts.update(comparing.judged(access.bank, unjudged))
    with acting_as(access.actor), ledger.opened(access) as book:
        current = _pending(access, memory.id)
        if current is None or current[0].head_watermark != memory.head_watermark:
            return 0
        near = comparing.candidates(book.bank, [item])
        memory = current[0]
        _write_vectors(book, memory, cells, item)
        plan = comparing.plan(book.bank, 0, item, near[0], comparing.Fresh(), verdicts, judge=judge)
        if plan.known_as is None:
            apply_plan(book, memory, _against_older(memory, plan))
            if judge:
                enqueue(access, "check_contradictions", into=book.pending, memory_ids=[memory.id])
            return 1
        twin = Memory.objects.get(bank_id=book.bank.id, id=plan.known_as)
        storing.unite_tags_inside(book, twin, memory.tags, reason="near-duplicate")
        storing.retire_inside(
            book, memory, reason="near-duplicate", superseded_by=twin, operation="merge"
        )
        return 1


def _against_older(memory: Memory, plan: Plan) -> Plan:
    """The plan without what was said after the memory, while it waited for its vectors."""
    touched = {*plan.retire, *(doubt.memory_id for doubt in plan.queue)}
    older = set(
        Memory.objects.filter(
            bank_id=memory.bank_id,
            id__in=touched,
            created_watermark__lt=memory.created_watermark,
        ).values_list("id", flat=True)
    )
    return replace(
        plan,
        retire=tuple(memory_id for memory_id in plan.retire if memory_id in older),
        queue=tuple(doubt for doubt in plan.queue if doubt.memory_id in older),
    )


def _pending(access: Access, memory_id: str) -> tuple[Memory, list[Cell]] | None:
    memory = Memory.objects.filter(
        bank_id=access.bank.id,
        id=memory_id,
        indexed_at=None,
        retired_at=None,
        deleted_at=None,
    ).first()
    if memory is None:
        return None
    cells = Cell.objects.filter(bank_id=access.bank.id, memory_id=memory_id, until=None)
    return memory, list(cells.order_by("position"))


def _write_vectors(
    book: ledger.Book, memory: Memory, cells: Sequence[Cell], item: Prepared
) -> None:
    vectors = [] if item.vectors is None else list(item.vectors)
    for cell, vector in zip(cells, vectors, strict=True):
        cell.embedding = HalfVector(vector)
        cell.compact = len(vector) <= COMPACT_DIMENSIONS
    Cell.objects.bulk_update(cells, ["embedding", "compact"], batch_size=200)
    memory.indexed_at = book.moment
    seq = book.append(
        "index",
        memory.id,
        before=memory.head_watermark,
        counters={"cells_re_embedded": len(cells)},
    )
    memory.head_watermark = seq
    memory.save(update_fields=["indexed_at", "head_watermark"])
