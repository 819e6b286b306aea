"""The dry run of an import: every line's fate, by the plan of the write path, nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.models import ImportJob, ImportLine
from memory_app.providers.clock import now
from memory_app.queries import imports
from memory_app.queries.access import resolve
from memory_app.queries.neighbours import BankVectors
from memory_app.services import live
from memory_app.services.importing.kept import VECTORS, KeptVectors
from memory_app.services.importing.lines import draft_of_line, foreseen_of, line_of
from memory_app.services.importing.working import AT_ONCE_LINES, Phase, Stopped, move, phase
from memory_app.services.memories.foreseeing import Earlier, foresee
from memory_app.services.memories.saving import Held

_BATCH = 500
# Lines whose vectors are kept together.
_PART = 2_000
_READY = frozenset({ImportJob.Status.READY.value, ImportJob.Status.CHECKED.value})


def check(actor: Actor, bank: str | None, import_id: str) -> ImportJob:
    """Begin a dry run. Needs `read_write`; raises `Conflict` unless its lines are read."""
    return move(actor, bank, import_id, of=_READY, to=Phase.CHECKING)


@phase(Phase.CHECKING)
def foresee_lines(actor: Actor, job: ImportJob) -> None:
    """Look at every line against the bank and the lines before it.

    It holds what it has seen in memory, so a dry run that is interrupted begins again, with the
    vectors that it had made.
    """
    with acting_as(actor):
        model = resolve(actor, job.bank_id).bank.embedding_model
    kept = KeptVectors(job, model)
    patient = job.total > AT_ONCE_LINES
    earlier = Earlier(held=Held(vectors=kept, bank=BankVectors(), patient=patient))
    counts: Counter[str] = Counter()
    done, part_begins = 0, 0
    for batch in _batches(actor, job):
        kept.reach(batch[0].number, batch[-1].number)
        drafts = [(row.number, draft_of_line(row)) for row in batch]
        fates = foresee(actor, job.bank_id, drafts, earlier)
        for row, fate in zip(batch, fates, strict=True):
            line = foreseen_of(line_of(row), fate)
            row.outcome, row.memory_id, row.reason = line.outcome, line.memory_id, line.reason
            counts[line.outcome] += 1
        done += len(batch)
        part_begins = part_begins or batch[0].number
        parts = None
        if done % _PART == 0 or done == job.total:
            parts = kept.write(part_begins, batch[-1].number)
            part_begins = 0
        with acting_as(actor):
            imports.write_fates(job, batch)
            _progress(job, done, parts)
            live.announce(job.bank_id, "import", job.id)
    with acting_as(actor):
        counts.update(imports.settled_counts(job))
        _finish(job, counts)
        live.announce(job.bank_id, "import", job.id)


def _batches(actor: Actor, job: ImportJob) -> Iterator[list[ImportLine]]:
    after = 0
    while True:
        with acting_as(actor):
            rows = imports.waiting_lines(job, after=after, limit=_BATCH)
        if not rows:
            return
        yield rows
        after = rows[-1].number


def _progress(job: ImportJob, done: int, parts: list[dict[str, Any]] | None) -> None:
    moved = ImportJob.objects.filter(bank_id=job.bank_id, id=job.id, status=Phase.CHECKING)
    values: dict[str, Any] = {"cursor": done, "updated_at": now()}
    if parts is not None:
        job.options = job.options | {VECTORS: parts}
        values["options"] = job.options
    if not moved.update(**values):
        raise Stopped


def _finish(job: ImportJob, counts: Counter[str]) -> None:
    moved = ImportJob.objects.filter(bank_id=job.bank_id, id=job.id, status=Phase.CHECKING)
    moved.update(
        status=ImportJob.Status.CHECKED, phase="", cursor=0, counts=dict(counts), updated_at=now()
    )
