"""Editing a memory under compare-and-set: changed wording is embedded again, the rest keeps its
vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pgvector import HalfVector

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import CasConflict, Conflict, InvalidArgument
from memory_app.domain.hashing import cell_digest, dedupe_key
from memory_app.domain.values import Changes, Draft
from memory_app.models import Cell, Memory
from memory_app.queries.access import Access, resolve
from memory_app.queries.memories import find
from memory_app.services import ledger
from memory_app.services.jobs import enqueue
from memory_app.services.memories import storing
from memory_app.services.memories.embedding import Prepared, embed, prepare
from memory_app.services.memories.repeating import refusing_repeats


def edit(
    actor: Actor,
    bank: str | None,
    reference: str,
    changes: Changes,
    *,
    expected_watermark: int | None,
    first: Callable[[ledger.Book, Memory], None] | None = None,
    also: Callable[[ledger.Book, Memory], None] | None = None,
) -> Memory:
    """Change fields of a memory. Needs `full`. `first` and `also` write what must commit with the
    edit, before it and after it.

    With an expected watermark the edit is refused when the memory has moved on (`CasConflict`,
    whose details hold the current watermark and content); None edits whatever is there. Cells whose
    text is unchanged keep their vectors. Raises `Conflict` when another live memory already says
    the new text.
    """
    fields = changes.named()
    if not fields and also is None and first is None:
        raise InvalidArgument(
            "The edit changes nothing.", hint="Send at least one field to change.", field="changes"
        )
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        memory = find(access, reference)
        _check_state(memory)
        _check_watermark(memory, expected_watermark)
        vectors_kept = _vectors_by_digest(memory) if "title" not in fields else {}
    item = _prepared(access, memory, fields, vectors_kept)
    refusing = refusing_repeats(
        "Another memory of this bank already says exactly this.",
        hint="Merge the two instead: retire one of them.",
        field="content",
    )
    with refusing, acting_as(actor), ledger.opened(access) as book:
        memory = find(access, memory.id)
        _check_state(memory)
        _check_watermark(memory, expected_watermark)
        if first is not None:
            first(book, memory)
        if fields:
            _write(book, memory, fields, item, vectors_kept)
        if also is not None:
            also(book, memory)
        return memory


def _check_state(memory: Memory) -> None:
    if memory.deleted_at is not None:
        raise Conflict(
            "This memory is in the bin.", hint="Restore it first, then edit it.", field="id"
        )


def _check_watermark(memory: Memory, expected: int | None) -> None:
    if expected is not None and expected != memory.head_watermark:
        raise CasConflict(
            f"The memory has changed since watermark {expected}; it is now at "
            f"{memory.head_watermark}.",
            hint="Read it again, decide what to do with the newer text, send the new watermark.",
            field="expected_watermark",
            details={"head_watermark": memory.head_watermark, "content": memory.content},
        )


def _vectors_by_digest(memory: Memory) -> dict[str, np.ndarray]:
    cells = Cell.objects.filter(
        bank_id=memory.bank_id, memory_id=memory.id, until=None, embedding__isnull=False
    )
    return {cell.digest: _array(cell.embedding) for cell in cells}


def _array(embedding: Any) -> np.ndarray:
    values = embedding.to_list() if isinstance(embedding, HalfVector) else embedding
    return np.asarray(values, dtype=np.float32)


def _prepared(
    access: Access, memory: Memory, fields: dict[str, Any], kept: dict[str, np.ndarray]
) -> Prepared | None:
    """Cells and vectors of the new wording; None when neither title nor content changes."""
    if not {"content", "title"} & set(fields):
        return None
    draft = Draft(
        content=fields.get("content", memory.content), title=fields.get("title", memory.title)
    )
    item = prepare(access.bank, [draft])[0]
    missing = [text for text in item.cells if cell_digest(text) not in kept]
    if not missing:
        item.vectors = np.stack([kept[cell_digest(text)] for text in item.cells])
        return item
    part = Prepared(draft=draft, key="", cells=missing)
    embed(access.bank, [part])
    if part.vectors is not None:
        made = dict(zip((cell_digest(text) for text in missing), part.vectors, strict=True))
        item.vectors = np.stack([(kept | made)[cell_digest(text)] for text in item.cells])
    return item


def _write(
    book: ledger.Book,
    memory: Memory,
    fields: dict[str, Any],
    item: Prepared | None,
    kept: dict[str, np.ndarray],
) -> None:
    before = {name: storing.body_of(memory).get(name) for name in fields}
    for name, value in fields.items():
        setattr(memory, name, list(value) if name == "tags" else value)
    columns = [*fields]
    if "observed_at" in fields:
        memory.observed_offset = storing.offset_minutes(memory.observed_at)
        memory.observed_text = ""
        columns += ["observed_offset", "observed_text"]
    if "content" in fields:
        memory.content_hash = storing.hash_of(memory.content, memory.stated, memory.props)
        if memory.dedupe_key is not None:
            identity = memory.stated.get("identity", ())
            memory.dedupe_key = dedupe_key(memory.content, *identity)
        columns += ["content_hash", "dedupe_key"]
    if item is not None:
        memory.indexed_at = book.moment if item.vectors is not None else None
        columns.append("indexed_at")
    after = {name: storing.body_of(memory).get(name) for name in fields}
    seq = book.append(
        "update",
        memory.id,
        before=memory.head_watermark,
        content={"before": before, "after": after},
        counters=_counters(item, kept),
    )
    storing.write_head(book, memory, seq, fields=columns)
    _write_cells(book, memory, item, seq)


def _write_cells(book: ledger.Book, memory: Memory, item: Prepared | None, seq: int) -> None:
    """New cells for a new wording of a live memory, else new words for the old ones."""
    language = book.bank.text_search
    if item is None:
        storing.rewrite_words(memory, language=language)
        return
    storing.close_cells([memory], until=seq)
    cells = storing.new_cells(memory, item.cells, item.vectors, since=seq, language=language)
    if memory.retired_at is not None:
        for new in cells:
            new.cell.live, new.cell.until = False, seq
    book.pending.add(*cells)
    if item.vectors is None:
        enqueue(book.access, "index_memories", memory_ids=[memory.id])


def _counters(item: Prepared | None, kept: dict[str, np.ndarray]) -> dict[str, int]:
    if item is None:
        return {}
    digests = [cell_digest(text) for text in item.cells]
    skipped = sum(digest in kept for digest in digests)
    return {
        "cells_skipped": skipped,
        "cells_re_embedded": len(digests) - skipped if item.vectors is not None else 0,
        "cells_added": max(0, len(digests) - len(kept)),
        "cells_removed": max(0, len(kept) - len(digests)),
    }
