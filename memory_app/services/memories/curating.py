"""What people do with memories: retire, revive, delete to the bin, restore, erase. All need `full`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.models import Link, Memory
from memory_app.queries.access import resolve
from memory_app.queries.memories import find
from memory_app.services import ledger
from memory_app.services.graph import pruning
from memory_app.services.memories import storing
from memory_app.services.memories.repeating import refusing_repeats

BIN_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """A binned memory and what went along with it."""

    memory: Memory
    # False where it was in the bin already.
    removed: bool = True
    pruned: pruning.Pruned = field(default_factory=pruning.Pruned)
    links_removed: int = 0


def retire(
    actor: Actor,
    bank: str | None,
    reference: str,
    *,
    reason: str = "",
    superseded_by: str | None = None,
) -> Memory:
    """Take a memory out of search and profile; it stays readable and can be revived.

    Retiring a retired one changes nothing. Raises `NotFound` for an unknown replacement.
    """
    with changing(actor, bank, reference) as (book, memory):
        if memory.deleted_at is not None:
            raise binned()
        if memory.retired_at is None:
            replacement = find(book.access, superseded_by) if superseded_by else None
            if replacement is not None and replacement.deleted_at is not None:
                raise Conflict(
                    "A memory in the bin can't replace another one.",
                    hint="Restore it first, or leave superseded_by out.",
                    field="superseded_by",
                )
            if replacement is not None and replacement.id == memory.id:
                raise Conflict(
                    "A memory can't replace itself.",
                    hint="Name another memory in superseded_by, or leave it out.",
                    field="superseded_by",
                )
            storing.retire_inside(
                book, memory, reason=reason or "retired by hand", superseded_by=replacement
            )
        return memory


def revive(actor: Actor, bank: str | None, reference: str) -> Memory:
    """Make a retired memory live again. What had replaced it stays as it is.

    Raises `Conflict` when a live memory says the same by now.
    """
    with changing(actor, bank, reference) as (book, memory):
        if memory.deleted_at is not None:
            raise binned()
        if memory.retired_at is not None:
            storing.revive_inside(book, memory, reason="revived by hand")
        return memory


def delete(actor: Actor, bank: str | None, reference: str) -> Memory:
    """Put a memory into the bin for 30 days. Deleting a binned one changes nothing."""
    return forget(actor, bank, reference).memory


def forget(actor: Actor, bank: str | None, reference: str) -> Deleted:
    """`delete`, with what went along: entities and relationships that only it backed, links (A14)."""
    with changing(actor, bank, reference) as (book, memory):
        return bin_inside(book, memory)


def bin_inside(book: ledger.Book, memory: Memory) -> Deleted:
    """Put a memory of the locked bank into the bin, unless it is there."""
    if memory.deleted_at is not None:
        return Deleted(memory=memory, removed=False)
    seq = book.append(
        "forget",
        memory.id,
        before=memory.head_watermark,
        content={"content": memory.content, "retired": memory.retired_at is not None},
    )
    memory.deleted_at = book.moment
    touch(book, memory, seq)
    storing.close_cells([memory], until=seq)
    pruned = pruning.release(book, memory, until=seq, entities=True)
    return Deleted(memory=memory, pruned=pruned, links_removed=_close_links(book, memory))


def restore(actor: Actor, bank: str | None, reference: str) -> Memory:
    """Take a memory out of the bin, in the state (live or retired) it had.

    Raises `Conflict` when a live memory says the same by now.
    """
    with changing(actor, bank, reference) as (book, memory):
        if memory.deleted_at is not None:
            restore_inside(book, memory)
        return memory


def restore_inside(book: ledger.Book, memory: Memory) -> int:
    """Take a binned memory of the locked bank out of the bin, with the links that went with it."""
    closed_at = memory.head_watermark
    seq = book.append("restore", memory.id, before=memory.head_watermark)
    memory.deleted_at = None
    touch(book, memory, seq)
    Link.objects.filter(
        storing.incident(memory), bank_id=memory.bank_id, until=closed_at + 1
    ).update(until=None)
    if memory.retired_at is None:
        storing.reopen_cells(memory, closed_at=closed_at, since=seq)
        pruning.take_back(book, memory, closed_at=closed_at, since=seq)
    else:
        pruning.names_back(book, memory, closed_at=closed_at, since=seq)
    return seq


def erase(actor: Actor, bank: str | None, reference: str) -> str:
    """Remove a binned memory for good, with cells, versions and links; the ledger keeps the fact.

    Returns the id. Raises `Conflict` unless it is in the bin.
    """
    with changing(actor, bank, reference) as (book, memory):
        if memory.deleted_at is None:
            raise Conflict(
                "Only a memory in the bin can be erased.", hint="Delete it first.", field="id"
            )
        book.append("erase", memory.id, before=memory.head_watermark)
        Memory.objects.filter(bank_id=memory.bank_id, id=memory.id)._raw_delete("default")
        return str(memory.id)


@contextmanager
def changing(
    actor: Actor, bank: str | None, reference: str
) -> Iterator[tuple[ledger.Book, Memory]]:
    """The memory inside its locked bank, for a caller that holds `full`."""
    with refusing_repeats(), acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            yield book, find(access, reference)


def touch(book: ledger.Book, memory: Memory, seq: int) -> None:
    """Write a memory's pin, bin and place in the ledger; it counts as changed now."""
    memory.head_watermark = seq
    memory.updated_at = book.moment
    memory.save(update_fields=["pinned_at", "deleted_at", "head_watermark", "updated_at"])


def _close_links(book: ledger.Book, memory: Memory) -> int:
    """End the links of a binned memory, with one entry that says how many; answers that."""
    live = Link.objects.filter(storing.incident(memory), bank_id=memory.bank_id, until=None)
    number = live.count()
    if number:
        seq = book.append("edge_cascade_forget", memory.id, counters={"links_removed": number})
        live.update(until=seq)
    return number


def binned() -> Conflict:
    """The refusal of a change that a memory in the bin can't take."""
    return Conflict("This memory is in the bin.", hint="Restore it first.", field="id")
