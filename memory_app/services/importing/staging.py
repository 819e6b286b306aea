"""Reading uploads into lines: every item judged, numbered and kept, in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument
from memory_app.formats import Document, Item, Reading, documents_of, read_document
from memory_app.models import ImportJob, ImportLine
from memory_app.providers.clock import now
from memory_app.services import live
from memory_app.services.importing import receiving
from memory_app.services.importing.lines import as_fields, judge_item, shown
from memory_app.services.importing.working import Phase, Stopped, phase

LINES_LIMIT = 100_000
_BATCH = 2_000


@dataclass(slots=True)
class _Found:
    """What has been read so far."""

    lines: list[ImportLine] = field(default_factory=list)
    formats: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    samples: tuple[Mapping[str, str], ...] = ()
    documents: int = 0


@phase(Phase.READING)
def stage(actor: Actor, job: ImportJob) -> None:
    """Read every upload and keep its lines; reading again replaces them.

    Raises `InvalidArgument` where the only file can't be read, and above 100,000 lines. Of several
    files one that can't be read is a refused line.
    """
    wanted: Mapping[str, str] = job.options.get("mapping") or {}
    found = _read(job, wanted)
    if not wanted and (remembered := _remembered(actor, job, found.columns)):
        found = _read(job, remembered)
    if not found.lines:
        raise InvalidArgument(
            "There is nothing to import in it.",
            hint="Send one memory a line, a table, a JSON list, or an export.",
            field="file",
        )
    counts = Counter(line.outcome for line in found.lines)
    format_name = next(iter(found.formats)) if len(found.formats) == 1 else "several"
    read = {
        "documents": found.documents,
        "formats": dict(found.formats),
        "encodings": dict(found.encodings),
    }
    options = job.options | {
        "read": read,
        "columns": list(found.columns),
        "mapping": dict(found.mapping),
        "samples": [dict(one) for one in found.samples],
    }
    with acting_as(actor):
        kept = ImportLine.objects.filter(bank_id=job.bank_id, import_id=job.id)
        moved = ImportJob.objects.filter(
            bank_id=job.bank_id, id=job.id, status=ImportJob.Status.READING
        ).update(
            status=ImportJob.Status.READY,
            phase="",
            format=format_name[:40],
            total=counts["waiting"],
            cursor=0,
            counts=dict(counts),
            options=options,
            error="",
            updated_at=now(),
        )
        if not moved:
            raise Stopped
        kept.delete()
        ImportLine.objects.bulk_create(found.lines, batch_size=_BATCH)
        live.announce(job.bank_id, "import", job.id)


def _remembered(actor: Actor, job: ImportJob, columns: tuple[str, ...]) -> Mapping[str, str]:
    """How the bank's last finished import of the same columns was mapped."""
    if not columns:
        return {}
    with acting_as(actor):
        earlier = (
            ImportJob.objects.filter(
                bank_id=job.bank_id,
                status=ImportJob.Status.DONE,
                options__columns=list(columns),
            )
            .order_by("-id")
            .first()
        )
    found: Mapping[str, str] = earlier.options.get("mapping") or {} if earlier else {}
    return found


def _read(job: ImportJob, wanted: Mapping[str, str]) -> _Found:
    found = _Found()
    uploads = job.options.get("uploads", [])
    documents = _documents(uploads)
    first = next(documents, None)
    second = next(documents, None)
    alone = second is None
    for document in _chain(first, second, documents):
        found.documents += 1
        try:
            reading = _reading(document, str(job.options.get("form", "")), wanted)
        except InvalidArgument as refusal:
            if alone:
                raise
            problem = refusal.message
            reading = Reading(format="", items=(Item(number=1, problem=problem),))
        if reading.format:
            found.formats[reading.format] += 1
            found.encodings[document.encoding] += 1
        if reading.columns and not found.columns:
            found.columns, found.samples = reading.columns, reading.samples
            found.mapping = reading.mapping
        _keep(job, found, document, reading, alone=alone)
    return found


def _chain(
    first: Document | None, second: Document | None, rest: Iterator[Document]
) -> Iterator[Document]:
    yield from (one for one in (first, second) if one is not None)
    yield from rest


def _documents(uploads: list[dict[str, Any]]) -> Iterator[Document]:
    for upload in uploads:
        with receiving.opened(upload) as handle:
            yield from documents_of(upload["name"], handle)


def _reading(document: Document, form: str, mapping: Mapping[str, str]) -> Reading:
    """A document's items; a mapping of other columns than it has is left aside."""
    if why := document.problem.rstrip("."):
        raise InvalidArgument(
            f"{document.name} can't be read: {why[0].lower()}{why[1:]}.",
            hint="Send text, CSV, JSON, Markdown or a zip of these.",
            field="file",
        )
    reading = read_document(document.text, name=document.name, form=form)
    fits = bool(mapping) and set(mapping) <= set(reading.columns)
    if not fits or dict(mapping) == dict(reading.mapping):
        return reading
    return read_document(document.text, name=document.name, form=form, mapping=mapping)


def _keep(
    job: ImportJob, found: _Found, document: Document, reading: Reading, *, alone: bool
) -> None:
    """Lines keep their own numbers where a single file counts them upwards; else they are counted."""
    numbers = [item.number for item in reading.items]
    own = alone and all(a < b for a, b in pairwise(numbers))
    # An export of ours says itself where each memory came from, or that nobody said.
    named = "" if reading.format == "commonplace" else document.name
    source = str(job.options.get("source") or "") or named
    for item in reading.items:
        draft, line = judge_item(item, source)
        number = item.number if own else len(found.lines) + 1
        place = (
            "" if own else (f"item {item.number}" if alone else f"{document.name}:{item.number}")
        )
        found.lines.append(
            ImportLine(
                organization_id=job.organization_id,
                bank_id=job.bank_id,
                import_id=job.id,
                number=number,
                place=shown(place, 300),
                outcome="waiting" if draft is not None else line.outcome,
                reason=shown(line.reason, 300),
                text=line.text,
                fields=_storable(as_fields(replace(item, shown="")), source) if draft else None,
            )
        )
        if len(found.lines) > LINES_LIMIT:
            raise InvalidArgument(
                f"There are more than {LINES_LIMIT:,} lines.",
                hint="Split the file, or export and import the whole bank at the command line.",
                field="file",
            )


def _storable(fields: dict[str, Any], source: str) -> dict[str, Any]:
    return fields | {"source": source}
