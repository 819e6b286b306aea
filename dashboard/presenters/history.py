"""Ledger entries and versions as sentences with word differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from accounts.queries.names import ActorName
from dashboard.presenters.operations import describe
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
    """One entry of the ledger about this memory; `pieces` is empty unless the text changed."""

    icon: str
    who: str
    did: str
    at: datetime
    watermark: int
    door: str
    reason: str
    pieces: tuple[Piece, ...]
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    query: str
    rank: int
    score: float | None
    who: str
    at: datetime


def present_history(story: Story, names: Mapping[str, ActorName]) -> list[Change]:
    """Newest first. What an edit changed is known while its two versions are kept."""
    pairs = _version_pairs(story.versions)
    changes = []
    for entry in story.entries:
        before, after = pairs.get(entry.seq, (None, None))
        icon, did = describe(entry.operation)
        changes.append(
            Change(
                icon=icon,
                who=names[entry.actor].name,
                did=f"{did} this",
                at=entry.created_at,
                watermark=entry.seq,
                door=entry.door,
                reason=entry.reason,
                pieces=_text_change(before, after),
                fields=_field_changes(before, after),
            )
        )
    return changes


def present_recalls(
    recalls: Iterable[Recall], memory_id: str, names: Mapping[str, ActorName]
) -> list[Served]:
    """Who got this memory for which question, at which place of the answer."""
    return [
        Served(
            query=recall.query,
            rank=hit.get("rank", 0),
            score=hit.get("score"),
            who=names[recall.actor].name,
            at=recall.created_at,
        )
        for recall in recalls
        for hit in recall.hits
        if hit.get("id") == memory_id
    ]


def _version_pairs(
    versions: tuple[MemoryVersion, ...],
) -> dict[int, tuple[dict[str, Any], dict[str, Any]]]:
    """By the watermark an edit made: the body before and the body since."""
    return {after.since: (before.body, after.body) for before, after in pairwise(versions)}


def _text_change(before: dict[str, Any] | None, after: dict[str, Any] | None) -> tuple[Piece, ...]:
    if before is None or after is None or before.get("content") == after.get("content"):
        return ()
    return tuple(word_diff(str(before.get("content", "")), str(after.get("content", ""))))


def _field_changes(
    before: dict[str, Any] | None, after: dict[str, Any] | None
) -> tuple[FieldChange, ...]:
    if before is None or after is None:
        return ()
    return tuple(
        FieldChange(
            name=name.capitalize(), before=_shown(before.get(name)), after=_shown(after.get(name))
        )
        for name in _FIELDS
        if before.get(name) != after.get(name)
    )


def _shown(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return text or "none"
