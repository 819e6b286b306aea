"""The head of the profile: what people pin, unpin and confirm, and how that is taken back. All need
`full`.
"""

from __future__ import annotations

from typing import Any

from accounts.actor import Actor
from memory_app.domain.errors import Conflict
from memory_app.domain.times import iso, parse_instant
from memory_app.models import LedgerContent, LedgerEntry, Memory
from memory_app.services import ledger
from memory_app.services.memories.curating import binned, changing, touch

_CHANGES = ("pin", "unpin", "confirm_pin")


def pin(actor: Actor, bank: str | None, reference: str) -> Memory:
    """Put a memory at the head of the profile. Pinning a pinned one changes nothing."""
    with changing(actor, bank, reference) as (book, memory):
        _refuse_unless_live(memory)
        if memory.pinned_at is None:
            set_inside(book, memory, "pin")
        return memory


def unpin(actor: Actor, bank: str | None, reference: str) -> Memory:
    """Take a memory from the head of the profile."""
    with changing(actor, bank, reference) as (book, memory):
        if memory.deleted_at is not None:
            raise binned()
        if memory.pinned_at is not None:
            set_inside(book, memory, "unpin")
        return memory


def confirm_pin(actor: Actor, bank: str | None, reference: str) -> Memory:
    """Say that a pinned memory still holds: its pin counts as new. Raises `Conflict` for no pin."""
    with changing(actor, bank, reference) as (book, memory):
        _refuse_unless_live(memory)
        if memory.pinned_at is None:
            raise Conflict("This memory isn't pinned.", hint="Pin it instead.", field="id")
        set_inside(book, memory, "confirm_pin")
        return memory


def undo_pin(actor: Actor, bank: str | None, reference: str) -> Memory:
    """Take the last pin, unpin or confirmation back: an old pin is as old as it was.

    Raises `Conflict` when the memory has changed since, or nothing of the kind was done last.
    """
    with changing(actor, bank, reference) as (book, memory):
        return undo_inside(book, memory)


def undo_inside(book: ledger.Book, memory: Memory) -> Memory:
    """`undo_pin` inside the bank's open book. Raises `Conflict`, having written nothing."""
    before = _last_change(book, memory)
    seq = book.append("undo_pin", memory.id, before=memory.head_watermark)
    memory.pinned_at = _moment(before.get("pinned_at"))
    memory.head_watermark = seq
    memory.updated_at = _moment(before.get("updated_at")) or book.moment
    memory.save(update_fields=["pinned_at", "head_watermark", "updated_at"])
    return memory


def set_inside(book: ledger.Book, memory: Memory, operation: str) -> None:
    """Pin, unpin or confirm inside the bank's open book, with what an undo needs."""
    was = {"pinned_at": _text(memory.pinned_at), "updated_at": _text(memory.updated_at)}
    memory.pinned_at = None if operation == "unpin" else book.moment
    seq = book.append(operation, memory.id, before=memory.head_watermark, content={"before": was})
    touch(book, memory, seq)


def _last_change(book: ledger.Book, memory: Memory) -> dict[str, Any]:
    """What stood before the memory's last change, if that was of its pin."""
    last = {"bank_id": book.bank.id, "seq": memory.head_watermark}
    entry = LedgerEntry.objects.filter(**last, operation__in=_CHANGES).first()
    content = LedgerContent.objects.filter(**last).first() if entry is not None else None
    if content is None or "before" not in content.content:
        raise Conflict(
            "This memory has changed since; its pin can't be taken back any more.",
            hint="Pin or unpin it on its own page.",
            field="id",
        )
    return dict(content.content["before"])


def _text(moment: Any) -> str | None:
    return iso(moment) if moment is not None else None


def _moment(text: str | None) -> Any:
    return parse_instant(text, field="pinned_at") if text else None


def _refuse_unless_live(memory: Memory) -> None:
    if memory.deleted_at is not None:
        raise binned()
    if memory.retired_at is not None:
        raise Conflict("This memory is retired.", hint="Revive it first, then pin it.", field="id")
