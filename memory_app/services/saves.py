"""Recall saves: a reader says that a fact somebody wrote saved it work (D6)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.text import fold
from memory_app.models import RecallSave
from memory_app.queries.access import resolve
from memory_app.queries.memories import find
from memory_app.queries.provenance import last_recall_of
from memory_app.services import ledger

NOTE_LIMIT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRecorded:
    """`recorded` is false for a note that is there already."""

    recorded: bool
    counted: bool
    writer: str
    reader: str


def record_save(actor: Actor, bank: str | None, fact: str, note: str) -> SaveRecorded:
    """Record that a fact saved its reader work. Needs `read_write`.

    The writer comes from the fact, the reader from the credential; one's own facts are recorded and
    don't count. Raises `Conflict` for a fact that no read of this bank ever returned.
    """
    digest = hashlib.sha256(fold(note).encode()).hexdigest()
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        memory = find(access, fact)
        recall = last_recall_of(access, memory.id, reader=actor.id)
        if recall is None:
            raise Conflict(
                "No read in this scope ever returned this fact.",
                hint="Record a save for a fact that a query answered with.",
                field="fact_id",
            )
        counted = memory.author != actor.id
        with ledger.opened(access) as book:
            saved, is_new = RecallSave.objects.get_or_create(
                bank_id=access.bank.id,
                memory_id=memory.id,
                reader=actor.id,
                note_digest=digest,
                defaults={
                    "organization_id": access.bank.organization_id,
                    "recall_id": recall,
                    "writer": memory.author,
                    "note": note,
                    "counted": counted,
                    "created_at": book.moment,
                },
            )
            if is_new:
                book.append("recall_save", memory.id, content={"save": saved.id, "note": note})
    return SaveRecorded(
        recorded=is_new, counted=saved.counted, writer=saved.writer, reader=saved.reader
    )
