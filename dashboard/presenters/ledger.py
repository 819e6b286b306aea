"""The ledger's entries as sentences, with what seals them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.events import DOORS, rewording
from dashboard.presenters.memories import Pointer, point_to
from dashboard.presenters.operations import words_of
from dashboard.presenters.reasons import told
from dashboard.presenters.words import Piece
from memory_app.domain.ids import is_id
from memory_app.models import LedgerCheck, LedgerContent, LedgerEntry, Memory
from memory_app.services.ledger import seal


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    seq: int
    icon: str
    did: str
    who: ActorName
    at: datetime
    door: str
    reason: str
    hash: str
    memory: Pointer | None
    named: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """An entry with its content; `erased` when the content is gone and only its digest stays."""

    row: Row
    operation: str
    target: str
    target_url: str
    tool: str
    request_id: str
    before: int | None
    took_ms: float
    counters: tuple[tuple[str, int], ...]
    pieces: tuple[Piece, ...]
    content: str
    erased: bool
    content_digest: str
    previous_hash: str
    intact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The newest proof of the chain: `state` is running, holds or broken."""

    state: str
    who: ActorName
    asked_at: datetime
    finished_at: datetime | None
    entries: int
    reason: str
    broken_at: int | None
    broken_url: str


def present_entries(
    place: Place,
    entries: Iterable[LedgerEntry],
    names: Mapping[str, ActorName],
    memories: Mapping[str, Memory],
    named: Mapping[str, str],
) -> list[Row]:
    return [_row(place, entry, names, memories, named) for entry in entries]


def present_entry(
    place: Place,
    entry: LedgerEntry,
    content: LedgerContent | None,
    names: Mapping[str, ActorName],
    memories: Mapping[str, Memory],
    named: Mapping[str, str],
) -> Detail:
    body = content.content if content else {}
    return Detail(
        row=_row(place, entry, names, memories, named),
        operation=entry.operation,
        target=entry.target,
        target_url=place.url("memory", entry.target) if is_id("mem", entry.target) else "",
        tool=entry.tool,
        request_id=entry.request_id,
        before=entry.before_watermark,
        took_ms=entry.elapsed_ms,
        counters=tuple(sorted(entry.counters.items())),
        pieces=rewording(body),
        content=json.dumps(body, indent=2, ensure_ascii=False) if body else "",
        erased=bool(entry.content_digest) and content is None,
        content_digest=entry.content_digest,
        previous_hash=entry.previous_hash,
        intact=seal(entry) == entry.hash,
    )


def present_check(place: Place, check: LedgerCheck, names: Mapping[str, ActorName]) -> Check:
    states = {None: "running", True: "holds", False: "broken"}
    exists = check.broken_at is not None and check.broken_at <= check.head_watermark
    return Check(
        state=states[check.valid],
        who=names[check.asked_by],
        asked_at=check.created_at,
        finished_at=check.finished_at,
        entries=check.entries,
        reason=check.reason,
        broken_at=check.broken_at,
        broken_url=place.url("ledger-entry", str(check.broken_at)) if exists else "",
    )


def _row(
    place: Place,
    entry: LedgerEntry,
    names: Mapping[str, ActorName],
    memories: Mapping[str, Memory],
    named: Mapping[str, str],
) -> Row:
    words = words_of(entry.operation)
    memory = memories.get(entry.target)
    return Row(
        seq=entry.seq,
        icon=words.icon,
        did=words.did,
        who=names[entry.actor],
        at=entry.created_at,
        door=DOORS.get(entry.door, entry.door),
        reason=told(entry.reason),
        hash=entry.hash,
        memory=point_to(place, memory) if memory else None,
        named=named.get(entry.target, ""),
        url=place.url("ledger-entry", str(entry.seq)),
    )
