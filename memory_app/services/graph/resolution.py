"""Which entity a name means. Exact names and aliases resolve; a near match is offered, not assumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q

from memory_app.domain.errors import NotFound, WrongIdPrefix
from memory_app.domain.ids import is_id, missing
from memory_app.domain.names import name_key
from memory_app.models import Entity, EntityAlias
from memory_app.queries.past import fields_then
from memory_app.queries.standing import entity_stood_then


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The entity behind a name, and how it was found: `existing`, `alias` or `chosen`."""

    entity: Entity
    how: str


def by_names(bank_id: str, names: Iterable[str]) -> dict[str, Resolved]:
    """Live entities by the key of each name, through their own name or an alias. Two queries.

    Keys without an entity are left out.
    """
    keys = {name_key(name) for name in names}
    if not keys:
        return {}
    found = {
        row.name_key: Resolved(entity=row, how="existing")
        for row in Entity.objects.filter(bank_id=bank_id, name_key__in=keys, until=None)
    }
    aliases = {
        row.name_key: row.entity_id
        for row in EntityAlias.objects.filter(bank_id=bank_id, name_key__in=keys - found.keys())
    }
    if aliases:
        entities = by_ids(bank_id, aliases.values())
        found |= {
            key: Resolved(entity=entities[entity_id], how="alias")
            for key, entity_id in aliases.items()
            if entity_id in entities
        }
    return found


def by_ids(bank_id: str, ids: Iterable[str]) -> dict[str, Entity]:
    """Live entities by id. One query."""
    rows = Entity.objects.filter(bank_id=bank_id, id__in=set(ids), until=None)
    return {row.id: row for row in rows}


def chosen(bank_id: str, choices: Mapping[str, str]) -> dict[str, Resolved]:
    """What a caller chose explicitly: name -> entity id, by the name's key. One query.

    Raises `WrongIdPrefix` for what isn't an entity's id and `NotFound` for one that isn't a live entity's.
    """
    for name, entity_id in choices.items():
        if not is_id("ent", entity_id):
            raise WrongIdPrefix(
                f"{entity_id!r:.60} is not the id of an entity.",
                hint="Resolve a name to an id that starts with 'ent_', or to 'new'.",
                field=f"entity_resolutions.{name}",
            )
    entities = by_ids(bank_id, choices.values())
    missing = [name for name, entity_id in choices.items() if entity_id not in entities]
    if missing:
        raise NotFound("entity")
    return {
        name_key(name): Resolved(entity=entities[entity_id], how="chosen")
        for name, entity_id in choices.items()
    }


def find(bank_id: str, reference: str, *, at: int | None = None) -> Entity:
    """A live entity by id, name or alias; with a watermark one that stood then.

    Raises `NotFound`; `WrongIdPrefix` where another kind's id was given and nothing has such a name.
    """
    if "\x00" in reference:
        raise NotFound("entity")
    if at is not None:
        return _find_then(bank_id, reference, at)
    if is_id("ent", reference):
        entity = by_ids(bank_id, [reference]).get(reference)
    else:
        resolved = by_names(bank_id, [reference]).get(name_key(reference))
        entity = resolved.entity if resolved else None
    if entity is None:
        raise missing("ent", reference)
    return entity


def _find_then(bank_id: str, reference: str, at: int) -> Entity:
    """One that bore the name then goes before one that the name leads to now. Three queries at most."""
    standing = Entity.objects.filter(entity_stood_then(at), bank_id=bank_id)
    key = name_key(reference)
    if is_id("ent", reference):
        row = standing.filter(id=reference).first()
    else:
        aliases = EntityAlias.objects.filter(bank_id=bank_id, name_key=key)
        known = Q(name_key=key) | Q(id__in=aliases.values("entity_id"))
        rows = list(standing.filter(known).order_by("-since"))
        names = fields_then(bank_id, [row.id for row in rows], at)
        rows.sort(key=lambda row: name_key(str(names.get(row.id, {}).get("name", row.name))) != key)
        row = rows[0] if rows else None
    if row is None:
        raise missing("ent", reference)
    return row
