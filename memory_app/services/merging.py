"""Merging one entity into another, and taking that back exactly. Inside the bank's open book.

A merge ends the variant's rows at its ledger number and begins the canonical's, so that the past
still answers as it was; `Undo` lists both. Taking it back opens the ended rows again under their old
ids and ends those that took their place; what was written since stays with the canonical.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from memory_app.domain.errors import Conflict
from memory_app.domain.ids import new_id
from memory_app.models import (
    Assertion,
    Entity,
    EntityAlias,
    EntityProbe,
    Memory,
    Mention,
    MergeProposal,
    Proposal,
    Relationship,
)
from memory_app.services.graph.intervals import copy_row, reopen, reopen_edges
from memory_app.services.graph.pruning import end_orphans
from memory_app.services.graph.weaving import settle_degrees
from memory_app.services.ledger import Book

Undo = dict[str, Any]
_MOVED = ("edges", "assertions", "mentions")
# [ended row, row in its place or None, whether that was made for it]
Moved = list[Any]


def merge_inside(book: Book, canonical: Entity, variant: Entity, *, reason: str) -> Undo:
    """Every edge and mention of the variant moves to the canonical; returns what undoes it.

    Duplicates fold, an edge between the two drops, the variant's name becomes an alias. About a
    dozen statements and two rows for each edge and mention.
    """
    seq = book.append(
        "merge_entities",
        canonical.id,
        reason=reason,
        content={"variant": variant.id, "name": variant.name, "before": _fields(canonical)},
    )
    undo: Undo = {"watermark": seq, "before": _fields(canonical)}
    undo["edges"], undo["folded"], moved = _move_edges(book, canonical, variant, seq)
    undo["assertions"] = _move_assertions(book, moved, seq)
    undo["mentions"] = _move_mentions(book, canonical, variant, seq)
    undo["aliases"] = _move_aliases(book, canonical, variant)
    undo["probes"] = _take_over(book, canonical, variant)
    undo["after"] = _fields(canonical)
    variant.until, variant.merged_into, variant.degree = seq, canonical.id, 0
    variant.save(update_fields=["until", "merged_into"])
    EntityProbe.objects.filter(bank_id=book.bank.id, entity_id=variant.id).update(live=False)
    settle(book, [canonical.id, *undo_ends(book, undo)])
    return undo


def split_inside(
    book: Book, canonical: Entity, variant: Entity, undo: Undo, *, reason: str
) -> None:
    """Take a merge back. Raises `Conflict` when the canonical is gone or the name is taken."""
    here = {"bank_id": book.bank.id, "name_key": variant.name_key}
    taken = Entity.objects.filter(**here, until=None).exists()
    elsewhere = EntityAlias.objects.filter(**here).exclude(entity_id=canonical.id).exists()
    gone = canonical.until is not None or variant.merged_into != canonical.id
    if gone or taken or elsewhere:
        raise Conflict(
            "This merge can't be taken back now: one of the two was merged or removed since."
            if gone
            else f"This merge can't be taken back now: {variant.name!r:.80} names another entity.",
            hint="Take the later change back first.",
        )
    if _moved_on(book, undo):
        raise Conflict(
            "This merge can't be taken back now: a later one moved what it had moved.",
            hint="Take the later merge back first.",
        )
    seq = book.append(
        "undo_merge",
        canonical.id,
        reason=reason,
        content={"variant": variant.id, "before": _fields(canonical)},
    )
    variant.come_back(seq)
    variant.merged_into = None
    variant.save(update_fields=["until", "absent", "merged_into"])
    EntityProbe.objects.filter(bank_id=book.bank.id, entity_id=variant.id).update(live=True)
    back_rows(book, Mention, undo["mentions"], {"entity_id": variant.id})
    backed = assertions_back(book, undo)
    _edges_back(book, undo, backed)
    _aliases_back(book, canonical, variant, undo["aliases"])
    _fields_back(book, canonical, undo)
    settle(book, {canonical.id, variant.id, *undo_ends(book, undo), *_touched(book)})
    # What only memories that went meanwhile had named comes back no more than they do.
    end_orphans(book, edges=(), entities=[canonical.id, variant.id], until=book.watermark)


def undo_ends(book: Book, undo: Undo) -> set[str]:
    """Every entity at an end of a moved edge."""
    ids = [one for row in undo["edges"] for one in row[:2] if one]
    rows = Relationship.objects.filter(bank_id=book.bank.id, id__in=ids)
    return {str(end) for pair in rows.values_list("source_id", "target_id") for end in pair}


def _moved_on(book: Book, undo: Undo) -> bool:
    """Whether a later merge ended rows that this one put in place of others."""
    later = MergeProposal.objects.filter(
        bank_id=book.bank.id,
        status=Proposal.Status.ACCEPTED,
        undo__watermark__gt=undo["watermark"],
    )
    places = {row[1] for kind in _MOVED for row in undo[kind] if row[1]}
    ended = (row[0] for found in later for kind in _MOVED for row in found.undo[kind])
    return not places.isdisjoint(ended)


def _touched(book: Book) -> set[str]:
    """Every entity at an end of what has just begun or ended: rows of other merges may be among it."""
    here = {"bank_id": book.bank.id}
    now = Q(since=book.watermark) | Q(until=book.watermark)
    backing = Assertion.objects.filter(now, **here).values("relationship_id")
    edges = Relationship.objects.filter(now | Q(id__in=backing), **here)
    return {str(end) for pair in edges.values_list("source_id", "target_id") for end in pair}


def _move_edges(
    book: Book, canonical: Entity, variant: Entity, seq: int
) -> tuple[list[Moved], list[Any], dict[str, str | None]]:
    live = Relationship.objects.filter(bank_id=book.bank.id, until=None)
    both = (canonical.id, variant.id)
    near = list(live.filter(Q(source_id__in=both) | Q(target_id__in=both)).order_by("id"))
    mine = [edge for edge in near if variant.id in (edge.source_id, edge.target_id)]
    standing = {edge_key(edge): edge for edge in near if edge not in mine}
    moved: list[Moved] = []
    folded: list[Any] = []
    made: list[Relationship] = []
    for edge in mine:
        source, target = (
            canonical.id if end == variant.id else end for end in (edge.source_id, edge.target_id)
        )
        if source == target:
            moved.append([edge.id, None, False])
            continue
        place = standing.get((source, edge.type_key, target))
        if place is None:
            place = copy_row(edge, "rel", seq, source_id=source, target_id=target)
            standing[edge_key(place)] = place
            made.append(place)
            moved.append([edge.id, place.id, True])
            continue
        if edge.declared and not place.declared and place not in made:
            folded.append(place.id)
            Relationship.objects.filter(bank_id=book.bank.id, id=place.id).update(declared=True)
        place.declared = place.declared or edge.declared
        moved.append([edge.id, place.id, False])
    live.filter(id__in=[edge.id for edge in mine]).update(until=seq)
    Relationship.objects.bulk_create(made, batch_size=500)
    return moved, folded, {row[0]: row[1] for row in moved}


def _move_assertions(book: Book, edges: dict[str, str | None], seq: int) -> list[Moved]:
    live = Assertion.objects.filter(bank_id=book.bank.id, until=None)
    rows = list(live.filter(relationship_id__in=list(edges)).order_by("id"))
    places = live.filter(relationship_id__in=[one for one in edges.values() if one])
    standing = {(row.memory_id, row.relationship_id): row.id for row in places}
    moved: list[Moved] = []
    made: list[Assertion] = []
    for row in rows:
        place = edges[row.relationship_id]
        if place is None:
            moved.append([row.id, None, False, row.relationship_id])
            continue
        there = standing.get((row.memory_id, place))
        if there is None:
            copy = copy_row(row, "assert", seq, relationship_id=place)
            there = standing[row.memory_id, place] = copy.id
            made.append(copy)
            moved.append([row.id, there, True, row.relationship_id])
        else:
            moved.append([row.id, there, False, row.relationship_id])
    live.filter(id__in=[row.id for row in rows]).update(until=seq)
    Assertion.objects.bulk_create(made, batch_size=500)
    return moved


def _move_mentions(book: Book, canonical: Entity, variant: Entity, seq: int) -> list[Moved]:
    live = Mention.objects.filter(bank_id=book.bank.id, until=None)
    rows = list(live.filter(entity_id=variant.id).order_by("id"))
    there = dict(live.filter(entity_id=canonical.id).values_list("memory_id", "id"))
    made = [
        copy_row(row, "mention", seq, entity_id=canonical.id)
        for row in rows
        if row.memory_id not in there
    ]
    new = {copy.memory_id: copy.id for copy in made}
    live.filter(id__in=[row.id for row in rows]).update(until=seq)
    Mention.objects.bulk_create(made, batch_size=500)
    return [
        [row.id, new.get(row.memory_id) or there[row.memory_id], row.memory_id in new]
        for row in rows
    ]


def _move_aliases(book: Book, canonical: Entity, variant: Entity) -> list[str]:
    """The variant's aliases and its name lead to the canonical; returns the keys that existed."""
    aliases = EntityAlias.objects.filter(bank_id=book.bank.id)
    keys = list(aliases.filter(entity_id=variant.id).values_list("name_key", flat=True))
    aliases.filter(entity_id=variant.id).update(entity_id=canonical.id)
    aliases.filter(name_key=variant.name_key).delete()
    EntityAlias.objects.create(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        name_key=variant.name_key,
        name=variant.name,
        entity_id=canonical.id,
        created_by=book.access.actor.id,
        created_at=book.moment,
    )
    return keys


