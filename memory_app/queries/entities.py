"""Entities as people read them: a list by keyset, and what is known of one over time. Inside `acting_as`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id, missing
from memory_app.models import (
    Assertion,
    Entity,
    EntityAlias,
    LedgerContent,
    LedgerEntry,
    Memory,
    Mention,
    MergeProposal,
    Proposal,
    Relationship,
)
from memory_app.queries.access import Access
from memory_app.queries.standing import stood_then

ORDERS = ("degree", "name", "newest")
TYPES_LIMIT = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPage:
    """One page; `older` is where the next goes on. `aliases` by entity id."""

    entities: tuple[Entity, ...]
    aliases: dict[str, list[str]]
    older: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A memory that names the entity: as which name, how that was resolved, what it asserts."""

    memory: Memory
    mention: Mention
    assertions: tuple[Assertion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPage:
    facts: tuple[Fact, ...]
    total: int
    older: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityStory:
    """Its aliases, what was merged into it, and its ledger entries, newest first, with contents."""

    aliases: tuple[EntityAlias, ...]
    merges: tuple[tuple[MergeProposal, Entity], ...]
    entries: tuple[LedgerEntry, ...]
    contents: dict[int, dict[str, object]]


def list_page(
    access: Access,
    *,
    text: str = "",
    kind: str = "",
    order: str = "degree",
    after: str = "",
    limit: int = 50,
) -> EntityPage:
    """Live entities whose name or an alias holds the text. Two queries.

    Raises `InvalidArgument` for a cursor that is none of this order's.
    """
    rows = _matching(access, text, kind)
    rows = _ordered(rows if not after else _beyond(rows, order, after), order)
    found = list(rows[: limit + 1])
    page = tuple(found[:limit])
    return EntityPage(
        entities=page,
        aliases=alias_names(access, [one.id for one in page]),
        older=_cursor(page[-1], order) if len(found) > limit else None,
    )


def best_named(access: Access, text: str, *, limit: int) -> list[Entity]:
    """The best connected entities whose name or an alias holds the text. One query."""
    return list(_ordered(_matching(access, text, ""), "degree")[:limit])


def types_of(access: Access) -> list[tuple[str, int]]:
    """The types in use with their counts, most used first. One query over the bank's entities."""
    rows = Entity.objects.filter(bank_id=access.bank.id, until=None).exclude(type="")
    counted = rows.values("type").annotate(number=Count("id")).order_by("-number", "type")
    return [(row["type"], row["number"]) for row in counted[:TYPES_LIMIT]]


def relations_of(access: Access) -> list[str]:
    """The relation types in use, most used first. One query over the bank's relationships."""
    rows = Relationship.objects.filter(bank_id=access.bank.id, until=None)
    counted = rows.values("type_key").annotate(number=Count("id")).order_by("-number", "type_key")
    return [row["type_key"] for row in counted[:TYPES_LIMIT]]


def is_empty(access: Access) -> bool:
    """Whether the bank never knew an entity. One query."""
    return not Entity.objects.filter(bank_id=access.bank.id).exists()


def alias_names(access: Access, ids: Sequence[str]) -> dict[str, list[str]]:
    """Aliases by entity, in order. One query."""
    rows = EntityAlias.objects.filter(bank_id=access.bank.id, entity_id__in=list(ids))
    found: dict[str, list[str]] = {}
    for row in rows.order_by("name"):
        found.setdefault(row.entity_id, []).append(row.name)
    return found


def by_ids(access: Access, ids: Sequence[str]) -> dict[str, Entity]:
    """Entities in whatever state by id, unknown ones left out. One query, none for none."""
    wanted = [one for one in ids if is_id("ent", one)]
    if not wanted:
        return {}
    rows = Entity.objects.filter(bank_id=access.bank.id, id__in=wanted)
    return {row.id: row for row in rows}


def find(access: Access, entity_id: str) -> Entity:
    """An entity by id, also one that is gone.

    Raises `NotFound`; `WrongIdPrefix` for another kind's id.
    """
    row = by_ids(access, [entity_id]).get(entity_id)
    if row is None:
        raise missing("ent", entity_id)
    return row


def facts_of(
    access: Access,
    entity: Entity,
    *,
    at: int | None = None,
    ended: bool = False,
    after: str = "",
    limit: int = 30,
) -> FactPage:
    """The memories that name the entity, newest first, once each, as they are now. Three queries.

    With `ended` also those that no longer count; else what counts now, or counted at a watermark.
    What is in the bin is left out of both; then it is there where it wasn't yet.
    """
    mentions = Mention.objects.filter(bank_id=access.bank.id, entity_id=entity.id)
    if at is not None:
        mentions = mentions.filter(stood_then(at))
    elif ended:
        mentions = mentions.filter(memory__deleted_at=None)
    else:
        mentions = mentions.filter(until=None)
    if after and not is_id("mem", after):
        raise InvalidArgument(
            "after is not the cursor of a page of facts.",
            hint="Follow the link to the next page, or leave it out.",
            field="after",
        )
    beyond = mentions.filter(memory_id__lt=after) if after else mentions
    once = beyond.order_by("-memory_id", "-since").distinct("memory_id").select_related("memory")
    found = list(once[: limit + 1])
    shown = found[:limit]
    stated = _assertions(access, entity, [row.memory_id for row in shown], at=at, ended=ended)
    return FactPage(
        facts=tuple(
            Fact(
                memory=row.memory,
                mention=row,
                assertions=tuple(stated.get(row.memory_id, ())),
            )
            for row in shown
        ),
        total=mentions.values("memory_id").distinct().count(),
        older=shown[-1].memory_id if len(found) > limit else None,
    )


def story(access: Access, entity: Entity, *, limit: int = 50) -> EntityStory:
    """What was done to the entity itself. Five queries."""
    bank = {"bank_id": access.bank.id}
    entries = tuple(LedgerEntry.objects.filter(**bank, target=entity.id).order_by("-seq")[:limit])
    contents = LedgerContent.objects.filter(**bank, seq__in=[entry.seq for entry in entries])
    aliases = EntityAlias.objects.filter(**bank, entity_id=entity.id).order_by("name")
    proposals = list(
        MergeProposal.objects.filter(
            **bank, canonical_id=entity.id, status=Proposal.Status.ACCEPTED
        ).order_by("-decided_at")[:limit]
    )
    variants = by_ids(access, [row.variant_id for row in proposals])
    return EntityStory(
        aliases=tuple(aliases),
        merges=tuple((row, variants[row.variant_id]) for row in proposals),
        entries=entries,
        contents={row.seq: row.content for row in contents},
    )


def _matching(access: Access, text: str, kind: str) -> QuerySet[Entity]:
    rows = Entity.objects.filter(bank_id=access.bank.id, until=None)
    if text:
        named = EntityAlias.objects.filter(bank_id=access.bank.id, name__icontains=text)
        rows = rows.filter(Q(name__icontains=text) | Q(id__in=named.values("entity_id")))
    return rows.filter(type__iexact=kind) if kind else rows


def _ordered(rows: QuerySet[Entity], order: str) -> QuerySet[Entity]:
    if order == "name":
        return rows.order_by("name_key")
    return rows.order_by("-id") if order == "newest" else rows.order_by("-degree", "-id")


def _cursor(last: Entity, order: str) -> str:
    if order == "name":
        return last.name_key
    return last.id if order == "newest" else f"{last.degree}.{last.id}"


def _beyond(rows: QuerySet[Entity], order: str, after: str) -> QuerySet[Entity]:
    if order == "name":
        return rows.filter(name_key__gt=after)
    number, _, last = after.rpartition(".")
    if not is_id("ent", last) or (
        order == "degree" and not (number.isascii() and number.isdigit())
    ):
        raise InvalidArgument(
            "after is not the cursor of a page of entities.",
            hint="Follow the link to the next page, or leave it out.",
            field="after",
        )
    if order == "newest":
        return rows.filter(id__lt=last)
    degree = min(int(number[:9]), 2**31 - 1)
    return rows.filter(degree__lte=degree).exclude(degree=degree, id__gte=last)


def _assertions(
    access: Access, entity: Entity, memories: Sequence[str], *, at: int | None, ended: bool
) -> dict[str, list[Assertion]]:
    rows = Assertion.objects.filter(
        Q(relationship__source_id=entity.id) | Q(relationship__target_id=entity.id),
        bank_id=access.bank.id,
        memory_id__in=list(memories),
    )
    if at is not None:
        rows = rows.filter(stood_then(at))
    elif not ended:
        rows = rows.filter(until=None)
    found: dict[str, list[Assertion]] = {}
    once: set[tuple[str, str]] = set()
    related = rows.select_related("relationship__source", "relationship__target")
    for row in related.order_by("relationship_id", "-since"):
        key = (row.memory_id, row.relationship_id)
        if key not in once:
            once.add(key)
            found.setdefault(row.memory_id, []).append(row)
    return found
