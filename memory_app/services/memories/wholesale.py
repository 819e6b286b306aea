"""Changing many memories of a locked bank with few statements, to the same end state as one by one.

Those that take part in the graph, or whose links end with them, go one by one: what they drag along
differs. All others cost four statements a batch, however many they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import Max, Q

from memory_app.domain.errors import Conflict
from memory_app.domain.ids import new_id, to_uuid
from memory_app.domain.lexemes import count_words
from memory_app.models import Assertion, Cell, Link, Memory, Mention
from memory_app.services.ledger import Book
from memory_app.services.memories import storing
from memory_app.services.memories.curating import restore_inside
from memory_app.services.memories.repeating import HINT, REPEAT

_ROWS = """
UPDATE memories m SET tags = new.tags, category = new.category, collection = new.collection,
  pinned_at = new.pinned_at, retired_at = new.retired_at, retired_by = new.retired_by,
  retired_reason = new.retired_reason, deleted_at = new.deleted_at,
  head_watermark = new.head_watermark, updated_at = new.updated_at
FROM jsonb_to_recordset(%(rows)s) AS new (
  id uuid, tags text[], category text, collection text, pinned_at timestamptz,
  retired_at timestamptz, retired_by text, retired_reason text, deleted_at timestamptz,
  head_watermark bigint, updated_at timestamptz)
WHERE m.bank_id = %(bank)s AND m.id = new.id
"""
_VERSIONS = """
UPDATE memory_versions v SET until = new.seq
FROM unnest(%(ids)s::uuid[], %(seqs)s::bigint[]) AS new (id, seq)
WHERE v.bank_id = %(bank)s AND v.memory_id = new.id AND v.until IS NULL
"""
_WORDS = """
UPDATE cells c SET words = to_tsvector(%(language)s::regconfig, new.document), length = new.length
FROM jsonb_to_recordset(%(rows)s) AS new (id uuid, document text, length int)
WHERE c.bank_id = %(bank)s AND c.id = new.id
"""
_CLOSE = """
UPDATE cells c SET live = false, until = gone.seq
FROM unnest(%(ids)s::uuid[], %(seqs)s::bigint[]) AS gone (id, seq)
WHERE c.bank_id = %(bank)s AND c.memory_id = gone.id AND c.until IS NULL
"""
_REOPEN = """
INSERT INTO cells (bank_id, id, organization_id, memory_id, position, text, digest, embedding,
                   words, length, live, compact, since, until)
SELECT c.bank_id, new.id, c.organization_id, c.memory_id, c.position, c.text, c.digest,
       c.embedding, c.words, c.length, true, c.compact, new.seq, NULL
FROM cells c
JOIN unnest(%(old)s::uuid[], %(new)s::uuid[], %(seqs)s::bigint[]) AS new (old, id, seq)
  ON c.id = new.old
