"""Rows of a memory: made, closed and opened again inside a locked bank. No permission, no
decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
from django.db.models import Func, Q, Value
from pgvector import HalfVector

from memory_app.domain.hashing import cell_digest, content_hash
from memory_app.domain.ids import new_id
from memory_app.domain.lexemes import count_words, lexical_document
from memory_app.domain.text import slug, unite_tags
from memory_app.domain.times import iso
from memory_app.domain.values import Draft
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import Cell, Link, Memory, MemoryVersion
from memory_app.queries.insertion import NewCell
from memory_app.services.graph import pruning
from memory_app.services.ledger import Book
from memory_app.services.memories.embedding import Prepared

VERSIONED = (
    "title",
    "content",
    "category",
    "collection",
    "tags",
    "confidence",
    "source",
    "project",
    "session",
    "observed_text",
    "observed_offset",
    "props",
)


def new_memory(book: Book, item: Prepared, *, import_id: str | None = None) -> Memory:
    """An unsaved row for a draft; its ledger entry is appended by the caller with the id."""
    draft, moment = item.draft, book.moment
    memory_id = new_id("mem")
    return Memory(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        id=memory_id,
        slug=_slug(draft, memory_id),
        title=draft.title,
        content=draft.content,
        category=draft.category,
        collection=draft.collection,
        tags=list(draft.tags),
        observed_at=draft.observed_at,
        observed_offset=offset_minutes(draft.observed_at),
        observed_text=draft.observed_text,
        confidence=draft.confidence,
        source=draft.source,
        project=draft.project,
        session=draft.session,
        props=dict(draft.props),
        author=book.access.actor.id,
        author_name=book.access.actor.name[:120],
        tool=book.access.actor.tool,
        stated=stated_of(draft),
        content_hash=hash_of(draft.content, stated_of(draft), draft.props),
        dedupe_key=item.key,
        created_at=moment,
        updated_at=moment,
        indexed_at=moment if item.vectors is not None else None,
        import_id=import_id,
    )


def stated_of(draft: Draft) -> dict[str, Any]:
    """Entities and relations as the writer stated them, sorted, and what makes the text the same
    statement; empty parts left out.
    """
    entities = sorted([one.type, one.name] for one in draft.entities)
    relations = sorted([one.source, one.type, one.target] for one in draft.relations)
    parts = {
        "entities": entities,
        "relations": relations,
        "identity": list(draft.identity or ()),
    }
    return {name: part for name, part in parts.items() if part}


def hash_of(text: str, stated: Mapping[str, Any], props: Mapping[str, Any]) -> str:
    """The content hash of a memory from what is stored of it."""
    return content_hash(
        text,
        entities=tuple((kind, name) for kind, name in stated.get("entities", ())),
        relations=tuple((a, kind, b) for a, kind, b in stated.get("relations", ())),
        props=props,
    )


def _slug(draft: Draft, memory_id: str) -> str:
    """Readable words and the end of the id: stable, and no two memories share one."""
    words = slug(draft.title or draft.content[:80], fallback="memory")
    return f"{words}-{memory_id[-6:].lower()}"


def new_cells(
    memory: Memory, cells: Sequence[str], vectors: np.ndarray | None, *, since: int, language: str
) -> list[NewCell]:
    """Cells to be inserted; without vectors they are found by word only."""
    return [
        _new_cell(
            memory, position, text, None if vectors is None else vectors[position], since, language
        )
        for position, text in enumerate(cells)
    ]


def _new_cell(
    memory: Memory,
    position: int,
    text: str,
    vector: np.ndarray | None,
    since: int,
    language: str,
) -> NewCell:
    document = document_of(memory, text)
    cell = Cell(
        organization_id=memory.organization_id,
        bank_id=memory.bank_id,
        id=new_id("cell"),
        memory_id=memory.id,
        position=position,
        text=text,
        digest=cell_digest(text),
        embedding=None if vector is None else HalfVector(vector),
        length=count_words(document),
        compact=vector is None or len(vector) <= COMPACT_DIMENSIONS,
        since=since,
    )
    return NewCell(cell=cell, language=language, document=document)


def words_of(document: str, *, language: str) -> Func:
    """The tsvector of a lexical document in the bank's language."""
    return Func(
        Value(language),
        Value(document),
        template="to_tsvector(%(expressions)s)",
        arg_joiner="::regconfig, ",
    )


