"""Notes: immutable hashed facts over the one write path (C1, C2, C4, C7)."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import NotFound, WrongIdPrefix
from memory_app.domain.ids import is_id
from memory_app.domain.values import Draft, EntityDraft, RelationDraft
from memory_app.models import Assertion, Entity, Memory, Mention, Relationship
from memory_app.queries.access import resolve
from memory_app.queries.memories import find
from memory_app.recall.values import Query
from memory_app.services import ledger, memories, recalling
from memory_app.services.graph import indexing, weaving
from memory_app.services.jobs import enqueue
from memory_app.services.memories import embedding, storing
from memory_app.services.recalling import Answer

RECENT_LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A note with the entities and relationships it names."""

    memory: Memory
    entities: tuple[Entity, ...]
    edges: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A relationship declared between two entities."""

    nodes: tuple[Entity, Entity]
    edge: Relationship


@dataclass(frozen=True, slots=True, kw_only=True)
class HashCheck:
    """The stored hash of a memory against the one its content gives now."""

    id: str
    stored_hash: str
    computed_hash: str

    @property
    def valid(self) -> bool:
        return self.stored_hash == self.computed_hash


def remember(actor: Actor, bank: str | None, draft: Draft) -> Remembered:
    """Store a note with its entities and relationships, or nothing. Needs `read_write`.

    The same text with the same entities and relations is the note that is there already.
    """
    saved = memories.save(actor, bank, draft)
    woven = saved.woven
    if woven is None:
        return _stored(actor, bank, saved.memory)
    return Remembered(
        memory=saved.memory,
        entities=tuple(dict.fromkeys(one.entity for one in woven.entities.values())),
        edges=tuple(woven.relationships.values()),
    )


def _stored(actor: Actor, bank: str | None, memory: Memory) -> Remembered:
    """A note that was there already, with what it names. Two queries."""
    with acting_as(actor):
        access = resolve(actor, bank)
        here = {"bank_id": access.bank.id, "memory_id": memory.id, "until": None}
        mentions = Mention.objects.filter(**here).select_related("entity").order_by("id")
        asserted = Assertion.objects.filter(**here).select_related("relationship").order_by("id")
        return Remembered(
            memory=memory,
            entities=tuple(row.entity for row in mentions),
            edges=tuple(row.relationship for row in asserted),
        )


def link(
    actor: Actor,
    bank: str | None,
    *,
    source: EntityDraft | str,
    target: EntityDraft | str,
    relation: RelationDraft,
) -> Linked:
    """Declare a relationship between two entities, each a name (made if missing) or an id (C4).

    Needs `read_write`. The relationship stands by itself: no memory backs it.
    """
    drafts = [end for end in (source, target) if isinstance(end, EntityDraft)]
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
    vectors = embedding.embed(access.bank, [], probes=weaving.texts_to_embed(drafts))
    with acting_as(actor), ledger.opened(access) as book:
        woven = weaving.weave_entities(book, drafts, vectors=vectors, declared=True)
        (edge,) = weaving.weave_relations(book, woven, [relation], declared=True)
        for entity in woven.created:
            entity.since = book.append("entity_create", entity.id, content={"name": entity.name})
        if edge in woven.new_relationships:
            edge.since = book.append(
                "relate", edge.id, content={"type": edge.type, "props": edge.props}
            )
        late = indexing.unembedded(book)
        if late:
            enqueue(access, "index_entities", entity_ids=late)
        by_id = {one.entity.id: one.entity for one in woven.entities.values()}
        ends = (by_id[edge.source_id], by_id[edge.target_id])
        weaving.settle_degrees(book, list(dict.fromkeys(ends)))
        return Linked(nodes=ends, edge=edge)


def recent(actor: Actor, bank: str | None, *, limit: int = 10) -> Answer:
    """The newest live memories, at most 200 (C6). Logged as a read; counts against no cap."""
    query = Query(mode="recent", limit=min(limit, RECENT_LIMIT))
    return recalling.search(actor, bank, query)


def forget(actor: Actor, bank: str | None, reference: str) -> bool:
    """Delete a memory and what only it backed; False if there is none (C5).

    Raises `WrongIdPrefix` for the id of something that isn't a memory. Needs `full`.
    """
    if not is_id("mem", reference):
        raise WrongIdPrefix(
            f"{reference!r:.60} is not the id of a memory.",
            hint="Pass an id that starts with 'mem_'.",
            field="id",
        )
    try:
        memory = memories.forget(actor, bank, reference)
    except NotFound:
        with acting_as(actor):
            resolve(actor, bank).require("full")
        return False
    return memory.removed


def verify_hash(actor: Actor, bank: str | None, reference: str) -> HashCheck | None:
    """Compute a memory's hash anew from its stored content; None if there is none (C7)."""
    with acting_as(actor):
        access = resolve(actor, bank)
        try:
            memory = find(access, reference)
        except NotFound:
            return None
    return HashCheck(
        id=memory.id,
        stored_hash=memory.content_hash,
        computed_hash=storing.hash_of(memory.content, memory.stated, memory.props),
    )
