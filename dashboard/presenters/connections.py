"""Entities, relationships and links of one memory, with how each name found its entity."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.place import Place
from dashboard.presenters.memories import Pointer, point_to
from memory_app.models import Mention
from memory_app.queries.connections import Connection, Connections

_RESOLVED = {
    "new": "new with this memory",
    "existing": "known by this name",
    "chosen": "chosen among several",
}
_TYPES = {
    "session_of": ("of the same session as", "of the same session as"),
    "references": ("refers to", "referred to by"),
    "parent_of": ("parent of", "part of"),
    "derived_from": ("derived from", "source of"),
    "supersedes": ("replaces", "replaced by"),
    "contradicts": ("contradicts", "contradicted by"),
    "vector_neighbor": ("near in meaning to", "near in meaning to"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """`written` is how the memory calls the entity, where that differs; `how` it was resolved."""

    name: str
    written: str
    type: str
    how: str
    url: str
    list_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    source: str
    source_url: str
    relation: str
    target: str
    target_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    label: str
    other: Pointer
    score: float | None
    remove_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    entities: tuple[Named, ...]
    facts: tuple[Fact, ...]
    links: tuple[Linked, ...]
    neighbours: tuple[Linked, ...]


def present_connections(place: Place, found: Connections) -> Surroundings:
    links = [_linked(place, each) for each in found.links]
    own = [each.link.type != "vector_neighbor" for each in found.links]
    return Surroundings(
        entities=tuple(_named(place, mention) for mention in found.mentions),
        facts=tuple(
            Fact(
                source=row.relationship.source.name,
                source_url=place.url("entity", str(row.relationship.source_id)),
                relation=row.relationship.type,
                target=row.relationship.target.name,
                target_url=place.url("entity", str(row.relationship.target_id)),
            )
            for row in found.assertions
        ),
        links=tuple(link for link, ours in zip(links, own, strict=True) if ours),
        neighbours=tuple(link for link, ours in zip(links, own, strict=True) if not ours),
    )


def _named(place: Place, mention: Mention) -> Named:
    entity = mention.entity
    return Named(
        name=entity.name,
        written=mention.name if mention.name != entity.name else "",
        type=entity.type,
        how=_RESOLVED.get(mention.resolution, mention.resolution),
        url=place.url("entity", entity.id),
        list_url=f"{place.url('memories')}?entity={entity.id}",
    )


def _linked(place: Place, each: Connection) -> Linked:
    out, back = _TYPES.get(each.link.type, (each.link.type, each.link.type))
    return Linked(
        label=out if each.outgoing else back,
        other=point_to(place, each.other),
        score=each.link.score,
        remove_url=place.url("link-remove", each.link.id)
        if each.link.type not in ("vector_neighbor", "supersedes")
        else "",
    )
