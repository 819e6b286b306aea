"""Importing up to 500 memories at once: all of it with a report of every line, or nothing (E9).

The memories, the report and the ledger are one transaction, so an import that is killed is absent.
The judge is skipped: a bulk paste retires and revives nothing that is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import new_id
from memory_app.domain.values import Draft
from memory_app.formats import Item, Reading, read_import, read_items
from memory_app.models import ImportJob, ImportLine
from memory_app.providers.clock import now
from memory_app.queries.access import resolve
from memory_app.services import ledger, usage
from memory_app.services.importing.lines import (
    ImportReport,
    Line,
    foreseen_of,
    in_order,
    judge_item,
    outcome_of,
    shown,
)
from memory_app.services.memories.foreseeing import Earlier, foresee
from memory_app.services.memories.saving import Saved, save_many

ITEMS_LIMIT = 500
# Where a memory comes from when nobody says.
SOURCE = "import"


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
    form: str = "",
    mapping: Mapping[str, str] | None = None,
) -> ImportReport:
    """Import pasted text, or a list that came in parsed. Needs `read_write`.

    Each line that can be a memory is one operation of the daily cap, checked for all before anything
    is written. Raises `InvalidArgument` for nothing or more than 500 and for broken JSON,
    `DailyCapReached`, `TierInsufficient`, `NotFound`. A dry run plans as the import does, writes and
    counts nothing.
    """
    parsed = _parse(text, source, form, mapping)
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


def _parse(
    text: str | Sequence[Any], source: str, form: str, mapping: Mapping[str, str] | None
) -> _Parsed:
    if isinstance(text, str):
        reading = read_import(text, form=form, mapping=mapping)
    else:
        reading = read_items(text, mapping=mapping)
    _refuse_wrong_number(reading, "text" if isinstance(text, str) else "items")
    settled: list[Line] = []
    items: list[Item] = []
    drafts: list[Draft] = []
    for item in reading.items:
        draft, line = judge_item(item, source or SOURCE)
        if draft is None:
            settled.append(line)
        else:
            items.append(item)
            drafts.append(draft)
    return _Parsed(
        format=reading.format, settled=tuple(settled), items=tuple(items), drafts=tuple(drafts)
    )


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
            hint="Split it into several imports, or upload it as a file. Nothing was stored.",
            field=name,
            details={"limit": ITEMS_LIMIT, "number": number},
        )


def _record(
    book: ledger.Book, import_id: str, parsed: _Parsed, saved: Sequence[Saved]
) -> ImportReport:
    """The report as rows, in the transaction of the memories. Two inserts."""
    lines = in_order([*parsed.settled, *_outcomes(parsed.items, saved)])
    added = {
        item.number: {"tags_added": list(one.tags_added)}
        for item, one in zip(parsed.items, saved, strict=True)
        if one.tags_added
    }
    counts = dict(Counter(line.outcome for line in lines))
    bank = book.bank
    moment = now()
    job = ImportJob.objects.create(
        organization_id=bank.organization_id,
        bank_id=bank.id,
        id=import_id,
        actor=book.access.actor.id,
        format=parsed.format,
        status=ImportJob.Status.DONE,
        counts=counts,
        total=len(parsed.drafts),
        cursor=len(parsed.drafts),
        created_at=book.moment,
        updated_at=moment,
        finished_at=moment,
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
            fields=added.get(line.number),
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
        line = Line(number=item.number, outcome="", text=shown(item.text))
        yield outcome_of(line, one, created.get(one.memory.id))
        if one.status != "known":
            created[one.memory.id] = item.number


def _foreseen(actor: Actor, bank: str | None, parsed: _Parsed) -> ImportReport:
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        usage.require_room(actor, len(parsed.drafts))
    numbered = [
        (item.number, draft) for item, draft in zip(parsed.items, parsed.drafts, strict=True)
    ]
    fates = foresee(actor, access.bank.id, numbered, Earlier()) if numbered else []
    lines = list(parsed.settled)
    for item, fate in zip(parsed.items, fates, strict=True):
        line = Line(number=item.number, outcome="", text=shown(item.text))
        lines.append(foreseen_of(line, fate))
    ordered = in_order(lines)
    return ImportReport(
        import_id="",
        format=parsed.format,
        status="dry_run",
        lines=ordered,
        counts=dict(Counter(line.outcome for line in ordered)),
    )
