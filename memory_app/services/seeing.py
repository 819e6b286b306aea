"""One entity as a person reads it: its facts with author and time, its neighbours, what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.models import Entity, Relationship
from memory_app.queries import entities, subgraph
from memory_app.queries.access import resolve
from memory_app.queries.entities import EntityStory, FactPage
from memory_app.queries.past import turn_entities_back
from memory_app.recall.loading import turn_back
from memory_app.recall.scope import watermark_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """`heir` is what the entity was merged into; `stood` whether it is there at the instant asked for.

    `cut` says that there are more relationships than are listed.
    """

    entity: Entity
    heir: Entity | None
    stood: bool
    facts: FactPage
    relationships: tuple[Relationship, ...]
    cut: bool
    story: EntityStory
    watermark: int


def see(
    actor: Actor,
    bank: str | None,
    entity_id: str,
    *,
    as_of: datetime | None = None,
    ended: bool = False,
    after: str = "",
    limit: int = 30,
) -> Seen:
    """A dozen statements, whatever the entity holds; no entry of the read log, it serves no agent.

    Raises `NotFound`. With `ended` facts that no longer count are listed too.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        entity = entities.find(access, entity_id)
        at = None if as_of is None else watermark_at(access.bank.id, as_of)
        facts = entities.facts_of(access, entity, at=at, ended=ended, after=after, limit=limit)
        if at is not None and facts.facts:
            turn_back(access.bank.id, at, [fact.memory for fact in facts.facts])
        watermark = access.bank.head_watermark if at is None else at
        edges = subgraph.relationships_of(access, entity.id, at=at)
        heirs = entities.by_ids(access, [entity.merged_into] if entity.merged_into else [])
        if at is not None:
            turn_entities_back(access.bank.id, [entity], at)
        told = entities.story(access, entity)
        told = replace(told, entries=tuple(e for e in told.entries if e.seq <= watermark))
    limit_edges = subgraph.RELATIONSHIPS_LIMIT
    return Seen(
        entity=entity,
        heir=heirs.get(entity.merged_into or ""),
        stood=entity.stood(watermark),
        facts=facts,
        relationships=tuple(edges[:limit_edges]),
        cut=len(edges) > limit_edges,
        story=told,
        watermark=watermark,
    )
