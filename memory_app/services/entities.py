"""What people do to one entity: rename and describe it, its aliases, parting it, and taking that back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound
from memory_app.domain.ids import is_id
from memory_app.domain.names import DESCRIPTION_LIMIT, TYPE_LIMIT, clean_name
from memory_app.domain.text import clean
from memory_app.models import Entity, LedgerContent, LedgerEntry
from memory_app.queries import past
from memory_app.queries.access import resolve
from memory_app.services.graph import naming, resolution, splitting
from memory_app.services.graph.naming import EntityChanges
from memory_app.services.ledger import Book, opened

UNDO = "undo_entity_change"
UNDOABLE = ("rename_entity", "entity_update", "add_alias", "remove_alias", "split_entity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The entity as it is now, and the ledger number that `undo` takes; None when nothing changed.

    `other` is the entity that a split made or filled.
    """

    entity: Entity
    watermark: int | None
    other: Entity | None = None


def parse_changes(
    *, name: object = None, type: object = None, description: object = None
) -> EntityChanges:
    """Raises `InvalidArgument` naming the field and its limit."""
    return EntityChanges(
        name=None if name is None else clean_name(name),
        type=None if type is None else clean(type, field="type", limit=TYPE_LIMIT, lines=False),
        description=None
        if description is None
        else clean(description, field="description", limit=DESCRIPTION_LIMIT),
    )


def change(actor: Actor, bank: str | None, reference: str, changes: EntityChanges) -> Changed:
    """Rename or describe an entity (tier `full`); the old name goes on leading to it."""
    with _curating(actor, bank, reference) as (book, entity):
        return Changed(entity=entity, watermark=naming.change_inside(book, entity, changes))


def add_alias(actor: Actor, bank: str | None, reference: str, name: object) -> Changed:
    """One more name for it (tier `full`)."""
    wanted = clean_name(name)
    with _curating(actor, bank, reference) as (book, entity):
        return Changed(entity=entity, watermark=naming.add_alias_inside(book, entity, wanted))


def remove_alias(actor: Actor, bank: str | None, reference: str, name: object) -> Changed:
    """The alias leads nowhere from now on (tier `full`). Raises `NotFound` when it isn't one."""
    wanted = clean_name(name)
    with _curating(actor, bank, reference) as (book, entity):
        seq = naming.remove_alias_inside(book, entity, wanted)
        if seq is None:
            raise NotFound("alias of this entity")
        return Changed(entity=entity, watermark=seq)


def split(
    actor: Actor,
    bank: str | None,
    reference: str,
    *,
    name: object,
    memories: Sequence[str],
    join: bool = False,
) -> Changed:
    """Some of the memories that name the entity are about another (tier `full`).

    What they say of it moves there. With `join` the other one may stand already.
    """
    wanted = clean_name(name)
    chosen = list(dict.fromkeys(memories))
    with _curating(actor, bank, reference) as (book, entity):
        _refuse_unfit(chosen)
        other, seq = splitting.part_inside(book, entity, name=wanted, memories=chosen, join=join)
        return Changed(entity=entity, watermark=seq, other=other)


def undo(actor: Actor, bank: str | None, reference: str, watermark: int) -> Changed:
    """Take one change of the entity back, by its ledger number (tier `full`).

    Raises `NotFound` for a number that is no such change, `Conflict` when a later one stands on it.
    """
    with _curating(actor, bank, reference) as (book, entity):
        entry = LedgerEntry.objects.filter(
            bank_id=book.bank.id, seq=watermark, target=entity.id, operation__in=UNDOABLE
        ).first()
        if entry is None:
            raise NotFound("change of this entity")
        content = LedgerContent.objects.filter(bank_id=book.bank.id, seq=watermark).first()
        if content is None:
            raise Conflict(
                "What would undo this has been erased.", hint="Change it by hand instead."
            )
        before = {name: getattr(entity, name) for name in past.FIELDS}
        seq = book.append(UNDO, entity.id, content={"undone": watermark, "before": before})
        if entry.operation == "split_entity":
            _refuse_undone(book, entity, watermark)
            splitting.undo_part(book, entity, watermark, content.content)
        elif entry.operation in ("add_alias", "remove_alias"):
            naming.undo_alias(book, entity, content.content, added=entry.operation == "add_alias")
        else:
            naming.undo_change(book, entity, content.content)
        return Changed(entity=entity, watermark=seq)


def _refuse_unfit(chosen: Sequence[str]) -> None:
    if len(chosen) > splitting.MEMORIES_LIMIT:
        raise InvalidArgument(
            f"memories has {len(chosen)} entries; at most {splitting.MEMORIES_LIMIT} move at once.",
            hint="Move them in several steps: join the rest to the new entity.",
            field="memories",
            details={"limit": splitting.MEMORIES_LIMIT},
        )
    if any(not is_id("mem", one) for one in chosen):
        raise InvalidArgument(
            "memories must hold ids of memories.", hint="They start with mem_.", field="memories"
        )


def _refuse_undone(book: Book, entity: Entity, watermark: int) -> None:
    done = LedgerContent.objects.filter(
        bank_id=book.bank.id,
        content__undone=watermark,
        seq__in=LedgerEntry.objects.filter(
            bank_id=book.bank.id, target=entity.id, operation=UNDO
        ).values("seq"),
    )
    if done.exists():
        raise naming.moved_on()


@contextmanager
def _curating(actor: Actor, bank: str | None, reference: str) -> Iterator[tuple[Book, Entity]]:
    """The bank's open book and the live entity, for those who may change it.

    The entity is read under the lock: what another writer did just before is seen.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with opened(access) as book:
            yield book, resolution.find(access.bank.id, reference)
