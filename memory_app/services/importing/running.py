"""Storing the lines of an import, a batch a transaction, each with its place in the file.

Memories, their lines' fates, the cursor and the day's count commit together, so a worker that is
killed has stored a line or it hasn't, and the next one goes on behind the cursor. The bank is
locked for a batch only. Up to 500 lines are one batch: all of them, or none.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument
from memory_app.models import ImportJob, ImportLine
from memory_app.providers.clock import now
from memory_app.queries import imports
from memory_app.queries.access import Access, resolve
from memory_app.queries.neighbours import BankVectors
from memory_app.services import jobs, ledger, live, planner_statistics, usage
from memory_app.services.importing import pacing, receiving
from memory_app.services.importing.kept import KeptVectors
from memory_app.services.importing.lines import draft_of_line, line_of, outcome_of
from memory_app.services.importing.working import (
    AT_ONCE_LINES,
    Phase,
    Stopped,
    hand_over,
    move,
    phase,
)
from memory_app.services.memories.saving import Held, Saved, save_many

BATCH_LINES = 25
# A batch that took longer makes the next one smaller: others wait for the bank no longer than this.
BATCH_SECONDS = 0.2
LEAST_LINES = 5
# A batch also ends here, so that long texts don't hold the bank for long.
BATCH_CHARACTERS = 100_000
# After this long another job goes on, behind what else waits for the worker.
TURN_SECONDS = 20
_STARTABLE = frozenset(
    {ImportJob.Status.READY.value, ImportJob.Status.CHECKED.value, ImportJob.Status.PAUSED.value}
)


def start(actor: Actor, bank: str | None, import_id: str, *, over_days: bool = False) -> ImportJob:
    """Store what was read. Needs `read_write`, and room in the daily cap for every line.

    With `over_days` an import that today has no room for stores what fits, leaves a fifth of the cap
    to others, and goes on by itself after each reset. Raises `DailyCapReached` before anything is
    written, and `Conflict` unless the lines are read.
    """

    def prepare(access: Access, job: ImportJob) -> dict[str, Any]:
        return _begun(access, job, over_days=over_days)

    return move(actor, bank, import_id, of=_STARTABLE, to=Phase.RUNNING, prepare=prepare)


def _begun(access: Access, job: ImportJob, *, over_days: bool) -> dict[str, Any]:
    actor, lines = access.actor, imports.count_waiting(job)
    pace = pacing.pace_of(actor, lines=lines)
    spread = over_days and not pace.fits
    if spread:
        pacing.refuse_without_room(pace.used, lines)
    else:
        usage.require_room(actor, lines, pace.used)
    options = pacing.without_appointment(job.options) | {pacing.OVER_DAYS: spread}
    if job.cursor:
        return {"options": options}
    by = {"name": actor.name, "door": actor.door, "client": actor.client[:300]}
    return {
        "counts": dict(imports.settled_counts(job)),
        "actor": actor.id,
        "options": options | {"by": by},
    }


@phase(Phase.RUNNING)
def store_lines(actor: Actor, job: ImportJob) -> None:
    """Batch after batch for a turn; the rest is another job's."""
    spread = bool(job.options.get(pacing.OVER_DAYS))
    whole = job.total <= AT_ONCE_LINES and not spread
    with acting_as(actor):
        model = resolve(actor, job.bank_id).bank.embedding_model
    kept = KeptVectors(job, model)
    held = Held(vectors=kept, bank=BankVectors(), patient=job.total > AT_ONCE_LINES)
    began, size = time.monotonic(), BATCH_LINES
    while True:
        with acting_as(actor):
            fresh = ImportJob.objects.get(bank_id=job.bank_id, id=job.id)
            if fresh.status != Phase.RUNNING:
                raise Stopped
            most = AT_ONCE_LINES if whole else size
            most = pacing.share(actor, most) if spread else most
            rows = imports.waiting_lines(fresh, after=fresh.cursor, limit=most + 1)
        batch = rows[:most] if whole else _bounded(rows[:most])
        if batch:
            kept.reach(batch[0].number, batch[-1].number)
        asked = time.monotonic()
        _store(actor, fresh, batch, last=len(batch) == len(rows), held=held)
        size = _next_size(len(batch), time.monotonic() - asked)
        if fresh.status == ImportJob.Status.DONE:
            return
        if time.monotonic() - began > TURN_SECONDS:
            hand_over(actor, job)
            return


