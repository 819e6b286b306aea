"""Recalls and ledger entries as lines of the activity feed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import NoReverseMatch

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.memories import Pointer, point_to
from dashboard.presenters.operations import describe
from dashboard.presenters.reasons import told
from dashboard.presenters.words import Piece, word_diff
from memory_app.domain.ids import is_id
from memory_app.models import LedgerEntry, Memory, Recall

SHOWN_HITS = 10
PAUSE = timedelta(minutes=30)
WORDED = ("update", "append", "patch")
DOORS = {
    "mcp": "MCP",
    "rest": "REST",
    "dashboard": "dashboard",
    "task": "background",
    "command": "command line",
}


def through(door: str, tool: str) -> str:
    """How something came in, in a person's words; only MCP has tools that people know by name."""
    shown = DOORS.get(door, door)
    return " · ".join(part for part in (shown, tool if door == "mcp" else "") if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventHit:
    score: float | None
    snippet: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line: `who` `did` something, to `memory` or to what is `named`, or with `query` and what it
    returned.

    `pieces` mark what an edit changed; `url` is the recall's receipt or the ledger's entry.
    """

    id: str
    kind: str
    icon: str
    who: ActorName
    did: str
    at: datetime
    door: str
    took_ms: float
    url: str
    query: str = ""
    named: str = ""
    memory: Pointer | None = None
    reason: str = ""
    hits: tuple[EventHit, ...] = ()
    hit_count: int = 0
    best_refused: float | None = None
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What one agent or person did by one door without a pause of half an hour; newest first."""

    who: ActorName
    door: str
    began: datetime
    ended: datetime
    events: tuple[Event, ...]
    searches: int
    changes: int


def group_sessions(events: Sequence[Event]) -> list[Session]:
    """The sessions of one page, the one with the newest event first. A session that goes on below the
    page is cut there.
    """
    running: dict[tuple[str, str], list[Event]] = {}
    found: list[list[Event]] = []
    for event in events:
        key = (event.who.id, event.door)
        group = running.get(key)
        if group is None or group[-1].at - event.at > PAUSE:
            group = running[key] = []
            found.append(group)
        group.append(event)
    return [
        Session(
            who=group[0].who,
            door=DOORS.get(group[0].door, group[0].door),
            began=group[-1].at,
            ended=group[0].at,
            events=tuple(group),
            searches=sum(event.kind == "searched" for event in group),
            changes=sum(event.kind == "changed" for event in group),
        )
        for group in found
    ]


def edits(events: Iterable[Recall | LedgerEntry]) -> list[LedgerEntry]:
    """The changes whose content tells what was written before and after."""
    return [e for e in events if isinstance(e, LedgerEntry) and e.operation in WORDED]


def changed(events: Iterable[Recall | LedgerEntry]) -> list[str]:
    """What the changes among the events are about, so that names are loaded at once."""
    return [event.target for event in events if isinstance(event, LedgerEntry)]


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
    contents: Mapping[int, Mapping[str, Any]],
    targets: Mapping[str, str],
) -> list[Event]:
    """`names`, `memories`, `contents` and the names of other `targets` are loaded for all of the page
    at once.
    """
    return [
        _searched(place, event, names, memories)
        if isinstance(event, Recall)
        else _changed(
            place,
            event,
            names,
            memories,
            contents.get(event.seq, {}),
            targets.get(event.target, ""),
        )
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
        id=recall.id,
        url=receipt_url(place, recall.id),
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
    content: Mapping[str, Any],
    named: str,
) -> Event:
    icon, did = describe(entry.operation)
    memory = memories.get(entry.target)
    gone = memory is None and is_id("mem", entry.target)
    return Event(
        id=entry.id,
        url=place.url("ledger-entry", str(entry.seq)),
        pieces=rewording(content),
        kind="changed",
        icon=icon,
        who=names[entry.actor],
        did=f"{did} a memory that is gone" if gone else did,
        at=entry.created_at,
        door=entry.door,
        took_ms=entry.elapsed_ms,
        reason=told(entry.reason),
        named=named,
        memory=point_to(place, memory) if memory else None,
    )


def rewording(content: Mapping[str, Any]) -> tuple[Piece, ...]:
    """What an edit did to the text; empty when it changed something else."""
    before, after = content.get("before"), content.get("after")
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return ()
    old, new = before.get("content"), after.get("content")
    if not isinstance(old, str) or not isinstance(new, str) or old == new:
        return ()
    return tuple(word_diff(old, new))


def receipt_url(place: Place, recall_id: str) -> str:
    """The recall's permanent address; empty where there is no such screen."""
    try:
        return place.url("recall", recall_id)
    except NoReverseMatch:
        return ""


def _pointer(place: Place, memory: Memory) -> dict[str, str]:
    pointer = point_to(place, memory)
    return {"snippet": pointer.snippet, "url": pointer.url}