WHERE c.bank_id = %(bank)s
"""
_STATE = (
    "tags", "category", "collection", "retired_by", "retired_reason", "head_watermark",
)  # fmt: skip
_MOMENTS = ("pinned_at", "retired_at", "deleted_at", "updated_at")


def write_fields(
    book: Book, memories: Sequence[Memory], changed: Mapping[str, Mapping[str, Any]]
) -> None:
    """Give each memory the fields that `changed` holds for its id, as an edit would.

    Labels and tags begin a new version, tags also new words; a pin does neither.
    """
    if not memories:
        return
    for memory in memories:
        fields = changed[memory.id]
        before = {name: getattr(memory, name) for name in fields if name != "pinned_at"}
        for name, value in fields.items():
            setattr(memory, name, value)
        _mark(book, memory, _operation(fields), {"before": before, "after": dict(fields)})
    _write_rows(book, memories)
    versioned = [one for one in memories if set(changed[one.id]) - {"pinned_at"}]
    if versioned:
        _run(_VERSIONS, book, _pairs(versioned))
        actor, moment = book.access.actor.id, book.moment
        for memory in versioned:
            book.pending.add(
                storing.new_version(memory, actor=actor, since=memory.head_watermark, moment=moment)
            )
    rewrite_words(book, [one for one in memories if "tags" in changed[one.id]])


def rewrite_words(book: Book, memories: Sequence[Memory]) -> None:
    """Index the live cells anew after a change of tags. Two statements."""
    by_id = {memory.id: memory for memory in memories}
    if not by_id:
        return
    cells = Cell.objects.filter(bank_id=book.bank.id, memory_id__in=list(by_id), live=True)
    rows = []
    for cell in cells.only("bank_id", "id", "memory_id", "text"):
        document = storing.document_of(by_id[str(cell.memory_id)], cell.text)
        row = {"document": document, "length": count_words(document)}
        rows.append({"id": str(to_uuid("cell", cell.id))} | row)
    if rows:
        _run(_WORDS, book, {"rows": json.dumps(rows), "language": book.bank.text_search})


def retire_many(book: Book, memories: Sequence[Memory], *, reason: str) -> None:
    """Retire live memories, without naming what replaces them."""
    woven = _with_live(book, memories, Mention) | _with_live(book, memories, Assertion)
    plain = [memory for memory in memories if memory.id not in woven]
    for memory in memories:
        if memory.id in woven:
            storing.retire_inside(book, memory, reason=reason)
    for memory in plain:
        memory.retired_at = book.moment
        memory.retired_by = book.access.actor.id
        memory.retired_reason = reason[:300]
        memory.superseded_by = None
        content = {"content": memory.content, "superseded_by": None}
        _mark(book, memory, "retire", content, reason=reason)
    _write_rows(book, plain)
    if plain:
        _run(_CLOSE, book, _pairs(plain))


def revive_many(book: Book, memories: Sequence[Memory], *, reason: str) -> None:
    """Make retired memories live again; none of them may repeat a live one (`repeated`)."""
    closed = _last_closed(book, memories)
    woven = _naming(book, memories)
    plain = [one for one in memories if one.id not in woven and one.superseded_by is None]
    for memory in memories:
        if memory.id in woven or memory.superseded_by is not None:
            storing.revive_inside(book, memory, reason=reason)
    for memory in plain:
        memory.retired_at = None
        memory.retired_by = memory.retired_reason = ""
        _mark(book, memory, "revive", {}, reason=reason)
    _write_rows(book, plain)
    _reopen(book, plain, closed)


def restore_many(book: Book, memories: Sequence[Memory]) -> None:
    """Take memories out of the bin; none of them may repeat a live one (`repeated`)."""
    closed = {memory.id: memory.head_watermark for memory in memories}
    woven = _ended_at(book, closed, Mention) | _ended_at(book, closed, Assertion)
    woven |= _with_ended_links(book, memories)
    woven |= _naming(book, [one for one in memories if one.retired_at is not None])
    plain = [memory for memory in memories if memory.id not in woven]
    for memory in memories:
        if memory.id in woven:
            restore_inside(book, memory)
    for memory in plain:
        memory.deleted_at = None
        _mark(book, memory, "restore", {})
    _write_rows(book, plain)
    _reopen(book, [one for one in plain if one.retired_at is None], closed)


def repeated(book: Book, memories: Sequence[Memory]) -> dict[str, Conflict]:
    """By id: the memories that can't become live, since a live one or an earlier one of these says
    the same. One query.
    """
    keys = {memory.dedupe_key for memory in memories} - {None}
    live = Memory.objects.filter(
        bank_id=book.bank.id, dedupe_key__in=keys, retired_at=None, deleted_at=None
    )
    taken = set(live.values_list("dedupe_key", flat=True)) if keys else set()
    refused: dict[str, Conflict] = {}
    for memory in memories:
        if memory.dedupe_key is None:
            continue
        if memory.dedupe_key in taken:
            refused[memory.id] = Conflict(
                REPEAT,
                hint=HINT,
                field="id",
            )
        taken.add(memory.dedupe_key)
    return refused


def refuse_repeat(book: Book, memory: Memory) -> None:
    """Raises `Conflict` when the memory can't become live."""
    refused = repeated(book, [memory])
    if memory.id in refused:
        raise refused[memory.id]


