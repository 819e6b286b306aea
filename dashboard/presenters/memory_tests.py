"""Memory tests and their runs as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters import filters
from dashboard.presenters.lab import stage_label
from dashboard.presenters.memories import Pointer, point_to
from memory_app.models import Memory, MemoryTest, MemoryTestRun

_LOOKS = {
    "green": ("circle-check", "state-good", "Green"),
    "red": ("circle-x", "state-deleted", "Red"),
    "new": ("circle-dashed", "state-retired", "Not run yet"),
}
_CAUSES = {
    "demand": "asked for",
    "sweep": "after an import, a merge or a decision",
    "night": "at night",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCard:
    id: str
    status: str
    icon: str
    state: str
    label: str
    query: str
    memory: Pointer | None
    says: str
    who: str
    conditions: tuple[tuple[str, str], ...]
    note: str
    reason: str
    since: datetime | None
    ran_at: datetime | None
    url: str
    run_url: str
    delete_url: str
    restore_url: str
    follow_url: str
    why_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    icon: str
    state: str
    label: str
    at: datetime
    cause: str
    place: int | None
    stage: str
    reason: str
    watermark: int
    took_ms: float


def present_tests(
    place: Place,
    tests: Sequence[MemoryTest],
    memories: Mapping[str, Memory],
    names: Mapping[str, ActorName],
) -> list[TestCard]:
    return [
        _card(place, test, memories.get(test.memory_id), names.get(test.agent)) for test in tests
    ]


def present_runs(runs: Iterable[MemoryTestRun]) -> list[RunLine]:
    found = []
    for row in runs:
        icon, state, label = _LOOKS[row.status]
        found.append(
            RunLine(
                icon=icon,
                state=state,
                label=label,
                at=row.created_at,
                cause=_CAUSES.get(row.cause, row.cause),
                place=row.place,
                stage=stage_label(row.stage) if row.stage else "",
                reason=row.reason,
                watermark=row.watermark,
                took_ms=row.took_ms,
            )
        )
    return found


def _card(
    place: Place, test: MemoryTest, memory: Memory | None, asker: ActorName | None
) -> TestCard:
    icon, state, label = _LOOKS[test.status]
    verb = "must be" if test.must_appear else "must never be"
    among = "the first" if test.within == 1 else f"among the first {test.within}"
    conditions = {name: _shown(value) for name, value in test.options.items()}
    asked = {"query": test.query, "limit": str(test.within), "agent": test.agent, **conditions}
    return TestCard(
        id=test.id,
        status=test.status,
        icon=icon,
        state=state,
        label=label,
        query=test.query,
        memory=point_to(place, memory) if memory else None,
        says=f"{verb} {among}",
        who=asker.name if asker else "anybody",
        conditions=tuple((name.replace("_", " "), value) for name, value in conditions.items()),
        note=test.note,
        reason=test.last_reason,
        since=test.status_since,
        ran_at=test.last_run_at,
        url=place.url("test", test.id),
        run_url=place.url("test-run", test.id),
        delete_url=place.url("test-delete", test.id),
        restore_url=place.url("test-restore", test.id),
        follow_url=place.url("test-follow", test.id),
        why_url=filters.address(place.url("lab"), asked | {"why": test.memory_id}) + "#why",
    )


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
