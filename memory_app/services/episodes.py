"""Episodes: facts between named entities, stored all or not at all (D1 to D3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.names import name_key
from memory_app.domain.stated import Episode, Fact
from memory_app.domain.values import Draft, EntityDraft, RelationDraft
from memory_app.models import Entity
from memory_app.queries.access import resolve
from memory_app.queries.graph import neighbour_names
from memory_app.services import memories
from memory_app.services.graph import likeness, resolution
from memory_app.services.graph.likeness import Likeness
from memory_app.services.graph.resolution import Resolved
from memory_app.services.ledger import Book
from memory_app.services.memories import Saved
from memory_app.services.memories.relating import fact_identity

RELATED_LIMIT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeWritten:
    """What became of an episode. With `ambiguous` nothing was stored; the caller chooses and repeats."""

    stored: bool
    facts: tuple[tuple[Fact, Saved], ...] = ()
    entities: tuple[tuple[Entity, str], ...] = ()
    ambiguous: Mapping[str, list[Likeness]] = field(default_factory=dict)
    related: tuple[str, ...] = ()


class _Ambiguous(Exception):
    """Names of the call that may mean entities of the bank; rolls the write back."""

    def __init__(self, candidates: Mapping[str, list[Likeness]]) -> None:
        super().__init__("ambiguous entities")
        self.candidates = candidates


def write_episode(actor: Actor, bank: str | None, episode: Episode) -> EpisodeWritten:
    """Store the facts of an episode. Needs `read_write`; each fact is one operation.

    Exact names and aliases resolve; a near match makes the call return `stored=False` with
    candidates, unless it is resolved explicitly or `assume_new` is set. A fact with the same source,
    relation and target as a live one and another text replaces it. Raises `NotFound` for a
    resolution to an unknown entity.
    """
    if not episode.facts:
        return _nothing_to_store(actor, bank, episode)
    drafts = [_draft(fact, episode, first=number == 0) for number, fact in enumerate(episode.facts)]
    try:
        saved = memories.save_many(
            actor, bank, drafts, meanings=lambda book: _meanings(book, episode)
        )
    except _Ambiguous as doubt:
        return EpisodeWritten(stored=False, ambiguous=doubt.candidates)
    woven = next((one.woven for one in saved if one.woven is not None), None)
    found = (
        [] if woven is None else [woven.entities[name_key(one.name)] for one in episode.entities]
    )
    with acting_as(actor):
        access = resolve(actor, bank)
        known = [one.entity.id for one in found]
        related = neighbour_names(access.bank.id, known, limit=RELATED_LIMIT)
    return EpisodeWritten(
        stored=True,
        facts=tuple(zip(episode.facts, saved, strict=True)),
        entities=tuple((one.entity, "new" if one.how == "new" else "existing") for one in found),
        related=tuple(related),
    )


def _nothing_to_store(actor: Actor, bank: str | None, episode: Episode) -> EpisodeWritten:
    """A call without facts stores nothing: it says which of its names the bank knows."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        known = resolution.by_names(access.bank.id, [one.name for one in episode.entities])
        related = neighbour_names(
            access.bank.id, [one.entity.id for one in known.values()], limit=RELATED_LIMIT
        )
    return EpisodeWritten(
        stored=False,
        entities=tuple((one.entity, "existing") for one in known.values()),
        related=tuple(related),
    )


def _meanings(book: Book, episode: Episode) -> Mapping[str, Resolved]:
    """Explicit choices, checked with the bank locked; raises `_Ambiguous` for what is still open."""
    choices = {name: ref for name, ref in episode.resolutions.items() if ref != "new"}
    chosen = resolution.chosen(book.bank.id, choices)
    known = resolution.by_names(book.bank.id, [one.name for one in episode.entities])
    declared_new = {name_key(name) for name, ref in episode.resolutions.items() if ref == "new"}
    taken = sorted(declared_new & known.keys())
    if taken:
        raise Conflict(
            f"{known[taken[0]].entity.name!r:.80} exists already; it can't be new.",
            hint="Leave out the resolution, or use another name.",
            field="entity_resolutions",
        )
    open_names = [
        one.name
        for one in episode.entities
        if name_key(one.name) not in known
        and name_key(one.name) not in chosen
        and name_key(one.name) not in declared_new
    ]
    candidates = {} if episode.assume_new else likeness.near(book.bank.id, open_names)
    if candidates:
        raise _Ambiguous(candidates)
    return chosen


def _draft(fact: Fact, episode: Episode, *, first: bool) -> Draft:
    """One fact as a memory; the first carries the call's other entities, so that they are made too."""
    named = {name_key(one.name): one for one in episode.entities}
    ends = [named[name_key(fact.source)], named[name_key(fact.target)]]
    entities: list[EntityDraft] = list(dict.fromkeys(ends))
    return Draft(
        content=fact.text,
        session=episode.session_id,
        project=episode.project,
        confidence=fact.confidence,
        causal_hint=fact.causal_hint,
        fact=True,
        identity=fact_identity(fact.source, fact.relation_type, fact.target),
        compared=False,
        entities=tuple([*entities, *_others(episode, entities)] if first else entities),
        relations=(RelationDraft(source=fact.source, type=fact.relation_type, target=fact.target),),
    )


def _others(episode: Episode, taken: list[EntityDraft]) -> list[EntityDraft]:
    ends = {name_key(end) for fact in episode.facts for end in (fact.source, fact.target)}
    return [one for one in episode.entities if one not in taken and name_key(one.name) not in ends]