def _next_size(lines: int, seconds: float) -> int:
    fits = int(lines * BATCH_SECONDS / max(seconds, 1e-3))
    return min(BATCH_LINES, max(LEAST_LINES, fits))


def _bounded(rows: list[ImportLine]) -> list[ImportLine]:
    room = BATCH_CHARACTERS
    for place, row in enumerate(rows):
        room -= len(str(row.fields))
        if room < 0 and place:
            return rows[:place]
    return rows


def _store(
    actor: Actor,
    job: ImportJob,
    rows: Sequence[ImportLine],
    *,
    last: bool,
    held: Held | None = None,
) -> None:
    """One batch; with the last one the import is done."""
    taken, drafts = [], []
    for row in rows:
        try:
            drafts.append(draft_of_line(row))
            taken.append(row)
        except InvalidArgument as refusal:
            row.outcome, row.reason, row.fields = "refused", refusal.message[:300], None

    def record(book: ledger.Book, saved: list[Saved]) -> None:
        _record(book, job, rows, taken, saved, last=last)

    if drafts:
        save_many(actor, job.bank_id, drafts, import_id=job.id, also=record, held=held)
    else:
        with acting_as(actor), ledger.opened(resolve(actor, job.bank_id)) as book:
            record(book, [])
    if job.status == ImportJob.Status.DONE:
        receiving.forget(job)


def _record(
    book: ledger.Book,
    job: ImportJob,
    rows: Sequence[ImportLine],
    taken: Sequence[ImportLine],
    saved: Sequence[Saved],
    *,
    last: bool,
) -> None:
    """What became of a batch. Raises `Stopped`, and nothing of it is stored, where the import was
    cancelled or another worker was faster.
    """
    if job.actor != book.access.actor.id:
        raise Stopped
    created: dict[str, int] = {}
    doubtful: list[str] = []
    for row, one in zip(taken, saved, strict=True):
        if row.outcome == "conflicting" and one.status == "created":
            doubtful.append(one.memory.id)
        line = outcome_of(line_of(row), one, created.get(one.memory.id))
        if line.outcome != "known":
            created[one.memory.id] = row.number
        wants_pin = bool((row.fields or {}).get("pinned")) and one.status != "known"
        unpinned = wants_pin and one.memory.pinned_at is None
        row.outcome, row.memory_id = line.outcome, line.memory_id
        row.reason = "not pinned: that needs the tier full" if unpinned else line.reason
        row.fields = {"tags_added": list(one.tags_added)} if one.tags_added else None
    counts = Counter(job.counts)
    counts.update(row.outcome for row in rows)
    cursor = rows[-1].number if rows else job.cursor
    values: dict[str, Any] = {"cursor": cursor, "counts": dict(counts), "updated_at": now()}
    if last:
        values |= {"status": ImportJob.Status.DONE, "phase": "", "finished_at": now()}
    moved = ImportJob.objects.filter(
        bank_id=job.bank_id, id=job.id, status=Phase.RUNNING, cursor=job.cursor
    ).update(**values)
    if not moved:
        raise Stopped
    imports.write_outcomes(job, rows)
    if doubtful:
        jobs.enqueue(book.access, "check_contradictions", into=book.pending, memory_ids=doubtful)
    live.announce(job.bank_id, "import", job.id)
    if last:
        planner_statistics.enqueue_after(book.access, job.total, into=book.pending)
        job.status = ImportJob.Status.DONE
        book.append("run_import", job.id, counters=dict(counts))
