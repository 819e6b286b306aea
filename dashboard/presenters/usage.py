"""Figures of a bank: tiles that lead to their lists, and series for the charts with their tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma

from dashboard.place import Place
from dashboard.presenters.filters import address
from memory_app.models import Job
from memory_app.queries.figures import Day, Figures
from memory_app.services.health import BankHealth

_TASKS = {
    "index_memories": "Making vectors of memories",
    "index_entities": "Making vectors of entities",
    "check_contradictions": "Looking for contradictions",
    "build_vector_index": "Building the vector index",
    "rebuild_vectors": "Making vectors anew",
    "renew_statistics": "Renewing the planner's statistics",
    "verify_ledger": "Checking the ledger",
    "run_tests": "Running memory tests",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure that leads to what it counts."""

    label: str
    value: str
    note: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    label: str
    # Which of the theme's colours: `--chart-1` and so on.
    colour: int
    kind: str = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """`data` is what the drawing takes: days as seconds, then the values of each series. `rows` are
    the same for the table, only of days on which something happened.
    """

    id: str
    title: str
    says: str
    series: tuple[Series, ...]
    data: dict[str, Any]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    what: str
    at: datetime | None
    attempts: int
    error: str


def measure(place: Place, found: Figures, stands: BankHealth, *, waiting: int) -> list[Measure]:
    memories = place.url("memories")
    since = {"since": found.days[0].day.isoformat()}
    searches = address(place.url("activity"), {"kind": "searched", **since})
    own = f"; {found.own_saves:,} more of one’s own" if found.own_saves else ""
    days = stands.access.bank.freshness_days
    answered = _share(found.answered, found.searches)
    return [
        Measure(
            label="Memories",
            value=intcomma(found.live),
            note=f"{found.added:,} added, {found.gone:,} gone",
            url=memories,
        ),
        Measure(
            label="Searches",
            value=intcomma(found.searches),
            note=f"{answered} found something" if found.searches else "none in this time",
            url=searches,
        ),
        Measure(
            label="A search takes",
            value=_ms(found.took.half),
            note=f"19 of 20 under {_ms(found.took.most)}, 99 of 100 under "
            f"{_ms(found.took.nearly_all)}"
            if found.searches
            else "nothing measured yet",
            url=searches,
        ),
        Measure(
            label="Tokens served",
            value=intcomma(found.tokens),
            note=_spared(found),
            url=searches,
        ),
        Measure(
            label="Recall saves",
            value=intcomma(found.saves),
            note=f"times a reader said that a memory saved work{own}",
            url=address(place.url("ledger"), {"action": "recall_save", **since}),
        ),
        Measure(
            label="Never recalled",
            value=intcomma(stands.never_recalled),
            note=f"{_share(stands.never_recalled, found.live)} of the live ones",
            url=address(memories, {"recalled": "never"}),
        ),
        Measure(
            label="Stale",
            value=intcomma(stands.stale),
            note=f"never recalled, not pinned, untouched for {days} days",
            url=address(memories, {"recalled": "never", "idle": str(days)}),
        ),
        Measure(
            label="To decide",
            value=intcomma(waiting),
            note="questions that wait for a person",
            url=place.url("review"),
        ),
    ]


def charts(found: Figures) -> list[Chart]:
    days = found.days
    return [
        _chart(
            "searches",
            "Searches",
            "Searches a day, and those that found something",
            days,
            (
                (Series(label="Searches", colour=1, kind="bars"), [d.searches for d in days]),
                (Series(label="Found something", colour=2), [d.answered for d in days]),
            ),
        ),
        _chart(
            "latency",
            "How long a search takes",
            "Milliseconds: half of the searches, 19 of 20 and 99 of 100 are faster",
            days,
            (
                (Series(label="Half", colour=1), [d.took.half for d in days]),
                (Series(label="19 of 20", colour=2), [d.took.most for d in days]),
                (Series(label="99 of 100", colour=3), [d.took.nearly_all for d in days]),
            ),
        ),
        _chart(
            "growth",
            "Growth",
            "Memories added and gone a day",
            days,
            (
                (Series(label="Added", colour=2, kind="bars"), [d.added for d in days]),
                (Series(label="Retired or deleted", colour=3), [d.gone for d in days]),
            ),
        ),
        _chart(
            "tokens",
            "Tokens served",
            "Tokens of memories handed to agents a day",
            days,
            ((Series(label="Tokens", colour=1, kind="bars"), [d.tokens for d in days]),),
        ),
        _chart(
            "saves",
            "Recall saves",
            "How often a day a reader said that a memory saved work",
            days,
            ((Series(label="Saves", colour=2, kind="bars"), [d.saves for d in days]),),
        ),
        _chart(
            "writing",
            "How long a write takes",
            "Milliseconds under the bank’s lock for saving and editing",
            days,
            (
                (Series(label="Half", colour=1), [d.writing.half for d in days]),
                (Series(label="19 of 20", colour=2), [d.writing.most for d in days]),
            ),
        ),
    ]


def failures(jobs: Iterable[Job]) -> list[Failure]:
    return [
        Failure(
            what=_TASKS.get(job.task, job.task.replace("_", " ").capitalize()),
            at=job.failed_at,
            attempts=job.attempts,
            error=job.error,
        )
        for job in jobs
    ]


def _chart(
    name: str,
    title: str,
    says: str,
    days: Sequence[Day],
    columns: Sequence[tuple[Series, Sequence[float | None]]],
) -> Chart:
    moments = [
        int(datetime(d.day.year, d.day.month, d.day.day, tzinfo=UTC).timestamp()) for d in days
    ]
    values = [list(column) for _, column in columns]
    return Chart(
        id=name,
        title=title,
        says=says,
        series=tuple(series for series, _ in columns),
        data={
            "columns": [moments, *values],
            "series": [
                {"label": series.label, "colour": series.colour, "kind": series.kind}
                for series, _ in columns
            ],
        },
        rows=tuple(
            (
                day.day.isoformat(),
                tuple("–" if column[n] is None else f"{column[n]:,}" for column in values),
            )
            for n, day in reversed(list(enumerate(days)))
            if any(column[n] for column in values)
        ),
    )


def _spared(found: Figures) -> str:
    """Against giving every search the whole bank."""
    if found.pasted > found.tokens:
        share = _share(found.pasted - found.tokens, found.pasted)
        return f"{share} less than pasting all memories each time"
    return f"the whole bank is {found.bank_tokens:,}"


def _share(part: int, whole: int) -> str:
    """In whole percent; all and nothing only where it is so."""
    if not whole or part in (0, whole):
        return "100 %" if whole and part else "0 %"
    return f"{min(99, max(1, round(100 * part / whole)))} %"


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f} ms"