def document_of(memory: Memory, text: str) -> str:
    """What a cell is found by: its text, and the title, author, date and tags of its memory."""
    return lexical_document(
        title=memory.title,
        content=text,
        author=memory.author_name,
        date=local_observed(memory) or memory.observed_text or None,
        tags=memory.tags,
    )


def local_observed(memory: Memory) -> datetime | None:
    """When it happened, in the zone it was given with: an evening event keeps its own day."""
    if memory.observed_at is None:
        return None
    return memory.observed_at.astimezone(timezone(timedelta(minutes=memory.observed_offset)))


def new_version(memory: Memory, *, actor: str, since: int, moment: datetime) -> MemoryVersion:
    """The present state as a version that begins at `since`."""
    return MemoryVersion(
        organization_id=memory.organization_id,
        bank_id=memory.bank_id,
        memory_id=memory.id,
        since=since,
        body=body_of(memory),
        content_hash=memory.content_hash,
        actor=actor,
        created_at=moment,
    )


def body_of(memory: Memory) -> dict[str, Any]:
    """The fields that a version keeps, as JSON."""
    body = {name: getattr(memory, name) for name in VERSIONED}
    body["observed_at"] = iso(memory.observed_at) if memory.observed_at else None
    return body


def close_cells(memories: Iterable[Memory], *, until: int) -> None:
    """End the live interval of every live cell of these memories of one bank. One statement."""
    rows = list(memories)
    if rows:
        Cell.objects.filter(
            bank_id=rows[0].bank_id, memory_id__in=[row.id for row in rows], until=None
        ).update(live=False, until=until)


def reopen_cells(memory: Memory, *, closed_at: int, since: int) -> None:
    """A new live interval with the vectors of the cells that were closed last. Two statements."""
    cells = list(Cell.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, until=closed_at))
    for cell in cells:
        cell.id = new_id("cell")
        cell.live, cell.since, cell.until = True, since, None
        if cell.embedding is not None:
            cell.embedding = HalfVector(cell.embedding)
    Cell.objects.bulk_create(cells)


def last_closed(memory: Memory) -> int | None:
    """The watermark at which the memory's cells were closed last."""
    return (
        Cell.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, until__isnull=False)
        .order_by("-until")
        .values_list("until", flat=True)
        .first()
    )


def retire_inside(
    book: Book,
    memory: Memory,
    *,
    reason: str,
    actor: str | None = None,
    superseded_by: Memory | None = None,
    operation: str = "retire",
) -> int:
    """Retire one live memory: row, cells, link from what replaced it, ledger entry."""
    seq = book.append(
        operation,
        memory.id,
        reason=reason,
        actor=actor,
        before=memory.head_watermark,
        content={
            "content": memory.content,
            "superseded_by": superseded_by.id if superseded_by else None,
        },
    )
    memory.retired_at = book.moment
    memory.retired_by = actor or book.access.actor.id
    memory.retired_reason = reason[:300]
    memory.superseded_by = superseded_by.id if superseded_by else None
    memory.head_watermark = seq
    memory.updated_at = book.moment
    memory.save(
        update_fields=[
            "retired_at",
            "retired_by",
            "retired_reason",
            "superseded_by",
            "head_watermark",
            "updated_at",
        ]
    )
    close_cells([memory], until=seq)
    pruning.release(book, memory, until=seq, entities=False)
    if superseded_by is not None and not _superseded(memory, superseded_by):
        book.pending.add(
            Link(
                organization_id=memory.organization_id,
                bank_id=memory.bank_id,
                type=Link.Type.SUPERSEDES,
                source_id=superseded_by.id,
                target_id=memory.id,
                actor=memory.retired_by,
                created_at=book.moment,
                since=seq,
            )
        )
    return seq


