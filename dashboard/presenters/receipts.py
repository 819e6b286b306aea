"""A recall's receipt and its replays as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters import filters
from dashboard.presenters.events import through
from dashboard.presenters.lab import CHANNELS, missed_by, stage_label
from dashboard.presenters.memories import snippet
from memory_app.models import Recall
from memory_app.services.receipts import Difference, Receipt, Replay, Served

_ICONS = {"gained": "plus", "lost": "minus", "moved": "arrow-up-down", "same": "equal"}
_STATES = {
    "gained": "state-good",
    "lost": "state-deleted",
    "moved": "state-pending",
    "same": "state-retired",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedCard:
    rank: int
    score: float | None
    matched: str
    text: str
    title: str
    url: str
    erased: bool
    exact: bool
    changed: bool
    test_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCard:
    id: str
    query: str
    who: ActorName
    at: datetime
    through: str
    client: str
    took_ms: float
    tokens: int
    watermark: int
    conditions: tuple[tuple[str, str], ...]
    dropped: tuple[tuple[str, int], ...]
    best_refused: float | None
    served: tuple[ServedCard, ...]
    replayable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceCard:
    kind: str
    icon: str
    state: str
    before: int | None
    after: int | None
    text: str
    url: str
    reason: str
    stage: str
    missed: str


def present_receipt(place: Place, receipt: Receipt, names: Mapping[str, ActorName]) -> ReceiptCard:
    recall = receipt.recall
    return ReceiptCard(
        id=recall.id,
        query=recall.query,
        who=names[recall.actor],
        at=recall.created_at,
        through=through(recall.door, recall.tool),
        client=recall.client,
        took_ms=recall.took_ms,
        tokens=recall.tokens,
        watermark=recall.watermark,
        conditions=tuple(_conditions(recall)),
        dropped=tuple(recall.dropped.items()),
        best_refused=recall.best_refused_score,
        served=tuple(_served(place, receipt, each) for each in receipt.served),
        replayable=receipt.replayable,
    )


def present_differences(place: Place, replay: Replay) -> list[DifferenceCard]:
    return [_difference(place, each) for each in replay.differences]


def lab_address(place: Place, receipt: Receipt) -> str:
    """The lab with the same question, asked as the same agent."""
    return filters.address(place.url("lab"), options_in_address(receipt.recall))


def options_in_address(recall: Recall) -> dict[str, str]:
    """A recall's question as the lab's address carries it."""
    found = {"query": recall.query, "agent": recall.actor}
    if not recall.actor.startswith("agent_"):
        del found["agent"]
    if recall.mode not in ("hybrid", "recent"):
        found["mode"] = recall.mode
    return found | {name: _shown(value) for name, value in recall.filters.items()}


def _conditions(recall: Recall) -> list[tuple[str, str]]:
    found = [("mode", recall.mode)]
    found += [(name.replace("_", " "), _shown(value)) for name, value in recall.filters.items()]
    return found


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _served(place: Place, receipt: Receipt, each: Served) -> ServedCard:
    memory = each.memory
    kept = options_in_address(receipt.recall) | {"memory": each.id}
    return ServedCard(
        rank=each.rank,
        score=each.score,
        matched=" and ".join(CHANNELS.get(name, name).lower() for name in each.matched),
        text=memory.content if memory else "",
        title=memory.title if memory else "",
        url=place.url("memory", each.id) if memory else "",
        erased=memory is None,
        exact=each.exact,
        changed=each.changed,
        test_url=filters.address(place.url("test-new"), kept) if memory else "",
    )


def _difference(place: Place, each: Difference) -> DifferenceCard:
    memory, reason = each.memory, each.reason
    lost = "It has been erased." if each.kind == "lost" and reason is None else ""
    return DifferenceCard(
        kind=each.kind,
        icon=_ICONS[each.kind],
        state=_STATES[each.kind],
        before=each.before,
        after=each.after,
        text=snippet(memory.content) if memory else "A memory that is gone",
        url=place.url("memory", each.id) if memory else "",
        reason=reason.text if reason else lost,
        stage=stage_label(reason.stage) if reason else "",
        missed=missed_by(reason) if reason else "",
    )
