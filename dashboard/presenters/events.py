"""Recalls and ledger entries as lines of the activity feed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.memories import Pointer, point_to
from dashboard.presenters.operations import describe
from memory_app.domain.ids import is_id
from memory_app.models import LedgerEntry, Memory, Recall

SHOWN_HITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class EventHit:
    score: float | None
    snippet: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line: `who` `did` something, to `memory` or with `query` and what it returned."""

    kind: str
    icon: str
    who: ActorName
    did: str
    at: datetime
    door: str
    took_ms: float
    query: str = ""
    memory: Pointer | None = None
    reason: str = ""
    hits: tuple[EventHit, ...] = ()
    hit_count: int = 0
    best_refused: float | None = None


def memory_ids(events: Iterable[Recall | LedgerEntry]) -> list[str]:
    """The memories that the lines name, so that they are loaded by one query."""
    wanted: set[str] = set()
    for event in events:
        if isinstance(event, Recall):
            wanted |= {hit["id"] for hit in event.hits[:SHOWN_HITS]}
        elif is_id("mem", event.target):
            wanted.add(event.target)
    return sorted(wanted)


def present_events(
    place: Place,
    events: Sequence[Recall | LedgerEntry],
    names: Mapping[str, ActorName],
    memories: Mapping[str, Memory],
) -> list[Event]:
    return [
        _searched(place, event, names, memories)
        if isinstance(event, Recall)
        else _changed(place, event, names, memories)
        for event in events
    ]


def _searched(
    place: Place,
    recall: Recall,
    names: Mapping[str, ActorName],
    memories: Mapping[str, Memory],
) -> Event:
    shown = [
        (hit, memories[hit["id"]]) for hit in recall.hits[:SHOWN_HITS] if hit["id"] in memories
    ]
    return Event(
        kind="searched",
        icon="search" if recall.query else "user-round",
        who=names[recall.actor],
        did="searched for" if recall.query else "read the profile",
        at=recall.created_at,
        door=recall.door,
        took_ms=recall.took_ms,
        query=recall.query,
        hits=tuple(
            EventHit(score=hit.get("score"), **_pointer(place, memory)) for hit, memory in shown
        ),
        hit_count=recall.hit_count,
        best_refused=recall.best_refused_score,
    )


def _changed(
    place: Place,
    entry: LedgerEntry,
    names: Mapping[str, ActorName],
    memories: Mapping[str, Memory],
) -> Event:
    icon, did = describe(entry.operation)
    memory = memories.get(entry.target)
    gone = memory is None and is_id("mem", entry.target)
    return Event(
        kind="changed",
        icon=icon,
        who=names[entry.actor],
        did=f"{did} a memory that is gone" if gone else did,
        at=entry.created_at,
        door=entry.door,
        took_ms=entry.elapsed_ms,
        reason=entry.reason,
        memory=point_to(place, memory) if memory else None,
    )


def _pointer(place: Place, memory: Memory) -> dict[str, str]:
    pointer = point_to(place, memory)
    return {"snippet": pointer.snippet, "url": pointer.url}
