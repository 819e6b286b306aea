"""What a draft says of entities and relations, carried out beside its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_app.domain.names import name_key, type_key
from memory_app.domain.values import Draft
from memory_app.models import Memory, Mention
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


def relate(
    book: Book, memory: Memory, draft: Draft, woven: Woven | None, outdated: Sequence[Memory]
) -> tuple[Memory, ...]:
    """Mentions, relationships and assertions of a new memory; the facts that it outdates retire."""
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
    return outdate(book, outdated, by=memory)


def outdate(book: Book, facts: Sequence[Memory], *, by: Memory) -> tuple[Memory, ...]:
    """Retire facts that another one takes the place of (D3)."""
    for old in facts:
        storing.retire_inside(
            book,
            old,
            reason="the same source, relation and target were stated anew",
            superseded_by=by,
            operation="supersede",
        )
    return tuple(facts)


def same_statement(book: Book, draft: Draft, woven: Woven | None) -> list[Memory]:
    """The live stored facts with the source, relation and target of a draft that is a fact (D3).

    By what its names mean: an alias or an explicit choice states of the same entity.
    """
    if woven is None or not draft.fact:
        return []
    stored = weaving.stored_relationships(book, woven, draft.relations)
    if not stored:
        return []
    # Not `.exclude(assertions__confidence="")`: Django ties that subquery to the bank only, so one
    # note with a relation would keep every fact of its bank from being outdated.
    rows = Memory.objects.filter(
        bank_id=book.bank.id,
        retired_at=None,
        deleted_at=None,
        assertions__relationship_id__in=[one.id for one in stored],
        assertions__until=None,
        assertions__confidence__gt="",
    )
    return list(rows.distinct())


def name_more(book: Book, memory: Memory, draft: Draft, woven: Woven | None) -> None:
    """What a call names besides the ends of a fact that is known: the stored fact names it too."""
    ends = {name_key(end) for one in draft.relations for end in (one.source, one.target)}
    more = [one.name for one in draft.entities if name_key(one.name) not in ends]
    if woven is None or not draft.fact or not more or memory.retired_at is not None:
        return
    book.flush()
    here = Mention.objects.filter(bank_id=book.bank.id, memory_id=memory.id, until=None)
    named = set(here.values_list("entity_id", flat=True))
    new = [name for name in more if woven.entity(name).id not in named]
    if new:
        memory.head_watermark = book.append(
            "graph_update",
            memory.id,
            before=memory.head_watermark,
            counters={"entities": len(new)},
        )
        memory.save(update_fields=["head_watermark"])
        weaving.mention(book, memory, woven, new, since=memory.head_watermark)


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
