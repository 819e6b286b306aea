"""Taking an import back: its memories into the bin, and the tags it gave to others off again."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.models import ImportJob, ImportLine, Memory
from memory_app.providers.clock import now
from memory_app.queries import imports
from memory_app.queries.access import resolve
from memory_app.services import ledger, live, planner_statistics
from memory_app.services.importing import receiving
from memory_app.services.importing.working import (
    AT_ONCE_LINES,
    MOVING,
    Phase,
    Stopped,
    go_on,
    phase,
    schedule,
)
from memory_app.services.memories import storing
from memory_app.services.memories.binning import bin_many_inside

_BATCH = 200
_UNDOABLE = frozenset(
    {
        ImportJob.Status.DONE.value,
        ImportJob.Status.CANCELLED.value,
        ImportJob.Status.FAILED.value,
        ImportJob.Status.PAUSED.value,
    }
)


def undo(actor: Actor, bank: str | None, import_id: str) -> ImportJob:
    """Put exactly what an import created into the bin, and take the tags that it gave to known
    memories off again. Needs `full`; a second undo changes nothing.

    Up to 500 lines are one transaction; more are taken back in batches by a worker. Raises
    `Conflict` while the import is at work, `NotFound`.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        job = imports.find_job(access, import_id, lock=True)
        if job.status == ImportJob.Status.UNDONE:
            return job
        if job.status in MOVING:
            raise Conflict("This import is still running.", hint="Wait until it is done.")
        if job.status not in _UNDOABLE:
            raise Conflict("Nothing of this import is stored yet.", hint="Discard it instead.")
        if job.total <= AT_ONCE_LINES:
            with ledger.opened(access) as book:
                _take_back(book, job, limit=AT_ONCE_LINES)
            return imports.find_job(access, import_id)
        job.status, job.phase, job.updated_at = Phase.UNDOING, Phase.UNDOING, now()
        job.options = job.options | {"undo_by": actor.id}
        job.save(update_fields=["status", "phase", "updated_at", "options"])
        waiting = schedule(access, job)
    return go_on(actor, job, waiting)


@phase(Phase.UNDOING)
def take_back(actor: Actor, job: ImportJob) -> None:
    """Batch after batch until nothing of the import is left."""
    left = True
    while left:
        with acting_as(actor):
            access = resolve(actor, job.bank_id)
            access.require("full")
            fresh = imports.find_job(access, job.id)
            if fresh.status != Phase.UNDOING:
                raise Stopped
            with ledger.opened(access) as book:
                left = _take_back(book, fresh, limit=_BATCH)


def _take_back(book: ledger.Book, job: ImportJob, *, limit: int) -> bool:
    """One batch; whether there may be more. The last one closes the import."""
    created = Memory.objects.filter(bank_id=book.bank.id, import_id=job.id, deleted_at=None)
    memories = list(created.order_by("id")[:limit])
    tagged = list(
        ImportLine.objects.filter(
            bank_id=book.bank.id,
            import_id=job.id,
            outcome="known",
            fields__has_key="tags_added",
        ).order_by("number")[:limit]
    )
    bin_many_inside(book, memories)
    _untag(book, tagged)
    over = len(memories) < limit and len(tagged) < limit
    values: dict[str, Any] = {"updated_at": now()}
    if over:
        planner_statistics.enqueue_after(book.access, job.total, into=book.pending)
        book.append("undo_import", job.id, counters={"binned": len(memories)})
        values |= {"status": ImportJob.Status.UNDONE, "phase": ""}
        # One that stopped half-way still has its uploads.
        transaction.on_commit(partial(receiving.forget, job), robust=True)
    ImportJob.objects.filter(bank_id=job.bank_id, id=job.id).update(**values)
    live.announce(job.bank_id, "import", job.id)
    return not over


def _untag(book: ledger.Book, lines: list[ImportLine]) -> None:
    """Take the import's tags off; what somebody changed since then stays changed."""
    memories = {
        row.id: row
        for row in Memory.objects.filter(
            bank_id=book.bank.id, id__in=[line.memory_id for line in lines if line.memory_id]
        )
    }
    for line in lines:
        memory = memories.get(line.memory_id or "")
        added = set((line.fields or {}).get("tags_added", ()))
        left = [tag for tag in memory.tags if tag not in added] if memory else []
        if memory is not None and memory.deleted_at is None and left != memory.tags:
            seq = book.append(
                "update",
                memory.id,
                reason="the import that gave these tags was undone",
                before=memory.head_watermark,
                content={"tags_before": list(memory.tags), "tags_after": left},
            )
            memory.tags = left
            storing.write_head(book, memory, seq, fields=["tags"])
            storing.rewrite_words(memory, language=book.bank.text_search)
        line.fields = None
    ImportLine.objects.bulk_update(lines, ["fields"])
