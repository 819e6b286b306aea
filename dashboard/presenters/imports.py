"""Imports as the screen shows them: where one stands, what its lines become, what can be done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from dashboard.place import Place
from memory_app.formats import FORMATS
from memory_app.models import ImportJob, ImportLine
from memory_app.services.importing import MOVING, done_of, goes_on_at, is_stale

# Fates in the order they are told: label, look, what the dry run says of them.
FATES: dict[str, tuple[str, str, str]] = {
    "waiting": ("to import", "state-retired", "Not looked at yet"),
    "created": ("new", "state-good", "Not stored yet"),
    "pending": ("new", "state-good", "Stored; found by word until its vectors are made"),
    "known": ("known already", "state-pinned", "Stored already; tags are added to it"),
    "near_duplicate": ("nearly the same", "state-pinned", "Merged into what says the same"),
    "conflicting": (
        "conflicting",
        "state-pending",
        "Stored beside what it seems to contradict; Review asks",
    ),
    "refused": ("refused", "state-deleted", "Can’t be a memory"),
    "skipped": ("skipped", "state-retired", "No memory, such as a heading"),
}
# Fates of lines that became memories, which an undo takes back.
_STORED = ("created", "pending", "conflicting")
_TAKEN_BACK = ("taken back", "state-retired", "In the bin again")
_STATUSES = {
    "reading": ("Reading", "state-pending"),
    "ready": ("Read", "state-pinned"),
    "checking": ("Looking", "state-pending"),
    "checked": ("Looked at", "state-pinned"),
    "running": ("Importing", "state-pending"),
    "paused": ("Paused", "state-pending"),
    "done": ("Imported", "state-good"),
    "failed": ("Failed", "state-deleted"),
    "cancelled": ("Stopped", "state-retired"),
    "undoing": ("Undoing", "state-pending"),
    "undone": ("Undone", "state-retired"),
}
_TARGETS = (
    ("content", "Content"),
    ("title", "Title"),
    ("tags", "Tags"),
    ("category", "Category"),
    ("collection", "Collection"),
    ("source", "Source"),
    ("project", "Project"),
    ("session", "Session"),
    ("confidence", "Confidence"),
    ("observed_at", "When it happened"),
    ("pinned", "Pinned"),
    ("props", "Keep beside it"),
    ("", "Leave out"),
)
_STEPS = (
    ("Read", {"reading"}),
    ("Look", {"ready", "checking"}),
    ("Import", {"checked", "running"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    number: int
    place: str
    text: str
    label: str
    state: str
    reason: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many lines have a fate; a link to them."""

    number: int
    label: str
    state: str
    explains: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of the upload and what it becomes."""

    name: str
    field: str
    target: str
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    label: str
    current: bool
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportView:
    id: str
    name: str
    status: str
    label: str
    state: str
    format: str
    form: str
    encoding: str
    documents: int
    error: str
    goes_on_at: datetime | None
    moving: bool
    stale: bool
    total: int
    done: int
    new: int
    stored: int
    created_at: datetime
    finished_at: datetime | None
    may_configure: bool
    may_undo: bool
    has_errors: bool
    go_on: str
    columns: tuple[Column, ...]
    counts: tuple[Count, ...]
    steps: tuple[Step, ...]
    url: str
    undo_url: str
    errors_url: str


def present_import(place: Place, job: ImportJob, *, outcome: str = "") -> ImportView:
    """One import; no query."""
    label, state = _STATUSES.get(job.status, (job.status, "state-retired"))
    url = place.url("import-job", job.id)
    counts = job.counts
    read = job.options.get("read", {})
    encodings = [name for name in read.get("encodings", {}) if name not in ("", "utf-8")]
    return ImportView(
        id=job.id,
        name=job.name or "Pasted text",
        status=job.status,
        label=label,
        state=state,
        format=FORMATS.get(job.format, "Several formats" if job.format == "several" else ""),
        form=str(job.options.get("form", "")),
        encoding=", ".join(encodings),
        documents=int(read.get("documents", 0)),
        error=job.error,
        goes_on_at=goes_on_at(job),
        moving=job.status in MOVING,
        stale=is_stale(job),
        total=job.total,
        done=min(done_of(job), job.total),
        new=counts.get("created", 0) + counts.get("conflicting", 0) + counts.get("waiting", 0),
        # After a look the counts say what would be stored.
        stored=0
        if job.status == "checked" or job.phase == "checking"
        else counts.get("created", 0) + counts.get("pending", 0),
        created_at=job.created_at,
        finished_at=job.finished_at,
        may_configure=bool(job.options.get("uploads"))
        and (job.status in ("ready", "checked") or job.phase == "reading"),
        may_undo=job.status in ("done", "paused")
        or (job.status in ("cancelled", "failed") and job.cursor > 0),
        has_errors=bool(counts.get("refused") or counts.get("skipped")),
        go_on={"failed": "Try again"}.get(job.status, "Go on now"),
        columns=_columns(job),
        counts=tuple(_counts(job, url, outcome)),
        steps=_steps(job),
        url=url,
        undo_url=place.url("import-undo", job.id),
        errors_url=place.url("import-errors", job.id),
    )


def left_of(job: ImportJob) -> int:
    """How many lines are still to be stored."""
    stores = job.status in ("running", "paused") and job.phase == "running"
    return max(0, job.total - done_of(job)) if stores else job.total


def present_lines(place: Place, job: ImportJob, rows: Iterable[ImportLine]) -> list[Line]:
    """The lines of one import, with what became of each; no query."""
    found = []
    for row in rows:
        label, state, _ = _fate(job, row.outcome)
        found.append(
            Line(
                number=row.number,
                place=row.place,
                text=row.text,
                label=label,
                state=state,
                reason=row.reason,
                url=place.url("memory", row.memory_id) if row.memory_id else "",
            )
        )
    return found


def targets() -> tuple[tuple[str, str], ...]:
    """What a column can become."""
    return _TARGETS


def _counts(job: ImportJob, url: str, outcome: str) -> Iterable[Count]:
    numbers = {fate: job.counts.get(fate, 0) for fate in FATES}
    for fate in FATES:
        label, state, explains = _fate(job, fate)
        if numbers[fate]:
            yield Count(
                number=numbers[fate],
                label=label,
                state=state,
                explains=explains,
                url=url if outcome == fate else f"{url}?{urlencode({'outcome': fate})}",
                current=outcome == fate,
            )


def _fate(job: ImportJob, outcome: str) -> tuple[str, str, str]:
    """Label, look and explanation of a fate, as it stands after what was done with the import."""
    if job.status == "undone" and outcome in _STORED:
        return _TAKEN_BACK
    label, state, explains = FATES.get(outcome, (outcome, "state-retired", ""))
    if outcome == "created" and job.status not in ("ready", "checking", "checked"):
        explains = "Stored as memories"
    return label, state, explains


def _columns(job: ImportJob) -> tuple[Column, ...]:
    mapping = job.options.get("mapping") or {}
    samples = job.options.get("samples") or []
    return tuple(
        Column(
            name=name,
            field=f"column-{place}",
            target=mapping.get(name, "props"),
            samples=tuple(text for one in samples[:3] if (text := str(one.get(name) or ""))),
        )
        for place, name in enumerate(job.options.get("columns") or ())
    )


def _steps(job: ImportJob) -> tuple[Step, ...]:
    """What stopped stands at the step it stopped in."""
    stopped = job.status in ("failed", "paused", "cancelled")
    status = (job.phase or "ready") if stopped else job.status
    current = next((n for n, (_, within) in enumerate(_STEPS) if status in within), len(_STEPS))
    return tuple(
        Step(label=label, current=place == current, done=place < current)
        for place, (label, _) in enumerate(_STEPS)
    )
