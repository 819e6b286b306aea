"""What an entity is called and how it is described: changed by hand, taken back exactly.

Inside the bank's open book. The ledger's content of a change holds what undoes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.names import name_key
from memory_app.models import Entity, EntityAlias
from memory_app.services.graph import indexing
from memory_app.services.graph.weaving import reprobe
from memory_app.services.jobs import enqueue
from memory_app.services.ledger import Book

FIELDS = ("name", "type", "description")
ALIASES_LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityChanges:
    """What is to change; None leaves a field as it is."""

    name: str | None = None
    type: str | None = None
    description: str | None = None


def change_inside(book: Book, entity: Entity, changes: EntityChanges) -> int | None:
    """Write the changes; the old name stays an alias. None when nothing differs, else the number.

    Raises `Conflict` when the new name is another entity's.
    """
    before = {name: getattr(entity, name) for name in FIELDS}
    wanted = {name: getattr(changes, name) for name in FIELDS}
    after = before | {name: value for name, value in wanted.items() if value is not None}
    if after == before:
        return None
    key = name_key(after["name"])
    moved = key != entity.name_key
    if moved:
        refuse_taken(book.bank.id, after["name"], besides=entity)
    seq = book.append(
        "entity_update" if after["name"] == before["name"] else "rename_entity",
        entity.id,
        content={
            "before": before,
            "after": after,
            "alias": entity.name_key if moved else "",
            "dropped": _taken_out(book, key) if moved else None,
        },
    )
    if moved:
        _add(book, entity, str(before["name"]))
    _write(book, entity, after)
    return seq


def add_alias_inside(book: Book, entity: Entity, name: str) -> int:
    """One more name that leads to the entity. Raises `Conflict` when it leads somewhere already."""
    if name_key(name) == entity.name_key:
        raise Conflict(
            "This is the name of the entity already.", hint="Give another spelling of it."
        )
    refuse_taken(book.bank.id, name)
    here = EntityAlias.objects.filter(bank_id=book.bank.id, entity_id=entity.id).count()
    if here >= ALIASES_LIMIT:
        raise InvalidArgument(
            f"An entity has at most {ALIASES_LIMIT} aliases.",
            hint="Remove one that nobody uses.",
            field="name",
            details={"limit": ALIASES_LIMIT},
        )
    seq = book.append("add_alias", entity.id, content={"key": name_key(name), "name": name})
    _add(book, entity, name)
    return seq


def remove_alias_inside(book: Book, entity: Entity, name: str) -> int | None:
    """The name leads nowhere from now on; None when it wasn't an alias of this entity."""
    aliases = EntityAlias.objects.filter(bank_id=book.bank.id, entity_id=entity.id)
    row = aliases.filter(name_key=name_key(name)).first()
    if row is None:
        return None
    seq = book.append("remove_alias", entity.id, content={"key": row.name_key, "name": row.name})
    row.delete()
    return seq


def undo_change(book: Book, entity: Entity, content: dict[str, Any]) -> None:
    """Put the fields back that a change has set. Raises `Conflict` when they moved on since."""
    before, after = content["before"], content["after"]
    if any(getattr(entity, name) != value for name, value in after.items()):
        raise moved_on()
    key = name_key(str(before.get("name", entity.name)))
    if key != entity.name_key:
        EntityAlias.objects.filter(bank_id=book.bank.id, entity_id=entity.id, name_key=key).delete()
        refuse_taken(book.bank.id, str(before["name"]), besides=entity)
    _write(book, entity, before)
    if dropped := content.get("dropped"):
        _add(book, entity, dropped)


def undo_alias(book: Book, entity: Entity, content: dict[str, Any], *, added: bool) -> None:
    """Take an added alias away, or put a removed one back."""
    here = EntityAlias.objects.filter(bank_id=book.bank.id, name_key=content["key"])
    if not added:
        refuse_taken(book.bank.id, content["name"])
        _add(book, entity, content["name"])
    elif not here.filter(entity_id=entity.id).delete()[0]:
        raise moved_on()


def refuse_taken(bank_id: str, name: str, *, besides: Entity | None = None) -> None:
    """Raise `Conflict` when the name leads to an entity other than `besides`. Two queries."""
    key = name_key(name)
    mine = "" if besides is None else besides.id
    owner = Entity.objects.filter(bank_id=bank_id, name_key=key, until=None).first()
    alias = EntityAlias.objects.filter(bank_id=bank_id, name_key=key).first()
    holder = owner.id if owner is not None else alias.entity_id if alias is not None else ""
    if holder and holder != mine:
        raise Conflict(
            f"{name!r:.80} leads to another entity already.",
            hint="Merge the two if they are one, or take another name.",
            details={"entity": holder},
        )


def moved_on() -> Conflict:
    """What undoing answers when the undone thing was changed again."""
    return Conflict(
        "This was changed again since and can't be taken back now.",
        hint="Take the later change back first, or change it by hand.",
    )


def _write(book: Book, entity: Entity, fields: dict[str, Any]) -> None:
    described = fields.get("description", entity.description) != entity.description
    for name, value in fields.items():
        setattr(entity, name, value)
    entity.name_key = name_key(entity.name)
    entity.save(update_fields=["name_key", *fields])
    if described or "queries" in fields:
        reprobe(book, entity, {})
        if late := indexing.unembedded(book):
            enqueue(book.access, "index_entities", entity_ids=late)


def _taken_out(book: Book, key: str) -> str | None:
    """Remove the alias that becomes the entity's own name; returns its spelling."""
    row = EntityAlias.objects.filter(bank_id=book.bank.id, name_key=key).first()
    if row is None:
        return None
    row.delete()
    return row.name


def _add(book: Book, entity: Entity, name: str) -> None:
    EntityAlias.objects.create(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        name_key=name_key(name),
        name=name,
        entity_id=entity.id,
        created_by=book.access.actor.id,
        created_at=book.moment,
    )
