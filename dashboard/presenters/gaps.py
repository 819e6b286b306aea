"""Knowledge gaps, and what was decided about them, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters import filters
from dashboard.presenters.memories import Pointer, point_to
from memory_app.models import GapDecision, Memory
from memory_app.services.gaps import Gap

_OTHERS_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GapCard:
    key: str
    question: str
    others: tuple[str, ...]
    number: int
    empty: int
    best: float | None
    askers: str
    first: datetime
    last: datetime
    answer_url: str
    snooze_url: str
    dismiss_url: str
    recall_url: str
    lab_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCard:
    question: str
    status: str
    who: ActorName
    at: datetime
    until: datetime | None
    number: int
    memory: Pointer | None
    undo_url: str
    test_url: str


def present_gaps(
    place: Place, found: Sequence[Gap], names: Mapping[str, ActorName], kept: Mapping[str, str]
) -> list[GapCard]:
    """`kept` is what the list was asked for, so that a form answers the group that is shown."""
    return [
        GapCard(
            key=gap.key,
            question=gap.question,
            others=tuple(each.question for each in gap.wordings[1 : _OTHERS_SHOWN + 1]),
            number=gap.number,
            empty=gap.empty,
            best=gap.best,
            askers=", ".join(sorted({names[one].name for one in gap.askers})),
            first=gap.first,
            last=gap.last,
            answer_url=filters.address(place.url("gap-answer", gap.key), kept),
            snooze_url=filters.address(place.url("gap-snooze", gap.key), kept),
            dismiss_url=filters.address(place.url("gap-dismiss", gap.key), kept),
            recall_url=place.url("recall", gap.recall_id),
            lab_url=filters.address(place.url("lab"), {"query": gap.question}),
        )
        for gap in found
    ]


def present_decisions(
    place: Place,
    rows: Iterable[GapDecision],
    names: Mapping[str, ActorName],
    memories: Mapping[str, Memory],
) -> list[DecisionCard]:
    return [_decision(place, row, names, memories.get(row.memory_id or "")) for row in rows]


def _decision(
    place: Place, row: GapDecision, names: Mapping[str, ActorName], memory: Memory | None
) -> DecisionCard:
    kept = {"query": row.question, "memory": memory.id} if memory else {}
    return DecisionCard(
        question=row.question,
        status=row.status,
        who=names[row.decided_by],
        at=row.created_at,
        until=row.until,
        number=row.asked,
        memory=point_to(place, memory) if memory else None,
        undo_url=place.url("gap-undo", row.id),
        test_url=filters.address(place.url("test-new"), kept) if memory else "",
    )
