"""Deciding about an import before and while it runs: format and columns, stop, go on, reports."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.formats import FORMATS
from memory_app.formats.commonplace import defused
from memory_app.formats.mapping import check as check_mapping
from memory_app.models import ImportJob, ImportLine
from memory_app.providers.clock import now
from memory_app.queries import imports
from memory_app.queries.access import Access, resolve
from memory_app.services.importing import pacing, receiving
from memory_app.services.importing.lines import ImportReport, line_of
from memory_app.services.importing.working import MOVING, Phase, is_stale, move, refuse_unless

LINES_SHOWN = 500
DRAFT_DAYS = 7
_OPEN = frozenset(
    {
        ImportJob.Status.READY.value,
        ImportJob.Status.CHECKED.value,
        ImportJob.Status.FAILED.value,
    }
)
_GOING_ON = frozenset({ImportJob.Status.PAUSED.value, ImportJob.Status.FAILED.value}) | MOVING


def configure(
    actor: Actor,
    bank: str | None,
    import_id: str,
    *,
    form: str | None = None,
    mapping: Mapping[str, str] | None = None,
) -> ImportJob:
    """Read the uploads again, as another format or by another mapping. Needs `read_write`.

    Raises `InvalidArgument` for a mapping that doesn't fit the columns, and `Conflict` once lines are
    stored.
    """

    def prepare(access: Access, job: ImportJob) -> dict[str, Any]:
        if job.phase == Phase.RUNNING or not job.options.get("uploads"):
            raise Conflict("What is read of this import can't be changed any more.")
        if form and form not in FORMATS:
            raise InvalidArgument(
                f"There is no format {form!r:.40}.",
                hint=f"Choose one of {', '.join(FORMATS)}.",
                field="format",
            )
        chosen: dict[str, Any] = {}
        if form is not None:
            chosen = {"form": form, "mapping": {}}
        if mapping is not None:
            columns = tuple(job.options.get("columns", ()))
            chosen["mapping"] = check_mapping(mapping, columns)
        return {"options": job.options | chosen}

    return move(actor, bank, import_id, of=_OPEN, to=Phase.READING, prepare=prepare)


def cancel(actor: Actor, bank: str | None, import_id: str) -> ImportJob:
    """Stop an import, or discard one that hasn't begun. Needs `read_write`.

    What it has stored stays, and can be undone. A second one changes nothing.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        job = imports.find_job(access, import_id, lock=True)
        if job.status == ImportJob.Status.CANCELLED:
            return job
        refuse_unless(job, (_GOING_ON | _OPEN) - {Phase.UNDOING})
        job.status, job.finished_at = ImportJob.Status.CANCELLED, now()
        job.updated_at = job.finished_at
        job.save(update_fields=["status", "finished_at", "updated_at"])
    receiving.forget(job)
    return job


def resume(actor: Actor, bank: str | None, import_id: str) -> ImportJob:
    """Go on with an import that paused, failed, or whose worker is gone. Needs `read_write`."""
    with acting_as(actor):
        job = imports.find_job(resolve(actor, bank), import_id)
    if job.status in MOVING and not is_stale(job):
        raise Conflict("This import is at work.", hint="Wait a moment and look again.")
    tier = "full" if job.phase == Phase.UNDOING else "read_write"

    def prepare(access: Access, job: ImportJob) -> dict[str, Any]:
        return {"options": pacing.without_appointment(job.options)}

    return move(
        actor,
        bank,
        import_id,
        of=_GOING_ON,
        to=job.phase or job.status,
        tier=tier,
        prepare=prepare,
    )


def done_of(job: ImportJob) -> int:
    """How many of its lines the import has dealt with."""
    if job.status in (Phase.CHECKING, ImportJob.Status.READY):
        return job.cursor
    return sum(n for fate, n in job.counts.items() if fate not in ("refused", "skipped", "waiting"))


def report_of(actor: Actor, bank: str | None, import_id: str) -> ImportReport:
    """The report of an import with its first 500 lines. Raises `NotFound`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        job = imports.find_job(access, import_id)
        rows = imports.lines_page(access, job.id, limit=LINES_SHOWN).items
        return ImportReport(
            import_id=job.id,
            format=job.format,
            status=job.status,
            lines=tuple(map(line_of, rows)),
            counts=job.counts,
        )


def list_imports(
    actor: Actor, bank: str | None, *, after: str | None = None, limit: int = 50
) -> imports.Page:
    """The imports of a bank, newest first, without their lines."""
    with acting_as(actor):
        return imports.list_page(resolve(actor, bank), after=after, limit=limit)


def find_import(actor: Actor, bank: str | None, import_id: str) -> ImportJob:
    """One import without its lines. Raises `NotFound`."""
    with acting_as(actor):
        return imports.find_job(resolve(actor, bank), import_id)


def list_lines(
    actor: Actor,
    bank: str | None,
    import_id: str,
    *,
    outcome: str = "",
    after: int | None = None,
    limit: int = 100,
) -> imports.LinePage:
    """The lines of an import in their order, or those of one fate."""
    with acting_as(actor):
        access = resolve(actor, bank)
        job = imports.find_job(access, import_id)
        return imports.lines_page(access, job.id, outcome=outcome, after=after, limit=limit)


def errors_of(actor: Actor, bank: str | None, import_id: str) -> Iterator[str]:
    """Refused and skipped lines as CSV, a header first; 1,000 lines a query."""
    find_import(actor, bank, import_id)
    yield _csv_row(["number", "place", "fate", "reason", "text"])
    for outcome in ("refused", "skipped"):
        after: int | None = None
        while True:
            page = list_lines(actor, bank, import_id, outcome=outcome, after=after, limit=1_000)
            for row in page.items:
                yield _csv_row([row.number, row.place, row.outcome, row.reason, row.text])
            after = page.next_after
            if after is None:
                break


def forget_drafts(actor: Actor, bank_id: str) -> int:
    """Discard what was uploaded a week ago and never imported; how many there were."""
    before = now() - timedelta(days=DRAFT_DAYS)
    with acting_as(actor):
        rows = ImportJob.objects.filter(
            bank_id=bank_id,
            status__in=_OPEN | {ImportJob.Status.READING.value},
            updated_at__lt=before,
        )
        old = list(rows.order_by("id")[:100])
        ImportJob.objects.filter(bank_id=bank_id, id__in=[job.id for job in old]).update(
            status=ImportJob.Status.CANCELLED, updated_at=now()
        )
        waiting = ImportLine.objects.filter(bank_id=bank_id, import_id__in=[job.id for job in old])
        waiting.filter(outcome="waiting").update(fields=None, text="")
    for job in old:
        receiving.forget(job)
    return len(old)


def _csv_row(cells: list[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([defused(str(cell)) for cell in cells])
    return out.getvalue()
