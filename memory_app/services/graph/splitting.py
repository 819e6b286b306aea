"""Parting an entity: some of its memories are about another. Taken back exactly while nothing follows.

Inside the bank's open book. Rows end and begin at the ledger number, as in a merge, so that the past
still answers as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.ids import new_id
from memory_app.domain.names import name_key
from memory_app.models import Assertion, Entity, EntityAlias, Mention, Relationship
from memory_app.services.graph.intervals import copy_row, reopen_edges
from memory_app.services.graph.naming import moved_on, refuse_taken
from memory_app.services.graph.pruning import end_orphans
from memory_app.services.ledger import Book
from memory_app.services.merging import (
    Moved,
    assertions_back,
    back_rows,
    edge_key,
    settle,
)

MEMORIES_LIMIT = 500


@dataclass(slots=True, kw_only=True)
class _Moves:
    """What a split ends and makes, as the ledger keeps it for its undoing."""

    mentions: list[Moved] = field(default_factory=list)
    assertions: list[Moved] = field(default_factory=list)
    made: list[str] = field(default_factory=list)


def part_inside(
    book: Book, entity: Entity, *, name: str, memories: Sequence[str], join: bool
) -> tuple[Entity, int]:
    """Move what the memories say of the entity to one of that name; returns it and the number.

    The name is new, unless `join` says that the memories are about an entity that stands already.
    About a dozen statements. Raises `InvalidArgument` when a memory doesn't name the entity or
    nothing would be left, `Conflict` for a name that is taken.
    """
    live = Mention.objects.filter(bank_id=book.bank.id, entity_id=entity.id, until=None)
    mentions = list(live.filter(memory_id__in=memories).order_by("id"))
    _refuse_unfit(entity, memories, mentions, live.count())
    seq = book.watermark + 1
    other, alias, made = _other(book, entity, name, seq, join=join)
    moves = _Moves()
    _move_mentions(book, other, mentions, seq, moves)
    edges = _move_assertions(book, entity, other, memories, seq, moves)
    book.append(
        "split_entity",
        entity.id,
        content={
            "entity": other.id,
            "name": other.name,
            "made_entity": made,
            "alias": alias,
            "mentions": moves.mentions,
            "assertions": moves.assertions,
            "made": moves.made,
        },
        counters={"memories": len(mentions), "relationships": len(edges)},
    )
    end_orphans(book, edges=edges, entities=(), until=seq)
    settle(book, _ends(book, [*edges, *moves.made]) | {entity.id, other.id})
    return other, seq


def undo_part(book: Book, entity: Entity, seq: int, content: dict[str, Any]) -> None:
    """Give everything back. Raises `Conflict` when either was written to in a way that clashes."""
    other = Entity.objects.filter(bank_id=book.bank.id, id=content["entity"], until=None).first()
    if other is None:
        raise moved_on()
    edges = sorted({row[3] for row in content["assertions"]})
    _refuse_followed(book, entity, other, content, edges, seq)
    back_rows(book, Mention, content["mentions"], {"entity_id": entity.id})
    backed = assertions_back(book, content)
    ended = Relationship.objects.filter(bank_id=book.bank.id, id__in=backed, until=seq)
    reopen_edges(book.bank.id, [str(edge.id) for edge in ended], since=book.watermark)
    touched = _ends(book, [*edges, *content["made"]])
    _end_made(book, content["made"])
    if content["made_entity"]:
        other.until = book.watermark
        other.save(update_fields=["until"])
    if content["alias"]:
        refuse_taken(book.bank.id, content["alias"])
        EntityAlias.objects.create(
            organization_id=book.bank.organization_id,
            bank_id=book.bank.id,
            name_key=name_key(content["alias"]),
            name=content["alias"],
            entity_id=entity.id,
            created_by=book.access.actor.id,
            created_at=book.moment,
        )
    settle(book, touched | {entity.id, other.id})
    end_orphans(book, edges=(), entities=[entity.id, other.id], until=book.watermark)


def _refuse_unfit(
    entity: Entity, memories: Sequence[str], mentions: Sequence[Mention], named: int
) -> None:
    strange = set(memories) - {row.memory_id for row in mentions}
    if strange or not memories:
        raise InvalidArgument(
            f"{min(strange)} doesn't name {entity.name!r:.80}."
            if strange
            else "memories names no memory to take out.",
            hint="Give ids of memories that name the entity, as its page lists them.",
            field="memories",
        )
    if len(mentions) == named:
        raise InvalidArgument(
            f"These are all memories that name {entity.name!r:.80}; nothing would be left of it.",
            hint="Rename the entity instead, or merge it into the other one.",
            field="memories",
        )


def _other(
    book: Book, entity: Entity, name: str, seq: int, *, join: bool
) -> tuple[Entity, str, bool]:
    """The entity that receives, the alias that became its name, and whether it was made for that."""
    key = name_key(name)
    standing = Entity.objects.filter(bank_id=book.bank.id, name_key=key, until=None).first()
    if standing is not None and standing.id == entity.id:
        raise Conflict("This is the entity's own name.", hint="Give the other one another name.")
    if standing is not None and not join:
        raise Conflict(
            f"{standing.name!r:.80} stands already.",
            hint="Say join to move the memories to it, or take another name.",
            details={"entity": standing.id},
        )
    if standing is not None:
        return standing, "", False
    refuse_taken(book.bank.id, name, besides=entity)
    alias = EntityAlias.objects.filter(bank_id=book.bank.id, name_key=key).first()
    if alias is not None:
        alias.delete()
    made = Entity(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        id=new_id("ent"),
        name=name,
        name_key=key,
        type=entity.type,
        created_by=book.access.actor.id,
        created_at=book.moment,
        since=seq,
    )
    made.save(force_insert=True)
    return made, "" if alias is None else alias.name, True


def _move_mentions(
    book: Book, other: Entity, rows: Sequence[Mention], seq: int, moves: _Moves
) -> None:
    live = Mention.objects.filter(bank_id=book.bank.id, until=None)
    ids = [row.memory_id for row in rows]
    standing = live.filter(entity_id=other.id, memory_id__in=ids)
    there = dict(standing.values_list("memory_id", "id"))
    made = []
    for row in rows:
        place = there.get(row.memory_id)
        if place is None:
            made.append(copy_row(row, "mention", seq, entity_id=other.id, resolution="chosen"))
        moves.mentions.append([row.id, place or made[-1].id, place is None])
    live.filter(id__in=[row.id for row in rows]).update(until=seq)
    Mention.objects.bulk_create(made, batch_size=500)


def _move_assertions(
    book: Book, entity: Entity, other: Entity, memories: Sequence[str], seq: int, moves: _Moves
) -> list[str]:
    """The edges that lost backing; those of the other entity are found or made."""
    live = Assertion.objects.filter(bank_id=book.bank.id, until=None)
    touching = Q(relationship__source_id=entity.id) | Q(relationship__target_id=entity.id)
    rows = list(
        live.filter(touching, memory_id__in=memories).select_related("relationship").order_by("id")
    )
    near = Relationship.objects.filter(bank_id=book.bank.id, until=None)
    of_other = near.filter(Q(source_id=other.id) | Q(target_id=other.id))
    standing = {edge_key(edge): edge for edge in of_other}
    held = live.filter(relationship_id__in=[edge.id for edge in standing.values()])
    backing = {(row.memory_id, row.relationship_id): row.id for row in held}
    edges: list[Relationship] = []
    copies: list[Assertion] = []
    for row in rows:
        place = _place(row.relationship, entity, other, seq, standing, edges)
        if place is None:
            moves.assertions.append([row.id, None, False, row.relationship_id])
            continue
        there = backing.get((row.memory_id, place.id))
        if there is None:
            copies.append(copy_row(row, "assert", seq, relationship_id=place.id))
            backing[row.memory_id, place.id] = copies[-1].id
        moves.assertions.append(
            [row.id, backing[row.memory_id, place.id], there is None, row.relationship_id]
        )
    live.filter(id__in=[row.id for row in rows]).update(until=seq)
    Relationship.objects.bulk_create(edges, batch_size=500)
    Assertion.objects.bulk_create(copies, batch_size=500)
    moves.made = [edge.id for edge in edges]
    return sorted({str(row.relationship_id) for row in rows})


def _place(
    edge: Relationship,
    entity: Entity,
    other: Entity,
    seq: int,
    standing: dict[tuple[str, str, str], Relationship],
    made: list[Relationship],
) -> Relationship | None:
    """The edge in this one's place; None where it would be a loop that wasn't one before."""
    source, target = (
        other.id if end == entity.id else end for end in (edge.source_id, edge.target_id)
    )
    if source == target and edge.source_id != edge.target_id:
        return None
    found = standing.get((source, edge.type_key, target))
    if found is None:
        found = copy_row(edge, "rel", seq, source_id=source, target_id=target)
        found.declared = False
        standing[edge_key(found)] = found
        made.append(found)
    return found


def _refuse_followed(
    book: Book, entity: Entity, other: Entity, content: dict[str, Any], edges: list[str], seq: int
) -> None:
    bank = {"bank_id": book.bank.id, "until": None}
    clash = False
    if content["made_entity"]:
        mine = [row[1] for row in content["mentions"]]
        touching = Q(source_id=other.id) | Q(target_id=other.id)
        later = Assertion.objects.filter(**bank, relationship_id__in=content["made"])
        clash = (
            Mention.objects.filter(**bank, entity_id=other.id).exclude(id__in=mine).exists()
            or Relationship.objects.filter(touching, **bank)
            .exclude(id__in=content["made"])
            .exists()
            or later.exclude(id__in=[row[1] for row in content["assertions"] if row[1]]).exists()
            or EntityAlias.objects.filter(bank_id=book.bank.id, entity_id=other.id).exists()
        )
    ended = Relationship.objects.filter(bank_id=book.bank.id, id__in=edges, until=seq)
    near = Relationship.objects.filter(Q(source_id=entity.id) | Q(target_id=entity.id), **bank)
    again = {edge_key(edge) for edge in ended} & {edge_key(edge) for edge in near}
    old = Mention.objects.filter(
        bank_id=book.bank.id, id__in=[row[0] for row in content["mentions"]]
    )
    named = Mention.objects.filter(
        **bank, entity_id=entity.id, memory_id__in=old.values("memory_id")
    )
    if clash or again or named.exists():
        raise Conflict(
            "The two were written to since the split, so it can't be taken back exactly.",
            hint="Merge the two instead: nothing is lost by that.",
            details={"entity": other.id},
        )


def _end_made(book: Book, made: Sequence[str]) -> None:
    """The edges made for the split end; one that something else backs ends with that."""
    end_orphans(book, edges=made, entities=(), until=book.watermark)


def _ends(book: Book, edges: Sequence[str]) -> set[str]:
    rows = Relationship.objects.filter(bank_id=book.bank.id, id__in=list(edges))
    return {str(end) for pair in rows.values_list("source_id", "target_id") for end in pair}
