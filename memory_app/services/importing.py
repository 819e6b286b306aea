"""Importing up to 500 memories at once: all of it with a report of every line, or nothing (E9).

The memories, the report and the ledger are one transaction, so an import that is killed is absent.
The judge is skipped: a bulk paste retires and revives nothing that is stored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.hashing import dedupe_key
from memory_app.domain.ids import new_id
from memory_app.domain.text import cut
from memory_app.domain.values import Draft, parse_draft
from memory_app.formats import Item, Reading, read_import, read_items
from memory_app.models import ImportJob, ImportLine, Memory
from memory_app.providers.clock import now
from memory_app.queries import imports
from memory_app.queries.access import Access, resolve
from memory_app.services import ledger, usage
from memory_app.services.memories.binning import bin_many_inside
from memory_app.services.memories.saving import Saved, save_many

ITEMS_LIMIT = 500
SHOWN_CHARACTERS = 200
SOURCE = "import"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What became of one line: `created`, `pending` (created, vectors to come), `known`, `refused`
    or `skipped`; in a dry run what would."""

    number: int
    outcome: str
    text: str
    memory_id: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Every line's fate. `import_id` is empty after a dry run."""

    import_id: str
    format: str
    status: str
    lines: tuple[Line, ...]
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    """The lines that are settled before anything is stored, and the drafts of the others."""

    format: str
    settled: tuple[Line, ...]
    items: tuple[Item, ...]
    drafts: tuple[Draft, ...]


def run_import(
    actor: Actor,
    bank: str | None,
    text: str | Sequence[Any],
    *,
    dry_run: bool = False,
    source: str = "",
) -> ImportReport:
    """Import pasted text, or a list that came in parsed. Needs `read_write`.

    Each line that can be a memory is one operation of the daily cap, checked for all before anything
    is written. Raises `InvalidArgument` for nothing or more than 500 and for broken JSON,
    `DailyCapReached`, `TierInsufficient`, `NotFound`. A dry run writes and counts nothing, and tells
    exact repeats only: near-duplicates are found by the vectors.
    """
    parsed = _parse(text, source)
    if dry_run:
        return _foreseen(actor, bank, parsed)
    import_id = new_id("imp")
    reports: list[ImportReport] = []

    def record(book: ledger.Book, saved: list[Saved]) -> None:
        reports.append(_record(book, import_id, parsed, saved))

    if parsed.drafts:
        save_many(actor, bank, parsed.drafts, import_id=import_id, also=record)
    else:
        with acting_as(actor):
            access = resolve(actor, bank)
            access.require("read_write")
            with ledger.opened(access) as book:
                record(book, [])
    return reports[-1]


