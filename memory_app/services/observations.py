"""Observations: memories with a slug, a title and a graph of their own (A1 to A14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound
from memory_app.domain.names import name_key, type_key
from memory_app.domain.values import Changes, Draft, EntityDraft, RelationDraft
from memory_app.models import Assertion, Entity, Memory, Mention, Relationship
from memory_app.queries.access import Access, resolve
from memory_app.queries.graph import edges_of
from memory_app.queries.memories import find
from memory_app.services import ledger, memories
from memory_app.services.graph import indexing, pruning, weaving
from memory_app.services.graph.pruning import Pruned
from memory_app.services.graph.weaving import Vectors, Woven
from memory_app.services.jobs import enqueue
from memory_app.services.memories import Deleted, embedding, storing

SOFT_LIMIT = 2_000
NEIGHBOURHOOD_LIMIT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """An entity of a write with the relationships around it."""

    entity: Entity
    neighbourhood: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationWritten:
    """An observation with what its write touched, warned of and asks to look at again."""

    memory: Memory
    touched: tuple[Touched, ...] = ()
    warnings: tuple[str, ...] = ()
    review_hints: tuple[str, ...] = ()
    pruned: Pruned = field(default_factory=Pruned)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationRead:
    """An observation with the entities and relationships that it states."""

    memory: Memory
    entities: tuple[Entity, ...]
    relationships: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphChanges:
    """What an update does to an observation's graph: unites, and removes only what is named."""

    entities: tuple[EntityDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    remove_entities: tuple[str, ...] = ()
    remove_relations: tuple[RelationDraft, ...] = ()

    def __bool__(self) -> bool:
        return bool(
            self.entities or self.relations or self.remove_entities or self.remove_relations
        )


def add_observation(actor: Actor, bank: str | None, draft: Draft) -> ObservationWritten:
    """Store an observation and weave its graph. Needs `read_write`; one operation of the cap."""
    saved = memories.save(actor, bank, draft)
    with acting_as(actor):
        access = resolve(actor, bank)
        return _written(access, saved.memory, saved.woven, said=draft)


def update_observation(
    actor: Actor,
    bank: str | None,
    reference: str,
    changes: Changes,
    graph: GraphChanges,
    *,
    expected_watermark: int | None = None,
) -> ObservationWritten:
    """Change fields and unite the graph in one transaction. Needs `full` (A12).

    Leaving an entity out removes nothing; the caller wins where both say something. Raises
    `CasConflict` for a stale watermark and `InvalidArgument` when nothing would change.
    """
    if not graph and not changes.named():
        raise InvalidArgument(
            "The update changes nothing.",
            hint="Send a field, entities or relationships to change.",
            field="changes",
        )
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        find(access, reference)
    vectors = embedding.embed(access.bank, [], probes=weaving.texts_to_embed(graph.entities))
    done: list[tuple[Woven, Pruned]] = []

    def reweave(book: ledger.Book, memory: Memory) -> None:
        done.append(_reweave(book, memory, graph, vectors))

    memory = memories.edit(
        actor,
        bank,
        reference,
        changes,
        expected_watermark=expected_watermark,
        also=reweave if graph else None,
    )
    woven, pruned = done[0] if done else (None, Pruned())
    with acting_as(actor):
        return _written(resolve(actor, bank), memory, woven, pruned, said=graph)


def read_observation(actor: Actor, bank: str | None, reference: str) -> ObservationRead:
    """The full text by slug or id, and its own graph. Raises `NotFound`, for a deleted one too."""
    with acting_as(actor):
        access = resolve(actor, bank)
        memory = find(access, reference)
        if memory.deleted_at is not None:
            raise NotFound("observation")
        live: dict[str, Any] = {
            "bank_id": access.bank.id,
            "memory_id": memory.id,
            "until": None,
        }
        mentions = Mention.objects.filter(**live).select_related("entity").order_by("id")
        asserted = Assertion.objects.filter(**live).order_by("id")
        edges = asserted.select_related("relationship__source", "relationship__target")
        return ObservationRead(
            memory=memory,
            entities=tuple(row.entity for row in mentions),
            relationships=tuple(row.relationship for row in edges),
        )


def delete_observation(actor: Actor, bank: str | None, reference: str) -> Deleted:
    """Put an observation into the bin with what only it backed (A14). Needs `full`.

    Raises `NotFound` for one that is deleted already.
    """
    deleted = memories.forget(actor, bank, reference)
    if not deleted.removed:
        raise NotFound("observation")
    return deleted


def neighbourhoods(access: Access, entities: Sequence[Entity]) -> tuple[Touched, ...]:
    """Each entity with up to ten relationships around it. One query, inside `acting_as`."""
    ids = [one.id for one in entities]
    limit = NEIGHBOURHOOD_LIMIT * max(1, len(ids))
    edges = edges_of(access.bank.id, ids, limit=limit) if ids else []
    return tuple(
        Touched(
            entity=one,
            neighbourhood=tuple(
                edge for edge in edges if one.id in (edge.source_id, edge.target_id)
            )[:NEIGHBOURHOOD_LIMIT],
        )
        for one in entities
    )


def _written(
    access: Access,
    memory: Memory,
    woven: Woven | None,
    pruned: Pruned | None = None,
    *,
    said: Draft | GraphChanges,
) -> ObservationWritten:
    entities = list(dict.fromkeys(one.entity for one in woven.entities.values())) if woven else []
    touched = neighbourhoods(access, entities)
    redescribed = {one.id for one in woven.redescribed} if woven else set()
    return ObservationWritten(
        memory=memory,
        touched=touched,
        warnings=(*_warnings(memory), *_folded(said)),
        review_hints=tuple(
            hint for one in touched if one.entity.id in redescribed for hint in _hints(one)
        ),
        pruned=pruned or Pruned(),
    )


def _warnings(memory: Memory) -> tuple[str, ...]:
    length = len(memory.content)
    if length <= SOFT_LIMIT:
        return ()
    return (
        f"The content has {length:,} characters. Above about {SOFT_LIMIT:,} an observation is better "
        "split into several, with the source document stored as an appendix file and named by path.",
    )


def _folded(said: Draft | GraphChanges) -> list[str]:
    """What a call said twice: stored once, with what the later one says."""
    names = [(name_key(one.name), repr(one.name)[:80]) for one in said.entities]
    edges = [
        (
            str((name_key(one.source), type_key(one.type), name_key(one.target))),
            repr(f"{one.source} {one.type} {one.target}")[:200],
        )
        for one in said.relations
    ]
    found: list[str] = []
    for kind, given in (("entity", names), ("relationship", edges)):
        first: dict[str, str] = {}
        for key, shown in given:
            earlier = first.setdefault(key, shown)
            if earlier is not shown:
                found.append(f"{shown} is one {kind} with {earlier}; it is stored once.")
    return found


def _hints(touched: Touched) -> list[str]:
    """A new description may outdate what relationships say; nothing is rewritten by itself (A13)."""
    name = touched.entity.name
    return [
        f"The description of {name!r} has changed; see whether this still holds: "
        f"{edge.source.name} {edge.type} {edge.target.name}."
        for edge in touched.neighbourhood
    ]


def _reweave(
    book: ledger.Book, memory: Memory, graph: GraphChanges, vectors: Vectors
) -> tuple[Woven, Pruned]:
    if memory.retired_at is not None:
        raise Conflict(
            "This observation is retired: it names and states nothing now.",
            hint="Revive it first, then change its entities and relationships.",
            field="slug",
        )
    woven = weaving.weave_entities(book, graph.entities, vectors=vectors)
    relationships = weaving.weave_relations(book, woven, graph.relations)
    since = book.append(
        "graph_update",
        memory.id,
        before=memory.head_watermark,
        counters={
            "entities": len(graph.entities),
            "relationships": len(graph.relations),
            "removed": len(graph.remove_entities) + len(graph.remove_relations),
        },
    )
    memory.head_watermark = since
    late = indexing.unembedded(book)
    if late:
        enqueue(book.access, "index_entities", entity_ids=late)
    _add_missing(book, memory, woven, graph, relationships, since)
    pruned = _remove(book, memory, graph, since)
    memory.stated = _stated(memory, graph)
    memory.content_hash = storing.hash_of(memory.content, memory.stated, memory.props)
    memory.save(update_fields=["head_watermark", "stated", "content_hash"])
    ends = {end for edge in relationships for end in (edge.source_id, edge.target_id)}
    by_id = {one.entity.id: one.entity for one in woven.entities.values()}
    weaving.settle_degrees(book, [by_id[end] for end in ends])
    return woven, pruned


def _add_missing(
    book: ledger.Book,
    memory: Memory,
    woven: Woven,
    graph: GraphChanges,
    relationships: Sequence[Relationship],
    since: int,
) -> None:
    """Mentions and assertions that the observation doesn't have yet."""
    mentioned = set(
        Mention.objects.filter(bank_id=memory.bank_id, memory_id=memory.id, until=None).values_list(
            "entity_id", flat=True
        )
    )
    asserted = set(
        Assertion.objects.filter(
            bank_id=memory.bank_id, memory_id=memory.id, until=None
        ).values_list("relationship_id", flat=True)
    )
    names = [one.name for one in graph.entities]
    names += [end for one in graph.relations for end in (one.source, one.target)]
    new = [
        name
        for name in names
        if not name.startswith("ent_") and woven.entity(name).id not in mentioned
    ]
    weaving.mention(book, memory, woven, new, since=since)
    weaving.assert_relationships(
        book, memory, [one for one in relationships if one.id not in asserted], since=since
    )


def _remove(book: ledger.Book, memory: Memory, graph: GraphChanges, until: int) -> Pruned:
    """End what the caller names; an entity takes the observation's relationships of its along."""
    if not graph.remove_entities and not graph.remove_relations:
        return Pruned()
    book.flush()
    gone = {name_key(name) for name in graph.remove_entities}
    mentions = list(
        Mention.objects.filter(
            bank_id=memory.bank_id, memory_id=memory.id, until=None
        ).select_related("entity")
    )
    named = [row for row in mentions if gone & {row.entity.name_key, name_key(row.name)}]
    missing = gone - {key for row in named for key in (row.entity.name_key, name_key(row.name))}
    if missing:
        raise InvalidArgument(
            f"remove_entities names {sorted(missing)[0]!r:.80}, which this observation doesn't name.",
            hint="Read the observation to see its entities.",
            field="remove_entities",
        )
    entity_ids = {row.entity_id for row in named}
    edges = _edges_to_remove(memory, graph, entity_ids)
    Mention.objects.filter(bank_id=memory.bank_id, id__in=[row.id for row in named]).update(
        until=until
    )
    Assertion.objects.filter(
        bank_id=memory.bank_id, memory_id=memory.id, until=None, relationship_id__in=edges
    ).update(until=until)
    return pruning.end_orphans(book, edges=edges, entities=entity_ids, until=until)


def _edges_to_remove(memory: Memory, graph: GraphChanges, entity_ids: set[str]) -> list[str]:
    rows = list(
        Assertion.objects.filter(
            bank_id=memory.bank_id, memory_id=memory.id, until=None
        ).select_related("relationship__source", "relationship__target")
    )
    wanted = {
        (name_key(one.source), type_key(one.type), name_key(one.target))
        for one in graph.remove_relations
    }
    found, met = [], set()
    for row in rows:
        edge = row.relationship
        key = (edge.source.name_key, edge.type_key, edge.target.name_key)
        if key in wanted or {edge.source_id, edge.target_id} & entity_ids:
            found.append(edge.id)
            met.add(key)
    missing = wanted - met
    if missing:
        raise InvalidArgument(
            f"remove_relationships names {' '.join(sorted(missing)[0])!r:.120}, which this "
            "observation doesn't state.",
            hint="Read the observation to see its relationships.",
            field="remove_relationships",
        )
    return found


def _stated(memory: Memory, graph: GraphChanges) -> dict[str, object]:
    """What the observation states after the update: united, less what was removed."""
    gone = {name_key(name) for name in graph.remove_entities}
    cut = {
        (name_key(one.source), type_key(one.type), name_key(one.target))
        for one in graph.remove_relations
    }
    entities = {name_key(name): [kind, name] for kind, name in memory.stated.get("entities", ())}
    entities |= {name_key(one.name): [one.type, one.name] for one in graph.entities}
    relations = [tuple(one) for one in memory.stated.get("relations", ())]
    relations += [(one.source, one.type, one.target) for one in graph.relations]
    kept = [
        list(one)
        for one in dict.fromkeys(relations)
        if (name_key(one[0]), type_key(one[1]), name_key(one[2])) not in cut
        and not {name_key(one[0]), name_key(one[2])} & gone
    ]
    parts = {
        "entities": sorted(pair for key, pair in entities.items() if key not in gone),
        "relations": sorted(kept),
        "identity": memory.stated.get("identity", []),
    }
    return {name: part for name, part in parts.items() if part}
