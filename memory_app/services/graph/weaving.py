"""Weaving what a memory states into the graph: entities, mentions, relationships, assertions.

Runs inside the bank's open book, so concurrent writers of one name queue and make one entity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from pgvector import HalfVector

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import new_id
from memory_app.domain.names import name_key, type_key
from memory_app.domain.values import EntityDraft, RelationDraft
from memory_app.domain.vectors import COMPACT_DIMENSIONS
from memory_app.models import Assertion, Entity, EntityProbe, Memory, Mention, Relationship
from memory_app.queries.graph import EdgeKey, degrees_of, relationships_among
from memory_app.services.graph import resolution
from memory_app.services.graph.resolution import Resolved
from memory_app.services.ledger import Book

Vectors = Mapping[str, np.ndarray]


@dataclass(slots=True, kw_only=True)
class Woven:
    """What a call did to the graph; `entities` by key, in the order they were named."""

    entities: dict[str, Resolved] = field(default_factory=dict)
    created: list[Entity] = field(default_factory=list)
    redescribed: list[Entity] = field(default_factory=list)
    relationships: dict[EdgeKey, Relationship] = field(default_factory=dict)
    # Looked for in the bank and not found.
    absent: set[EdgeKey] = field(default_factory=set)
    new_relationships: list[Relationship] = field(default_factory=list)

    def entity(self, name: str) -> Entity:
        return self.entities[name_key(name)].entity


def texts_to_embed(entities: Sequence[EntityDraft]) -> list[str]:
    """The descriptions and retrieval queries of a call, for the write's one batch."""
    found = [entity.description for entity in entities if entity.description]
    found += [query for entity in entities for query in entity.queries]
    return list(dict.fromkeys(found))


def weave_entities(
    book: Book,
    entities: Sequence[EntityDraft],
    *,
    vectors: Vectors,
    choices: Mapping[str, Resolved] | None = None,
    declared: bool = False,
) -> Woven:
    """Find or make every entity of a call; later mentions of one name merge into the first.

    A caller's description and type win over what is stored; leaving one out changes nothing. Three
    queries at most. `vectors` by text; a text without one is stored unembedded.
    """
    woven = Woven()
    known = resolution.by_names(book.bank.id, [entity.name for entity in entities])
    known |= choices or {}
    # One entity under two names of a call is one instance: what one of them changes, both have.
    once: dict[str, Entity] = {}
    known = {
        key: replace(one, entity=once.setdefault(one.entity.id, one.entity))
        for key, one in known.items()
    }
    for draft in entities:
        key = name_key(draft.name)
        resolved = woven.entities.get(key) or known.get(key)
        if resolved is None:
            entity = _new_entity(book, draft, key, declared=declared)
            resolved = Resolved(entity=entity, how="new")
            woven.created.append(entity)
            _add_probes(book, entity, vectors)
        else:
            _merge(book, resolved.entity, draft, woven, vectors)
        woven.entities[key] = resolved
    return woven


def weave_relations(
    book: Book, woven: Woven, relations: Sequence[RelationDraft], *, declared: bool = False
) -> list[Relationship]:
    """Find or make a relationship for each relation; its endpoints are names or entity ids.

    Raises `InvalidArgument` for an endpoint that neither the call nor the bank knows. Two queries.
    """
    _know_endpoints(book, woven, relations)
    keys = [_key(woven, one) for one in relations]
    stored = _look_up(book, woven, keys)
    found = []
    for one, key in zip(relations, keys, strict=True):
        relationship = woven.relationships.get(key) or stored.get(key)
        if relationship is None:
            relationship = _new_relationship(book, one, key, declared=declared)
            woven.new_relationships.append(relationship)
        else:
            _take_over(book, relationship, one, declared=declared)
        woven.relationships[key] = relationship
        found.append(relationship)
    return found