def _take_over(book: Book, canonical: Entity, variant: Entity) -> list[str]:
    """The canonical is found by what the variant was found by; returns the probes made for that."""
    wanted = [query for query in variant.queries if query not in canonical.queries]
    described = not canonical.description and bool(variant.description)
    canonical.queries = [*canonical.queries, *wanted]
    canonical.description = canonical.description or variant.description
    canonical.type = canonical.type or variant.type
    canonical.declared = canonical.declared or variant.declared
    canonical.save(update_fields=["queries", "description", "type", "declared"])
    made = []
    for probe in EntityProbe.objects.filter(bank_id=book.bank.id, entity_id=variant.id):
        if (probe.kind == EntityProbe.Kind.DESCRIPTION and described) or probe.text in wanted:
            probe.id, probe.entity_id = new_id("probe"), canonical.id
            probe._state.adding = True
            made.append(probe)
    EntityProbe.objects.bulk_create(made, batch_size=500)
    return [probe.id for probe in made]


def back_rows(
    book: Book, kind: type[Mention] | type[Assertion], moved: Iterable[Moved], back: dict[str, str]
) -> set[str]:
    """Open ended rows again whose place still stands; returns their ids.

    A row in place that ended meanwhile, with its memory, keeps its interval and points back; one that
    was made for it and still stands ends here.
    """
    rows = list(moved)
    manager: Any = kind.objects.filter(bank_id=book.bank.id)
    places = {row.id: row for row in manager.filter(id__in=[one[1] for one in rows if one[1]])}
    reopened, unwanted, pointed = [], [], []
    for ended, place_id, made, *_ in rows:
        place = places.get(place_id)
        if place is None:
            continue
        if place.until is not None:
            pointed += [place.id] if made else []
            continue
        reopened.append(ended)
        unwanted += [place.id] if made else []
    manager.filter(id__in=pointed).update(**back)
    manager.filter(id__in=unwanted).update(until=book.watermark)
    reopen(kind, book.bank.id, reopened, since=book.watermark)
    return set(reopened)


