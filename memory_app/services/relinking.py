"""The links that the system makes between similar memories, made again by the bank's settings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db.models import QuerySet

from accounts.actor import AUTO_LINK, Actor
from accounts.tenancy import acting_as
from memory_app.domain.values import Draft
from memory_app.models import Cell, Link, Memory
from memory_app.queries.access import resolve
from memory_app.services import ledger
from memory_app.services.memories import comparing, storing
from memory_app.services.memories.embedding import Prepared
from memory_app.writing.plan import Candidate

BATCH = 32
LINKS = 5


def relink(actor: Actor, bank: str) -> int:
    """Compare every live memory of one cell with the older ones; how many links changed.

    As at the write: at most five links each, to older memories only. A memory whose links change has
    one ledger entry. Nothing to do where the bank doesn't link by itself.
    """
    after: str | None = None
    changed = 0
    while True:
        with acting_as(actor):
            access = resolve(actor, bank)
            access.require("full")
            if not access.bank.auto_link:
                return 0
            with ledger.opened(access) as book:
                batch = _next(access.bank.id, after)
                near = comparing.candidates(book.bank, [_prepared(cell) for cell in batch])
                for cell, candidates in zip(batch, near, strict=True):
                    changed += _settle(book, cell.memory, candidates)
        if not batch:
            return changed
        after = batch[-1].memory_id


def _next(bank_id: str, after: str | None) -> list[Cell]:
    cells: QuerySet[Cell] = Cell.objects.filter(
        bank_id=bank_id, live=True, position=0, embedding__isnull=False
    )
    if after is not None:
        cells = cells.filter(memory_id__gt=after)
    return list(cells.select_related("memory").order_by("memory_id")[:BATCH])


def _prepared(cell: Cell) -> Prepared:
    memory = cell.memory
    whole = memory.content == cell.text
    vector = np.asarray([cell.embedding], dtype=np.float32)
    return Prepared(
        draft=Draft(content=memory.content, title=memory.title),
        key=None,
        cells=[cell.text] if whole else [cell.text, ""],
        vectors=vector,
    )


def _settle(book: ledger.Book, memory: Memory, candidates: Sequence[Candidate]) -> int:
    wanted = {
        one.memory_id: round(one.cosine, 4)
        for one in candidates
        if one.cosine >= book.bank.auto_link_threshold and one.memory_id < memory.id
    }
    wanted = dict(list(wanted.items())[:LINKS])
    links = Link.objects.filter(
        bank_id=memory.bank_id, source_id=memory.id, type=Link.Type.VECTOR_NEIGHBOR, until=None
    )
    there = set(links.values_list("target_id", flat=True))
    gone, fresh = there - set(wanted), set(wanted) - there
    if not gone and not fresh:
        return 0
    seq = book.append(
        "graph_link",
        memory.id,
        actor=AUTO_LINK,
        reason="reindex",
        counters={"links": len(fresh), "ended": len(gone)},
    )
    links.filter(target_id__in=gone).update(until=seq)
    book.pending.add(
        *(
            storing.add_link(book, memory, target, score=wanted[target], actor=AUTO_LINK, since=seq)
            for target in sorted(fresh)
        )
    )
    return len(gone) + len(fresh)
