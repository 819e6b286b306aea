"""Binning many memories of a locked bank at once, as the undo of an import does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Q

from memory_app.domain.ids import to_uuid
from memory_app.models import Link, Memory, Mention
from memory_app.services.ledger import Book
from memory_app.services.memories.curating import bin_inside

_BIN = """
UPDATE memories m SET deleted_at = %(moment)s, updated_at = %(moment)s, head_watermark = gone.seq
FROM unnest(%(ids)s::uuid[], %(seqs)s::bigint[]) AS gone (id, seq)
WHERE m.bank_id = %(bank)s AND m.id = gone.id
"""
_CLOSE = """
UPDATE cells c SET live = false, until = gone.seq
FROM unnest(%(ids)s::uuid[], %(seqs)s::bigint[]) AS gone (id, seq)
WHERE c.bank_id = %(bank)s AND c.memory_id = gone.id AND c.until IS NULL
"""


def bin_many_inside(book: Book, memories: Sequence[Memory]) -> None:
    """The same end state as `bin_inside` for each, by three statements for those without links and
    without a part in the graph.
    """
    linked = _linked(book, memories) | _woven(book, memories)
    for memory in memories:
        if memory.id in linked:
            bin_inside(book, memory)
    plain = [memory for memory in memories if memory.id not in linked and not memory.deleted_at]
    if not plain:
        return
    for memory in plain:
        memory.deleted_at = memory.updated_at = book.moment
        memory.head_watermark = book.append(
            "forget",
            memory.id,
            before=memory.head_watermark,
            content={"content": memory.content, "retired": memory.retired_at is not None},
        )
    values: dict[str, Any] = {
        "bank": to_uuid("bank", book.bank.id),
        "moment": book.moment,
        "ids": [str(to_uuid("mem", memory.id)) for memory in plain],
        "seqs": [memory.head_watermark for memory in plain],
    }
    with connection.cursor() as cursor:
        cursor.execute(_BIN, values)
        cursor.execute(_CLOSE, values)


def _linked(book: Book, memories: Sequence[Memory]) -> set[str]:
    ids = [memory.id for memory in memories]
    links = Link.objects.filter(
        Q(source_id__in=ids) | Q(target_id__in=ids), bank_id=book.bank.id, until=None
    )
    return {str(end) for pair in links.values_list("source_id", "target_id") for end in pair}


def _woven(book: Book, memories: Sequence[Memory]) -> set[str]:
    """Those that name an entity, or did until they retired; what backs a relationship names its
    ends.
    """
    rows = Mention.objects.filter(bank_id=book.bank.id, memory_id__in=[one.id for one in memories])
    return {str(one) for one in rows.values_list("memory_id", flat=True)}
