"""Bulk changes in plain words: what would happen, what happened, what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from accounts.queries.names import ActorName
from dashboard.place import Place
from memory_app.models import BulkOperation
from memory_app.services.bulk import Report, deciding


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An action as a button of the list's bar; `does` is a verb, `done` its past."""

    action: str
    label: str
    icon: str
    does: str
    done: str
    field: str = ""
    asks: str = ""
    help: str = ""
    danger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    url: str
    reason: str
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`percent` of the memories have had their turn."""

    id: str
    title: str
    running: bool
    undoing: bool
    can_undo: bool
    settled: int
    total: int
    percent: int
    changed: int
    unchanged: int
    left_out: int
    failures: tuple[LeftOut, ...]
    who: ActorName
    at: datetime
    url: str
    undo_url: str


CHOICES = {
    choice.action: choice
    for choice in (
        Choice(action="pin", label="Pin", icon="pin", does="Pin", done="Pinned"),
        Choice(action="unpin", label="Unpin", icon="pin-off", does="Unpin", done="Unpinned"),
        Choice(
            action="add_tags",
            label="Add tags",
            icon="tag",
            does="Tag",
            done="Tagged",
            field="tags",
            asks="Tags to add",
            help="Separated by commas",
        ),
        Choice(
            action="remove_tags",
            label="Remove tags",
            icon="tags",
            does="Take tags from",
            done="Took tags from",
            field="tags",
            asks="Tags to remove",
            help="Separated by commas",
        ),
        Choice(
            action="set_category",
            label="Category",
            icon="shapes",
            does="Move",
            done="Moved",
            field="category",
            asks="Category",
            help="Leave it empty to take the category away",
        ),
        Choice(
            action="set_collection",
            label="Collection",
            icon="folder",
            does="Move",
            done="Moved",
            field="collection",
            asks="Collection",
            help="Leave it empty to take the collection away",
        ),
        Choice(
            action="retire",
            label="Retire",
            icon="archive",
            does="Retire",
            done="Retired",
            field="reason",
            asks="Why",
            help="Shown on each of them; may stay empty",
        ),
        Choice(
            action="revive", label="Revive", icon="archive-restore", does="Revive", done="Revived"
        ),
        Choice(
            action="delete",
            label="Delete",
            icon="trash-2",
            does="Delete",
            done="Deleted",
            danger=True,
        ),
        Choice(action="restore", label="Restore", icon="undo-2", does="Restore", done="Restored"),
    )
}
_MERGE = Choice(action="merge", label="Merge", icon="merge", does="Merge", done="Merged")
_DECIDE = Choice(
    action=deciding.ACTION, label="Decide", icon="scale", does="Decide on", done="Decided on"
)
# What the bar offers on each tab of the list.
_OFFERED = {
    "": ("pin", "unpin", "add_tags", "remove_tags", "set_category", "set_collection", "retire", "delete"),
    "retired": ("revive", "add_tags", "remove_tags", "set_category", "set_collection", "delete"),
    "bin": ("restore",),
}  # fmt: skip


def offered(tab: str) -> tuple[Choice, ...]:
    """The actions that make sense for what a tab lists."""
    return tuple(CHOICES[action] for action in _OFFERED.get(tab, _OFFERED[""]))


def choice_of(action: str) -> Choice:
    """Merges and decisions are no actions of the bar, but they are reported and undone alike."""
    return _DECIDE if action == deciding.ACTION else CHOICES.get(action, _MERGE)


def counted(number: int, action: str = "") -> str:
    if action == deciding.ACTION:
        return "1 question" if number == 1 else f"{number:,} questions"
    return "1 memory" if number == 1 else f"{number:,} memories"


def said(report: Report) -> str:
    """What a toast says of an operation."""
    operation, counts = report.operation, report.counts
    if operation.status == BulkOperation.Status.UNDONE:
        kept = counts.get("kept", 0)
        more = f" {counted(kept, operation.action)} had changed since and stayed." if kept else ""
        undone = counted(counts.get("undone", 0), operation.action)
        return f"{undone} {'is' if undone.startswith('1 ') else 'are'} as before.{more}"
    if operation.status == BulkOperation.Status.UNDOING:
        return ""  # the page it leads to counts
    words = choice_of(operation.action).done
    if operation.action == "merge":
        return f"Merged {counted(operation.total)} into one."
    failed, same = counts.get("failed", 0), counts.get("unchanged", 0)
    what = operation.action
    parts = [f"{words} {counted(counts.get('done', 0), what)}."]
    parts += [f"{counted(same, what)} needed no change."] if same else []
    parts += [f"{counted(failed, what)} could not be changed."] if failed else []
    return " ".join(parts)


def present_progress(
    place: Place, report: Report, who: ActorName, snippets: Mapping[str, str]
) -> Progress:
    operation, counts = report.operation, report.counts
    back = operation.status in (BulkOperation.Status.UNDOING, BulkOperation.Status.UNDONE)
    word = choice_of(operation.action)
    title = f"{word.does} {counted(operation.total, operation.action)}"
    return Progress(
        id=operation.id,
        title=f"Undo: {title.lower()}" if back else title,
        running=not report.finished,
        undoing=back,
        can_undo=not back,
        settled=report.settled,
        total=operation.total,
        percent=100 * report.settled // max(operation.total, 1),
        changed=counts.get("undone" if back else "done", 0),
        unchanged=counts.get("unchanged", 0),
        left_out=counts.get("kept" if back else "failed", 0),
        failures=tuple(
            LeftOut(
                url=place.url("memory", str(item.memory_id))
                if item.memory_id
                else place.url("review"),
                reason=item.reason,
                snippet=snippets.get(str(item.memory_id), "Two entities"),
            )
            for item in report.failures
        ),
        who=who,
        at=operation.created_at,
        url=place.url("bulk-report", operation.id),
        undo_url=place.url("bulk-undo", operation.id),
    )