def _superseded(memory: Memory, by: Memory) -> bool:
    return Link.objects.filter(
        bank_id=memory.bank_id,
        source_id=by.id,
        target_id=memory.id,
        type=Link.Type.SUPERSEDES,
        until=None,
    ).exists()


def revive_inside(book: Book, memory: Memory, *, reason: str, operation: str = "revive") -> int:
    """Make a retired memory live again: row, a new interval of its cells, ledger entry."""
    closed_at = last_closed(memory)
    seq = book.append(operation, memory.id, reason=reason, before=memory.head_watermark)
    Link.objects.filter(
        bank_id=memory.bank_id, target_id=memory.id, type=Link.Type.SUPERSEDES, until=None
    ).update(until=seq)
    memory.retired_at = None
    memory.retired_by = memory.retired_reason = ""
    memory.superseded_by = None
    memory.head_watermark = seq
    memory.updated_at = book.moment
    memory.save(
        update_fields=[
            "retired_at",
            "retired_by",
            "retired_reason",
            "superseded_by",
            "head_watermark",
            "updated_at",
        ]
    )
    if closed_at is not None:
        reopen_cells(memory, closed_at=closed_at, since=seq)
        stated_until = pruning.retired_since(memory) or closed_at
        pruning.take_back(book, memory, closed_at=stated_until, since=seq)
    return seq


def unite_tags_inside(book: Book, memory: Memory, tags: Sequence[str], *, reason: str) -> bool:
    """Add tags that the memory lacks; False and nothing written when it has them all."""
    united = unite_tags(memory.tags, tags)
    if united == memory.tags:
        return False
    before = list(memory.tags)
    seq = book.append(
        "merge",
        memory.id,
        reason=reason,
        before=memory.head_watermark,
        content={"tags_before": before, "tags_after": united},
    )
    memory.tags = united
    write_head(book, memory, seq, fields=["tags"])
    rewrite_words(memory, language=book.bank.text_search)
    return True


def rewrite_words(memory: Memory, *, language: str) -> None:
    """Index the live cells anew after a change of title, date or tags. One statement a cell and
    one.
    """
    cells = Cell.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, live=True)
    for cell in cells.only("bank_id", "id", "text"):
        document = document_of(memory, cell.text)
        Cell.objects.filter(bank_id=memory.bank_id, id=cell.id).update(
            words=words_of(document, language=language), length=count_words(document)
        )


def write_head(book: Book, memory: Memory, seq: int, *, fields: Sequence[str]) -> None:
    """Save changed fields, close the version that was current and begin the next."""
    memory.head_watermark = seq
    memory.updated_at = book.moment
    memory.save(update_fields=[*fields, "head_watermark", "updated_at"])
    MemoryVersion.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, until=None).update(
        until=seq
    )
    book.pending.add(new_version(memory, actor=book.access.actor.id, since=seq, moment=book.moment))


def add_link(
    book: Book, source: Memory, target_id: str, *, score: float, actor: str, since: int
) -> Link:
    """An unsaved vector_neighbor link."""
    return Link(
        organization_id=source.organization_id,
        bank_id=source.bank_id,
        type=Link.Type.VECTOR_NEIGHBOR,
        source_id=source.id,
        target_id=target_id,
        score=score,
        actor=actor,
        created_at=book.moment,
        since=since,
    )


def offset_minutes(moment: datetime | None) -> int:
    """The offset from UTC that an instant was given with."""
    offset = moment.utcoffset() if moment else None
    return int(offset.total_seconds() // 60) if offset else 0


def incident(memory: Memory) -> Q:
    """The links that begin or end at a memory."""
    return Q(source_id=memory.id) | Q(target_id=memory.id)