def undo_import(actor: Actor, bank: str | None, import_id: str) -> ImportReport:
    """Put exactly what an import created into the bin. Needs `full`; a second undo changes nothing.

    What it found known already stays, with the tags that it was given. Raises `NotFound`.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            job = imports.find(book.access, import_id).job
            if job.status == ImportJob.Status.RUNNING:
                raise Conflict("This import is still running.", hint="Wait until it is done.")
            if job.status == ImportJob.Status.DONE:
                created = Memory.objects.filter(
                    bank_id=book.bank.id, import_id=job.id, deleted_at=None
                )
                memories = list(created.order_by("id"))
                bin_many_inside(book, memories)
                book.append("undo_import", job.id, counters={"binned": len(memories)})
                job.status = ImportJob.Status.UNDONE
                job.save(update_fields=["status"])
        return _report(imports.find(access, import_id))


def report_of(actor: Actor, bank: str | None, import_id: str) -> ImportReport:
    """The kept report of an import. Raises `NotFound`."""
    with acting_as(actor):
        return _report(imports.find(resolve(actor, bank), import_id))


def list_imports(
    actor: Actor, bank: str | None, *, after: str | None = None, limit: int = 50
) -> imports.Page:
    """The imports of a bank, newest first, without their lines."""
    with acting_as(actor):
        return imports.list_page(resolve(actor, bank), after=after, limit=limit)


def _parse(text: str | Sequence[Any], source: str) -> _Parsed:
    reading = read_import(text) if isinstance(text, str) else read_items(text)
    _refuse_wrong_number(reading, "text" if isinstance(text, str) else "items")
    settled: list[Line] = []
    items: list[Item] = []
    drafts: list[Draft] = []
    for item in reading.items:
        draft, line = _judge_item(item, source)
        if draft is None:
            settled.append(line)
        else:
            items.append(item)
            drafts.append(draft)
    return _Parsed(
        format=reading.format, settled=tuple(settled), items=tuple(items), drafts=tuple(drafts)
    )


def _judge_item(item: Item, source: str) -> tuple[Draft | None, Line]:
    line = Line(number=item.number, outcome="refused", text=_shown(item.text))
    if item.skipped:
        return None, replace(line, outcome="skipped", reason=item.skipped)
    if item.problem:
        return None, replace(line, reason=item.problem)
    try:
        return parse_draft(**item.fields, default_source=source or SOURCE), line
    except InvalidArgument as error:
        return None, replace(line, reason=error.message[:300])


def _refuse_wrong_number(reading: Reading, name: str) -> None:
    number = len(reading.wanted)
    if number == 0:
        raise InvalidArgument(
            f"{name} holds nothing to import.",
            hint="Send one memory a line, or a JSON list of strings or objects.",
            field=name,
        )
    if number > ITEMS_LIMIT:
        raise InvalidArgument(
            f"{name} holds {number:,} memories; at most {ITEMS_LIMIT} are imported at a time.",
            hint="Split it into several imports. Nothing was stored.",
            field=name,
            details={"limit": ITEMS_LIMIT, "number": number},
        )


def _record(
    book: ledger.Book, import_id: str, parsed: _Parsed, saved: Sequence[Saved]
) -> ImportReport:
    """The report as rows, in the transaction of the memories. Two inserts."""
    lines = _in_order([*parsed.settled, *_outcomes(parsed.items, saved)])
    counts = dict(Counter(line.outcome for line in lines))
    bank = book.bank
    job = ImportJob.objects.create(
        organization_id=bank.organization_id,
        bank_id=bank.id,
        id=import_id,
        actor=book.access.actor.id,
        format=parsed.format,
        status=ImportJob.Status.DONE,
        counts=counts,
        created_at=book.moment,
        finished_at=now(),
    )
    ImportLine.objects.bulk_create(
        ImportLine(
            organization_id=bank.organization_id,
            bank_id=bank.id,
            import_id=import_id,
            number=line.number,
            outcome=line.outcome,
            memory_id=line.memory_id,
            reason=line.reason,
            text=line.text,
        )
        for line in lines
    )
    book.append("run_import", import_id, counters=counts)
    return ImportReport(
        import_id=job.id, format=job.format, status=job.status, lines=lines, counts=counts
    )


def _outcomes(items: Sequence[Item], saved: Sequence[Saved]) -> Iterable[Line]:
    created: dict[str, int] = {}
    for item, one in zip(items, saved, strict=True):
        memory = one.memory
        reason = ""
        if one.status == "known":
            reason = _why_known(memory, created.get(memory.id))
        else:
            created[memory.id] = item.number
        yield Line(
            number=item.number,
            outcome=one.status,
            text=_shown(item.text),
            memory_id=memory.id,
            reason=reason,
        )


def _why_known(memory: Memory, earlier: int | None) -> str:
    if earlier is not None:
        return f"the same as item {earlier}"
    if memory.retired_at is not None:
        return "stored and retired; an import revives nothing"
    return "stored already"


def _foreseen(actor: Actor, bank: str | None, parsed: _Parsed) -> ImportReport:
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        usage.require_room(actor, len(parsed.drafts))
        stored = _stored(access, parsed.drafts)
    seen: dict[str, int] = {}
    lines = list(parsed.settled)
    for item, draft in zip(parsed.items, parsed.drafts, strict=True):
        key = dedupe_key(draft.content)
        line = Line(number=item.number, outcome="created", text=_shown(item.text))
        if key in stored:
            reason = _why_known(stored[key], None)
            line = replace(line, outcome="known", memory_id=stored[key].id, reason=reason)
        elif key in seen:
            line = replace(line, outcome="known", reason=_why_known(Memory(), seen[key]))
        seen.setdefault(key, item.number)
        lines.append(line)
    ordered = _in_order(lines)
    return ImportReport(
        import_id="",
        format=parsed.format,
        status="dry_run",
        lines=ordered,
        counts=dict(Counter(line.outcome for line in ordered)),
    )


def _stored(access: Access, drafts: Sequence[Draft]) -> dict[str, Memory]:
    """What says exactly this already, live before retired. One query."""
    keys = {dedupe_key(draft.content) for draft in drafts}
    rows = Memory.objects.filter(
        bank_id=access.bank.id, dedupe_key__in=keys, deleted_at=None
    ).order_by("retired_at")
    found: dict[str, Memory] = {}
    for row in rows:
        if row.dedupe_key and (row.retired_at is None or row.dedupe_key not in found):
            found[row.dedupe_key] = row
    return found


def _report(kept: imports.Kept) -> ImportReport:
    lines = tuple(
        Line(
            number=row.number,
            outcome=row.outcome,
            text=row.text,
            memory_id=row.memory_id,
            reason=row.reason,
        )
        for row in kept.lines
    )
    job = kept.job
    return ImportReport(
        import_id=job.id, format=job.format, status=job.status, lines=lines, counts=job.counts
    )


def _in_order(lines: Iterable[Line]) -> tuple[Line, ...]:
    return tuple(sorted(lines, key=lambda line: line.number))


def _shown(text: str) -> str:
    """For the report: cut between two graphemes, and without what the database can't hold."""
    return cut(_UNSTORABLE.sub("", text[: 2 * SHOWN_CHARACTERS]), SHOWN_CHARACTERS)[0]
