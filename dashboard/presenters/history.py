"""Ledger entries and versions as sentences with word differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.events import through
from dashboard.presenters.operations import describe
from dashboard.presenters.reasons import told
from dashboard.presenters.words import Piece, word_diff
from memory_app.models import MemoryVersion, Recall
from memory_app.queries.provenance import Story

_FIELDS = ("title", "category", "collection", "tags", "source", "project", "confidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One entry of the ledger about this memory; `pieces` is empty unless the text changed.

    `before` is the watermark of the version that an edit replaced, while it is kept.
    """

    icon: str
    who: str
    did: str
    at: datetime
    watermark: int
    door: str
    reason: str
    pieces: tuple[Piece, ...]
    fields: tuple[FieldChange, ...]
    before: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    query: str
    rank: int
    score: float | None
    who: str
    at: datetime
    url: str


def present_history(story: Story, names: Mapping[str, ActorName]) -> list[Change]:
    """Newest first. What an edit changed is known while its two versions are kept."""
    pairs = _version_pairs(story.versions)
    changes = []
    for entry in story.entries:
        pair = pairs.get(entry.seq)
        icon, did = describe(entry.operation)
        changes.append(
            Change(
                icon=icon,
                who=names[entry.actor].name,
                did=f"{did} this",
                at=entry.created_at,
                watermark=entry.seq,
                door=through(entry.door, entry.tool),
                reason=told(entry.reason),
                pieces=_text_change(pair) if pair else (),
                fields=_field_changes(pair) if pair else (),
                before=pair.before.since if pair else None,
            )
        )
    return changes


def present_recalls(
    place: Place, recalls: Iterable[Recall], memory_id: str, names: Mapping[str, ActorName]
) -> list[Served]:
    """Who got this memory for which question, at which place of the answer."""
    return [
        Served(
            query=recall.query,
            rank=hit.get("rank", 0),
            score=hit.get("score"),
            who=names[recall.actor].name,
            at=recall.created_at,
            url=place.url("recall", recall.id),
        )
        for recall in recalls
        for hit in recall.hits
        if hit.get("id") == memory_id
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    before: MemoryVersion
    after: MemoryVersion


def _version_pairs(versions: tuple[MemoryVersion, ...]) -> dict[int, _Pair]:
    """By the watermark an edit made: the version before and the one since."""
    return {new.since: _Pair(before=old, after=new) for old, new in pairwise(versions)}


def _text_change(pair: _Pair) -> tuple[Piece, ...]:
    old, new = (str(each.body.get("content", "")) for each in (pair.before, pair.after))
    return tuple(word_diff(old, new)) if old != new else ()


def _field_changes(pair: _Pair) -> tuple[FieldChange, ...]:
    old, new = pair.before.body, pair.after.body
    return tuple(
        FieldChange(
            name=name.capitalize(), before=_shown(old.get(name)), after=_shown(new.get(name))
        )
        for name in _FIELDS
        if old.get(name) != new.get(name)
    )


def _shown(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return text or "none"
