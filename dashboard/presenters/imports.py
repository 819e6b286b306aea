"""An import's report, line by line, before and after it ran."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.place import Place
from dashboard.presenters.memories import snippet
from memory_app.services.importing import ImportReport

_OUTCOMES = {
    "created": ("new", "state-good"),
    "pending": ("new", "state-good"),
    "known": ("known already", "state-pinned"),
    "skipped": ("skipped", "state-retired"),
    "refused": ("refused", "state-deleted"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    number: int
    text: str
    label: str
    state: str
    reason: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    number: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    lines: tuple[Line, ...]
    counts: tuple[Count, ...]
    ready: int
    refused: int
    undo_url: str


def present_report(place: Place, report: ImportReport) -> Report:
    lines = []
    for line in report.lines:
        label, state = _OUTCOMES.get(line.outcome, (line.outcome, "state-retired"))
        lines.append(
            Line(
                number=line.number,
                text=snippet(line.text),
                label=label,
                state=state,
                reason=line.reason,
                url=place.url("memory", line.memory_id) if line.memory_id else "",
            )
        )
    counts = {label: 0 for label, _ in _OUTCOMES.values()}
    for each in lines:
        counts[each.label] = counts.get(each.label, 0) + 1
    return Report(
        lines=tuple(lines),
        counts=tuple(Count(number=n, label=label) for label, n in counts.items() if n),
        ready=sum(line.outcome not in {"refused", "skipped"} for line in report.lines),
        refused=sum(line.outcome == "refused" for line in report.lines),
        undo_url=place.url("import-undo", report.import_id) if report.import_id else "",
    )