def _operation(fields: Mapping[str, Any]) -> str:
    if "pinned_at" in fields:
        return "unpin" if fields["pinned_at"] is None else "pin"
    return "update"


def _mark(
    book: Book, memory: Memory, operation: str, content: Mapping[str, Any], *, reason: str = ""
) -> None:
    """An entry, and its number in the memory; the row itself is still to be written."""
    plain = operation in ("pin", "unpin", "restore", "revive")
    memory.head_watermark = book.append(
        operation,
        memory.id,
        reason=reason,
        before=memory.head_watermark,
        content=None if plain else content,
    )
    memory.updated_at = book.moment


def _write_rows(book: Book, memories: Sequence[Memory]) -> None:
    if not memories:
        return
    rows = [
        {"id": str(to_uuid("mem", one.id))}
        | {name: getattr(one, name) for name in _STATE}
        | {name: at.isoformat() if (at := getattr(one, name)) else None for name in _MOMENTS}
        for one in memories
    ]
    _run(_ROWS, book, {"rows": json.dumps(rows, ensure_ascii=False)})


def _reopen(book: Book, memories: Sequence[Memory], closed: Mapping[str, int]) -> None:
    """A new live interval with the vectors and words of the cells that were closed last."""
    seqs = {memory.id: memory.head_watermark for memory in memories}
    cells = Cell.objects.filter(
        bank_id=book.bank.id, memory_id__in=list(seqs), until__in=set(closed.values())
    ).values_list("id", "memory_id", "until")
    found = [
        (to_uuid("cell", str(cell)), to_uuid("cell", new_id("cell")), seqs[str(memory)])
        for cell, memory, until in cells
        if until == closed.get(str(memory))
    ]
    if found:
        old, new, since = zip(*found, strict=True)
        _run(_REOPEN, book, {"old": list(old), "new": list(new), "seqs": list(since)})


def _last_closed(book: Book, memories: Sequence[Memory]) -> dict[str, int]:
    cells = Cell.objects.filter(
        bank_id=book.bank.id, memory_id__in=[one.id for one in memories], until__isnull=False
    )
    return {
        str(row["memory_id"]): int(row["last"])
        for row in cells.values("memory_id").annotate(last=Max("until"))
    }


def _with_live(
    book: Book, memories: Sequence[Memory], kind: type[Mention] | type[Assertion]
) -> set[str]:
    rows = kind.objects.filter(
        bank_id=book.bank.id, memory_id__in=[one.id for one in memories], until=None
    )
    return {str(one) for one in rows.values_list("memory_id", flat=True)}


def _ended_at(
    book: Book, closed: Mapping[str, int], kind: type[Mention] | type[Assertion]
) -> set[str]:
    rows = kind.objects.filter(
        bank_id=book.bank.id, memory_id__in=list(closed), until__in=set(closed.values())
    )
    return {str(one) for one in rows.values_list("memory_id", flat=True)}


def _naming(book: Book, memories: Sequence[Memory]) -> set[str]:
    """Those that name an entity, or did until they retired."""
    rows = Mention.objects.filter(bank_id=book.bank.id, memory_id__in=[one.id for one in memories])
    return {str(one) for one in rows.values_list("memory_id", flat=True)}


def _with_ended_links(book: Book, memories: Iterable[Memory]) -> set[str]:
    ids = [memory.id for memory in memories]
    links = Link.objects.filter(
        Q(source_id__in=ids) | Q(target_id__in=ids), bank_id=book.bank.id, until__isnull=False
    )
    return {str(end) for pair in links.values_list("source_id", "target_id") for end in pair}


def _pairs(memories: Sequence[Memory]) -> dict[str, Any]:
    return {
        "ids": [str(to_uuid("mem", memory.id)) for memory in memories],
        "seqs": [memory.head_watermark for memory in memories],
    }


def _run(sql: str, book: Book, values: Mapping[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"bank": to_uuid("bank", book.bank.id), **values})
