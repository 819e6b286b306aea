"""What a draft says of entities and relations, carried out beside its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_app.domain.names import name_key, type_key
from memory_app.domain.values import Draft
from memory_app.models import Memory, Relationship
from memory_app.services.graph import weaving
from memory_app.services.graph.resolution import Resolved
from memory_app.services.graph.weaving import Vectors, Woven
from memory_app.services.ledger import Book
from memory_app.services.memories import storing
from memory_app.services.memories.embedding import Prepared


def probes_of(prepared: Sequence[Prepared]) -> list[str]:
    """The entity texts of a call that want a vector."""
    return weaving.texts_to_embed([one for item in prepared for one in item.draft.entities])


def weave(
    book: Book,
    prepared: Sequence[Prepared],
    vectors: Vectors,
    choices: Mapping[str, Resolved],
) -> Woven | None:
    """The entities of all drafts of a call, found or made; None when there are none."""
    if not any(item.draft.entities or item.draft.relations for item in prepared):
        return None
    entities = [one for item in prepared for one in item.draft.entities]
    return weaving.weave_entities(book, entities, vectors=vectors, choices=choices)


def relate(book: Book, memory: Memory, draft: Draft, woven: Woven | None) -> tuple[Memory, ...]:
    """Mentions, relationships and assertions of a new memory; the facts that it outdates retire.

    A fact outdates every live fact with the same source, relation and target and another text (D3).
    """
    if woven is None or not (draft.entities or draft.relations):
        return ()
    since = memory.created_watermark
    relationships = weaving.weave_relations(book, woven, draft.relations)
    names = [one.name for one in draft.entities]
    names += [
        end
        for one in draft.relations
        for end in (one.source, one.target)
        if not end.startswith("ent_")
    ]
    weaving.mention(book, memory, woven, names, since=since)
    outdated = _outdated(book, memory, relationships) if draft.fact else []
    weaving.assert_relationships(
        book,
        memory,
        relationships,
        since=since,
        confidence=draft.confidence if draft.fact else "",
        causal_hint=draft.causal_hint,
    )
    if outdated:
        book.flush()
    for old in outdated:
        storing.retire_inside(
            book,
            old,
            reason="the same source, relation and target were stated anew",
            superseded_by=memory,
            operation="supersede",
        )
    return tuple(outdated)


def settle(book: Book, woven: Woven | None) -> None:
    """Recount degrees at the ends of the relationships that this call made."""
    if woven is None or not woven.new_relationships:
        return
    by_id = {one.entity.id: one.entity for one in woven.entities.values()}
    ends = {end for edge in woven.new_relationships for end in (edge.source_id, edge.target_id)}
    weaving.settle_degrees(book, [by_id[end] for end in ends])


def fact_identity(source: str, relation: str, target: str) -> tuple[str, ...]:
    """What makes a fact the same fact besides its text."""
    return name_key(source), type_key(relation), name_key(target)


def _outdated(book: Book, memory: Memory, relationships: Sequence[Relationship]) -> list[Memory]:
    stored = [one.id for one in relationships if not book.pending.holds(one)]
    if not stored:
        return []
    rows = Memory.objects.filter(
        bank_id=book.bank.id,
        retired_at=None,
        deleted_at=None,
        assertions__relationship_id__in=stored,
        assertions__until=None,
    ).exclude(assertions__confidence="")
    return [row for row in rows.distinct() if row.id != memory.id]
