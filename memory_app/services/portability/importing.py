"""An exported bank into an empty one: all of it, or nothing (docs/export.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DataError, IntegrityError, models

from accounts.actor import Actor
from accounts.roles import require_role
from accounts.services.audit import record
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.lexemes import count_words
from memory_app.models import Bank, Cell, File, LedgerEntry, Memory
from memory_app.queries.access import Access, resolve
from memory_app.services import jobs, ledger, planner_statistics
from memory_app.services.files import QuotaReached, room_left
from memory_app.services.memories import storing
from memory_app.services.portability.checking import Header, Reading, read_header

BATCH = 500
BATCH_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """`unchanged` says that the bank held everything already, and nothing was written."""

    unchanged: bool
    head_watermark: int
    counts: Mapping[str, int]


def import_bank(actor: Actor, bank: str | None, file: IO[bytes]) -> Imported:
    """Take a file of `export_bank` into an empty bank; into the one it came from it changes nothing.

    The file is read twice and must be seekable. Memories are found by word at once; a job makes
    their vectors. Administrators only. Raises `InvalidArgument` with a line number, and `Conflict`
    when the bank holds something else; nothing is written then.
    """
    with acting_as(actor):
        target = resolve(actor, bank).bank
    require_role(actor, "admin", to="import a whole bank")
    header = read_header(file)
    trial = Reading(file=file, header=header, bank=target)
    for _ in trial.checked():
        pass
    stored: list[str] = []
    try:
        with acting_as(actor):
            access = resolve(actor, target.id)
            access.require("full")
            with ledger.opened(access) as book:
                unchanged = _holds(book.bank, header, trial.head_hash)
                if not unchanged:
                    _require_empty(book.bank)
                    _store(access, Reading(file=file, header=header, bank=book.bank), stored)
        stored.clear()
    except (IntegrityError, DataError) as error:
        raise InvalidArgument(
            "Rows of the file contradict each other: "
            + str(error).partition("\n")[0].replace(target.id, "")[:200],
            hint="Nothing was stored. Export the bank again, and import the file unchanged.",
            field="file",
        ) from None
    finally:
        for name in stored:
            default_storage.delete(name)
    return Imported(unchanged=unchanged, head_watermark=header.head_watermark, counts=header.counts)


def _holds(bank: Bank, header: Header, head_hash: str) -> bool:
    """Whether the bank's ledger begins with the file's."""
    if header.bank == bank.id and header.head_hash == bank.head_hash:
        return True
    return LedgerEntry.objects.filter(
        bank_id=bank.id, seq=header.head_watermark, hash=head_hash
    ).exists()


def _require_empty(bank: Bank) -> None:
    if bank.head_watermark or Memory.objects.filter(bank_id=bank.id).exists():
        raise Conflict(
            f"Bank '{bank.slug}' isn't empty: its ledger has {bank.head_watermark:,} entries.",
            hint="Create a new bank and import the file there.",
        )


def _store(access: Access, reading: Reading, stored: list[str]) -> None:
    bank = reading.bank
    for kind, rows in groupby(_both(access, reading, stored), key=lambda pair: pair[0]):
        for batch in _batches(rows, reading.file):
            if kind == "cell":
                _add_words(bank, [row for row in batch if isinstance(row, Cell)])
            type(batch[0])._default_manager.bulk_create(batch)
    Bank.objects.filter(id=bank.id).update(
        head_watermark=reading.header.head_watermark,
        head_hash=reading.head_hash,
        **reading.header.settings,
    )
    record(
        access.actor,
        "bank.imported",
        bank.id,
        origin=reading.header.bank,
        origin_hash=reading.header.head_hash,
        head_watermark=reading.header.head_watermark,
    )
    jobs.enqueue(access, "rebuild_vectors")
    planner_statistics.enqueue_after(access, sum(reading.header.counts.values()))


def _batches(
    rows: Iterator[tuple[str, models.Model]], file: IO[bytes]
) -> Iterator[list[models.Model]]:
    """At most 500 rows or about 8 MB of the file at once, whatever a line holds."""
    batch: list[models.Model] = []
    start = file.tell()
    for _, row in rows:
        batch.append(row)
        if len(batch) >= BATCH or file.tell() - start > BATCH_BYTES:
            yield batch
            batch, start = [], file.tell()
    if batch:
        yield batch


def _both(
    access: Access, reading: Reading, stored: list[str]
) -> Iterator[tuple[str, models.Model]]:
    """The rows, with the ledger's contents in batches behind their entries, and files in place."""
    room = room_left(access)
    waiting: list[models.Model] = []
    start = reading.file.tell()
    for kind, row in reading.checked():
        if isinstance(row, File):
            room -= row.size
            if room < 0:
                raise QuotaReached(
                    "The organization has no room for the files of this bank.",
                    hint="Delete files, or ask the operator for a larger quota.",
                )
            name = f"{row.organization_id}/{row.bank_id}/{row.id}"
            row.storage_name = default_storage.save(name, ContentFile(reading.data))
            stored.append(row.storage_name)
        if kind != "content":
            yield kind, row
            continue
        waiting.append(row)
        if len(waiting) >= BATCH or reading.file.tell() - start > BATCH_BYTES:
            yield from (("content", one) for one in waiting)
            waiting, start = [], reading.file.tell()
    yield from (("content", one) for one in waiting)


def _add_words(bank: Bank, cells: list[Cell]) -> None:
    """What each cell is found by, from its memory as it stands now."""
    wanted = {cell.memory_id for cell in cells}
    memories: dict[Any, Memory] = {
        memory.id: memory for memory in Memory.objects.filter(bank_id=bank.id, id__in=wanted)
    }
    for cell in cells:
        document = storing.document_of(memories[cell.memory_id], cell.text)
        cell.words = storing.words_of(document, language=bank.text_search)
        cell.length = count_words(document)