def stored_relationships(
    book: Book, woven: Woven, relations: Sequence[RelationDraft]
) -> list[Relationship]:
    """Those of the relations, between entities of the call, that the bank has by now. One query; keeps
    what it found for `weave_relations`.
    """
    keys = [_key(woven, one) for one in relations]
    if any(key in woven.relationships for key in keys):
        book.flush()  # an earlier fact of this call states the same
    woven.relationships |= _look_up(book, woven, keys)
    found = [woven.relationships[key] for key in keys if key in woven.relationships]
    return [one for one in found if not book.pending.holds(one)]


def mention(book: Book, memory: Memory, woven: Woven, names: Sequence[str], *, since: int) -> None:
    """The memory names these entities, each once, by the first of its names."""
    named: dict[str, tuple[str, Resolved]] = {}
    for name in names:
        resolved = woven.entities[name_key(name)]
        named.setdefault(resolved.entity.id, (name, resolved))
    for name, resolved in named.values():
        book.pending.add(
            Mention(
                organization_id=memory.organization_id,
                bank_id=memory.bank_id,
                memory_id=memory.id,
                entity_id=resolved.entity.id,
                name=name,
                resolution=resolved.how,
                since=since,
            )
        )


def assert_relationships(
    book: Book,
    memory: Memory,
    relationships: Sequence[Relationship],
    *,
    since: int,
    confidence: str = "",
    causal_hint: str = "",
) -> None:
    """The memory backs these relationships, each once."""
    for relationship in dict.fromkeys(relationships):
        book.pending.add(
            Assertion(
                organization_id=memory.organization_id,
                bank_id=memory.bank_id,
                memory_id=memory.id,
                relationship_id=relationship.id,
                confidence=confidence,
                causal_hint=causal_hint,
                since=since,
            )
        )


def settle_degrees(book: Book, entities: Sequence[Entity]) -> None:
    """Recount the degrees of touched entities, after everything that waits is written."""
    book.flush()
    degrees = degrees_of(book.bank.id, [entity.id for entity in entities])
    changed = [one for one in entities if one.degree != degrees.get(one.id, 0)]
    for entity in changed:
        entity.degree = degrees.get(entity.id, 0)
    if changed:
        Entity.objects.bulk_update(changed, ["degree"], batch_size=500)


def _new_entity(book: Book, draft: EntityDraft, key: str, *, declared: bool) -> Entity:
    entity = Entity(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        id=new_id("ent"),
        name=draft.name,
        name_key=key,
        type=draft.type,
        description=draft.description,
        queries=list(draft.queries),
        declared=declared,
        created_by=book.access.actor.id,
        created_at=book.moment,
        # The entry of the memory that names it comes next.
        since=book.watermark + 1,
    )
    book.pending.add(entity)
    return entity


def _merge(book: Book, entity: Entity, draft: EntityDraft, woven: Woven, vectors: Vectors) -> None:
    """Unite a draft with a stored entity: the caller wins where it says something."""
    queries = list(dict.fromkeys([*entity.queries, *draft.queries]))
    description = draft.description or entity.description
    kind = draft.type or entity.type
    if (description, kind, queries) == (entity.description, entity.type, entity.queries):
        return
    before = {"description": entity.description, "type": entity.type, "queries": entity.queries}
    if entity.description and description != entity.description:
        woven.redescribed.append(entity)
    reembed = (description, queries) != (entity.description, entity.queries)
    entity.description, entity.type, entity.queries = description, kind, queries
    book.append(
        "entity_update",
        entity.id,
        content={
            "before": before,
            "after": {"description": description, "type": kind, "queries": queries},
        },
    )
    if not book.pending.holds(entity):
        entity.save(update_fields=["description", "type", "queries"])
    if reembed:
        reprobe(book, entity, vectors)


