"""Entities, their facts and their history as templates show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.operations import describe
from memory_app.domain.text import cut
from memory_app.models import Assertion, Entity, LedgerEntry, Relationship
from memory_app.queries.entities import EntityStory, Fact
from memory_app.services.entities import UNDO, UNDOABLE
from memory_app.services.seeing import Seen

SNIPPET = 320
_RESOLVED = {
    "new": "first named here",
    "existing": "by its name",
    "alias": "by an alias",
    "chosen": "chosen by the writer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRow:
    id: str
    name: str
    type: str
    degree: int
    description: str
    aliases: tuple[str, ...]
    url: str
    graph_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow:
    """A memory about the entity; `resolved` says how its words led to it."""

    id: str
    snippet: str
    url: str
    author: ActorName
    at: datetime
    valid_from: datetime
    valid_until: datetime | None
    counts: bool
    named: str
    resolved: str
    states: tuple[str, ...]
    confidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """The other end of a relationship; `arrow` says which way it points."""

    id: str
    name: str
    type: str
    relation: str
    outward: bool
    degree: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityChange:
    icon: str
    who: str
    did: str
    detail: str
    at: datetime
    undo_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    name: str
    at: datetime | None
    undo_url: str


def present_rows(
    place: Place, entities: Iterable[Entity], aliases: Mapping[str, Sequence[str]]
) -> list[EntityRow]:
    return [
        EntityRow(
            id=one.id,
            name=one.name,
            type=one.type,
            degree=one.degree,
            description=cut(one.description, 160)[0],
            aliases=tuple(aliases.get(one.id, ())),
            url=place.url("entity", one.id),
            graph_url=f"{place.url('graph')}?focus={one.id}",
        )
        for one in entities
    ]


def present_facts(
    place: Place, facts: Iterable[Fact], names: Mapping[str, ActorName]
) -> list[FactRow]:
    return [_fact(place, fact, names) for fact in facts]


def _fact(place: Place, fact: Fact, names: Mapping[str, ActorName]) -> FactRow:
    memory, mention = fact.memory, fact.mention
    return FactRow(
        id=memory.id,
        snippet=cut(memory.content, SNIPPET)[0],
        url=place.url("memory", memory.id),
        author=names[memory.author],
        at=memory.created_at,
        valid_from=memory.observed_at or memory.created_at,
        valid_until=memory.retired_at,
        counts=mention.until is None,
        named=mention.name,
        resolved=_RESOLVED.get(mention.resolution, mention.resolution),
        states=tuple(_stated(one) for one in fact.assertions),
        confidence=next((one.confidence for one in fact.assertions if one.confidence), ""),
    )


def _stated(assertion: Assertion) -> str:
    edge = assertion.relationship
    return f"{edge.source.name} — {edge.type} → {edge.target.name}"


def present_neighbours(entity: Entity, edges: Iterable[Relationship]) -> list[Neighbour]:
    """The best connected first."""
    found = []
    for edge in edges:
        outward = edge.source_id == entity.id
        other = edge.target if outward else edge.source
        found.append(
            Neighbour(
                id=other.id,
                name=other.name,
                type=other.type,
                relation=edge.type,
                outward=outward,
                degree=other.degree,
            )
        )
    return sorted(found, key=lambda one: (-one.degree, one.name, one.relation))


def present_changes(
    place: Place, entity: Entity, story: EntityStory, names: Mapping[str, ActorName]
) -> list[EntityChange]:
    """What was done to the entity by hand, newest first; what can still be undone says how."""
    undone = {
        content.get("undone")
        for entry in story.entries
        if entry.operation == UNDO and (content := story.contents.get(entry.seq))
    }
    changes = []
    for entry in story.entries:
        icon, did = describe(entry.operation)
        may = entry.operation in UNDOABLE and entry.seq not in undone and entity.until is None
        changes.append(
            EntityChange(
                icon=icon,
                who=names[entry.actor].name,
                did=did,
                detail=_detail(entry, story.contents.get(entry.seq, {})),
                at=entry.created_at,
                undo_url=place.url("entity-undo", entity.id, str(entry.seq)) if may else "",
            )
        )
    return changes


def present_merges(place: Place, entity: Entity, story: EntityStory) -> list[Merged]:
    return [
        Merged(
            name=variant.name,
            at=row.decided_at,
            undo_url=place.url("entity-unmerge", entity.id, row.id),
        )
        for row, variant in story.merges
        if variant.merged_into == entity.id
    ]


def authors_in(seen: Seen) -> set[str]:
    """Everybody whose name the page shows."""
    authors = {fact.memory.author for fact in seen.facts.facts}
    return authors | {entry.actor for entry in seen.story.entries} | {seen.entity.created_by}


def _detail(entry: LedgerEntry, content: Mapping[str, object]) -> str:
    before, after = content.get("before"), content.get("after")
    if isinstance(before, dict) and isinstance(after, dict):
        changed = [name for name in after if before.get(name) != after[name]]
        return ", ".join(
            f"{before.get(name)} → {after[name]}" if name in {"name", "type"} else name
            for name in changed
        )
    name = content.get("name")
    return str(name) if name else ""