def assertions_back(book: Book, undo: Undo) -> set[str]:
    """Ids of the edges that are backed again."""
    by_edge: dict[str, list[Moved]] = {}
    loops = []
    for row in undo["assertions"]:
        if row[1] is None:
            loops.append(row)
        else:
            by_edge.setdefault(row[3], []).append(row)
    backed = {
        edge
        for edge, rows in by_edge.items()
        if back_rows(book, Assertion, rows, {"relationship_id": edge})
    }
    rows = Assertion.objects.filter(bank_id=book.bank.id, id__in=[row[0] for row in loops])
    alive = Memory.objects.filter(
        bank_id=book.bank.id,
        id__in=rows.values("memory_id"),
        retired_at=None,
        deleted_at=None,
    )
    kept = list(rows.filter(memory_id__in=alive.values("id")))
    reopen(Assertion, book.bank.id, [row.id for row in kept], since=book.watermark)
    return backed | {row.relationship_id for row in kept}


def _edges_back(book: Book, undo: Undo, backed: set[str]) -> None:
    edges = Relationship.objects.filter(bank_id=book.bank.id)
    found = {
        edge.id: edge
        for edge in edges.filter(id__in=[one for row in undo["edges"] for one in row[:2] if one])
    }
    reopened = []
    for ended, place_id, _made in undo["edges"]:
        edge, place = found.get(ended), found.get(place_id)
        stands = place_id is None or (place is not None and place.until is None)
        if edge is not None and (ended in backed or (edge.declared and stands)):
            reopened.append(ended)
    edges.filter(id__in=undo["folded"]).update(declared=False)
    made = [row[1] for row in undo["edges"] if row[2]]
    standing = Assertion.objects.filter(bank_id=book.bank.id, relationship_id__in=made, until=None)
    asserted = set(standing.values_list("relationship_id", flat=True))
    unwanted = [one for one in made if one not in asserted]
    edges.filter(id__in=unwanted, until=None).update(until=book.watermark)
    # Those that later memories assert stay for as long as one of these does.
    edges.filter(id__in=asserted).update(declared=False)
    end_orphans(book, edges=map(str, asserted), entities=(), until=book.watermark)
    reopen_edges(book.bank.id, reopened, since=book.watermark)


def _aliases_back(book: Book, canonical: Entity, variant: Entity, keys: list[str]) -> None:
    """Those that still lead to the canonical; what leads elsewhere by now stays there."""
    aliases = EntityAlias.objects.filter(bank_id=book.bank.id, entity_id=canonical.id)
    aliases.filter(name_key=variant.name_key).delete()
    aliases.filter(name_key__in=keys).update(entity_id=variant.id)


def _fields_back(book: Book, canonical: Entity, undo: Undo) -> None:
    """What the merge gave the canonical goes; what somebody has changed since stays."""
    for name, value in undo["before"].items():
        if getattr(canonical, name) == undo["after"][name]:
            setattr(canonical, name, value)
    canonical.save(update_fields=list(undo["before"]))
    EntityProbe.objects.filter(bank_id=book.bank.id, id__in=undo["probes"]).delete()


def _fields(entity: Entity) -> dict[str, Any]:
    return {
        "queries": list(entity.queries),
        "description": entity.description,
        "type": entity.type,
        "declared": entity.declared,
    }


def edge_key(edge: Relationship) -> tuple[str, str, str]:
    return (edge.source_id, edge.type_key, edge.target_id)


def settle(book: Book, ids: Iterable[str]) -> None:
    rows = Entity.objects.filter(bank_id=book.bank.id, id__in=set(ids), until=None)
    settle_degrees(book, list(rows))