def reprobe(book: Book, entity: Entity, vectors: Vectors) -> None:
    """Make the entity's probes anew; a text without a vector waits for the index job."""
    EntityProbe.objects.filter(bank_id=book.bank.id, entity_id=entity.id).delete()
    book.pending.drop(EntityProbe, lambda probe: probe.entity_id == entity.id)
    _add_probes(book, entity, vectors)


def _add_probes(book: Book, entity: Entity, vectors: Vectors) -> None:
    texts = [(EntityProbe.Kind.DESCRIPTION, entity.description)] if entity.description else []
    texts += [(EntityProbe.Kind.QUERY, query) for query in entity.queries]
    for kind, text in texts:
        vector = vectors.get(text)
        book.pending.add(
            EntityProbe(
                organization_id=entity.organization_id,
                bank_id=entity.bank_id,
                entity_id=entity.id,
                kind=kind,
                text=text,
                embedding=None if vector is None else HalfVector(vector),
                compact=vector is None or len(vector) <= COMPACT_DIMENSIONS,
            )
        )


def _know_endpoints(book: Book, woven: Woven, relations: Sequence[RelationDraft]) -> None:
    wanted = {end for one in relations for end in (one.source, one.target)}
    missing = [end for end in wanted if _endpoint(end) not in woven.entities]
    ids = [end for end in missing if end.startswith("ent_")]
    entities = resolution.by_ids(book.bank.id, ids) if ids else {}
    woven.entities |= {
        entity_id: Resolved(entity=entity, how="chosen") for entity_id, entity in entities.items()
    }
    named = resolution.by_names(book.bank.id, [end for end in missing if end not in entities])
    woven.entities |= named
    for one in relations:
        for end in (one.source, one.target):
            if _endpoint(end) not in woven.entities:
                raise InvalidArgument(
                    f"{end!r:.80} is not an entity of this call nor of the bank.",
                    hint="Name it among the entities, or pass the id of an existing entity.",
                    field="relations",
                )


def _look_up(book: Book, woven: Woven, keys: Sequence[EdgeKey]) -> dict[EdgeKey, Relationship]:
    """What the bank has of those that the call hasn't met yet."""
    unknown = [key for key in keys if key not in woven.relationships and key not in woven.absent]
    stored = relationships_among(book.bank.id, unknown)
    woven.absent.update(key for key in unknown if key not in stored)
    return stored


def _key(woven: Woven, one: RelationDraft) -> EdgeKey:
    return (
        woven.entities[_endpoint(one.source)].entity.id,
        type_key(one.type),
        woven.entities[_endpoint(one.target)].entity.id,
    )


def _endpoint(end: str) -> str:
    """How `Woven.entities` knows an endpoint: an id as it is, a name by its key."""
    return end if end.startswith("ent_") else name_key(end)


def _new_relationship(
    book: Book, draft: RelationDraft, key: tuple[str, str, str], *, declared: bool
) -> Relationship:
    relationship = Relationship(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        id=new_id("rel"),
        source_id=key[0],
        type_key=key[1],
        target_id=key[2],
        type=draft.type,
        description=draft.description,
        weight=1.0 if draft.weight is None else draft.weight,
        props=dict(draft.props),
        declared=declared,
        created_by=book.access.actor.id,
        created_at=book.moment,
        since=book.watermark,
    )
    book.pending.add(relationship)
    return relationship


def _take_over(
    book: Book, relationship: Relationship, draft: RelationDraft, *, declared: bool
) -> None:
    """What the caller says of an existing relationship wins; what it leaves out stays."""
    fields = ("description", "weight", "props", "declared")
    before = [getattr(relationship, name) for name in fields]
    relationship.description = draft.description or relationship.description
    relationship.weight = relationship.weight if draft.weight is None else draft.weight
    relationship.props = dict(relationship.props) | dict(draft.props)
    relationship.declared = relationship.declared or declared
    changed = before != [getattr(relationship, name) for name in fields]
    if changed and not book.pending.holds(relationship):
        relationship.save(update_fields=fields)
