"""What a bulk operation does to the memories of one batch, and how that is taken back.

An action sorts the memories of a batch into those it changes, those that are so already, and those
that it can't change; then it writes. Nothing here reads or keeps the operation itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_app.domain import text
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.times import iso, parse_instant
from memory_app.models import BulkItem, Memory
from memory_app.queries.memories import find_many
from memory_app.services.ledger import Book
from memory_app.services.memories import storing, wholesale
from memory_app.services.memories.binning import bin_many_inside

State = BulkItem.State
BINNED = "It is in the bin."
CHANGED = "It was changed afterwards."
_TAKEN = "Another live memory says exactly this by now."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one memory; `change` is kept for the undo."""

    state: str
    reason: str = ""
    change: Mapping[str, Any] = field(default_factory=dict)


Outcomes = dict[str, Outcome]
Arguments = Mapping[str, Any]
_Sorter = Callable[[Memory, Arguments], "Outcome | dict[str, Any]"]
_UNCHANGED = Outcome(state=State.UNCHANGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """`needs` names the argument without which it means nothing."""

    name: str
    apply: Callable[[Book, Sequence[Memory], Arguments], Outcomes]
    reverse: Callable[[Book, Mapping[str, BulkItem], Sequence[Memory]], Outcomes]
    needs: str = ""


def parse_arguments(action: str, given: Arguments) -> dict[str, Any]:
    """The action's own arguments, clean. Raises `InvalidArgument` for an unknown action or argument."""
    if action not in ACTIONS:
        raise InvalidArgument(
            f"action is {action!r:.40}.",
            hint=f"Choose one of {', '.join(ACTIONS)}.",
            field="action",
        )
    wanted = ACTIONS[action].needs
    stray = sorted(name for name, value in given.items() if value and name != wanted)
    if stray:
        raise InvalidArgument(
            f"{stray[0]} means nothing to the action {action}.",
            hint="Leave it out, or choose another action.",
            field=stray[0],
        )
    if wanted == "tags":
        tags = text.clean_tags(given.get("tags"))
        if not tags:
            raise InvalidArgument(
                f"{action} needs at least one tag.", hint="Name it in tags.", field="tags"
            )
        return {"tags": list(tags)}
    if wanted == "reason":
        return {"reason": text.clean_label(given.get("reason"), field="reason", limit=300) or ""}
    if wanted and given.get(wanted) is None:
        raise InvalidArgument(
            f"{action} needs {wanted}.", hint="Send it empty to clear it.", field=wanted
        )
    if wanted:
        return {wanted: text.clean_label(given.get(wanted), field=wanted) or ""}
    return {}


def _fields(sort: _Sorter) -> Callable[[Book, Sequence[Memory], Arguments], Outcomes]:
    """An action that gives each memory other values of some fields."""

    def apply(book: Book, memories: Sequence[Memory], arguments: Arguments) -> Outcomes:
        outcomes: Outcomes = {}
        changed: dict[str, dict[str, Any]] = {}
        given = {**arguments, "moment": book.moment}
        for memory in memories:
            found = sort(memory, given)
            if isinstance(found, Outcome):
                outcomes[memory.id] = found
            elif memory.deleted_at is not None:
                outcomes[memory.id] = Outcome(state=State.FAILED, reason=BINNED)
            else:
                changed[memory.id] = found
        chosen = [memory for memory in memories if memory.id in changed]
        for memory in chosen:
            fields = changed[memory.id]
            change = {
                name: [_plain(getattr(memory, name)), _plain(value)]
                for name, value in fields.items()
            }
            outcomes[memory.id] = Outcome(state=State.DONE, change=change)
        wholesale.write_fields(book, chosen, changed)
        return outcomes

    return apply


def _fields_back(book: Book, items: Mapping[str, BulkItem], memories: Sequence[Memory]) -> Outcomes:
    """Give back the old values; tags that came or went later stay as they are."""
    outcomes: Outcomes = {}
    changed: dict[str, dict[str, Any]] = {}
    for memory in memories:
        fields: dict[str, Any] = {}
        for name, (before, after) in items[memory.id].change.items():
            now = _plain(getattr(memory, name))
            if now == after:
                fields[name] = (
                    parse_instant(before, field=name) if _is_moment(name, before) else before
                )
            elif name == "tags":
                kept = [tag for tag in now if tag in before or tag not in after]
                fields[name] = text.unite_tags(kept, [tag for tag in before if tag not in after])
        if memory.deleted_at is not None:
            outcomes[memory.id] = Outcome(state=State.KEPT, reason=BINNED)
        elif fields:
            changed[memory.id] = fields
            outcomes[memory.id] = Outcome(state=State.UNDONE)
        else:
            outcomes[memory.id] = Outcome(state=State.KEPT, reason=CHANGED)
    wholesale.write_fields(book, [one for one in memories if one.id in changed], changed)
    return outcomes


def _pin(memory: Memory, arguments: Arguments) -> Outcome | dict[str, Any]:
    if memory.retired_at is not None and memory.deleted_at is None:
        return Outcome(state=State.FAILED, reason="It is retired; revive it first.")
    return _UNCHANGED if memory.pinned_at is not None else {"pinned_at": arguments["moment"]}


def _unpin(memory: Memory, _: Arguments) -> Outcome | dict[str, Any]:
    return _UNCHANGED if memory.pinned_at is None else {"pinned_at": None}


def _add_tags(memory: Memory, arguments: Arguments) -> Outcome | dict[str, Any]:
    united = list(dict.fromkeys([*memory.tags, *arguments["tags"]]))
    if len(united) > text.TAGS_LIMIT:
        reason = f"It would have {len(united)} tags; at most {text.TAGS_LIMIT} are kept."
        return Outcome(state=State.FAILED, reason=reason)
    return _UNCHANGED if united == list(memory.tags) else {"tags": united}


def _remove_tags(memory: Memory, arguments: Arguments) -> Outcome | dict[str, Any]:
    left = [tag for tag in memory.tags if tag not in arguments["tags"]]
    return _UNCHANGED if left == list(memory.tags) else {"tags": left}


def _label(name: str) -> _Sorter:
    def sort(memory: Memory, arguments: Arguments) -> Outcome | dict[str, Any]:
        value = arguments[name]
        return _UNCHANGED if getattr(memory, name) == value else {name: value}

    return sort


def _retire(book: Book, memories: Sequence[Memory], arguments: Arguments) -> Outcomes:
    outcomes, chosen = _sorted(memories, lambda one: one.retired_at is None)
    wholesale.retire_many(book, chosen, reason=arguments.get("reason") or "retired by hand")
    return outcomes


def _revive(book: Book, memories: Sequence[Memory], _: Arguments) -> Outcomes:
    outcomes, chosen = _sorted(memories, lambda one: one.retired_at is not None)
    for memory in chosen:
        change = {
            "reason": memory.retired_reason,
            "by": memory.retired_by,
            "superseded_by": memory.superseded_by,
        }
        outcomes[memory.id] = Outcome(state=State.DONE, change=change)
    fit = _unrepeated(book, chosen, outcomes, State.FAILED)
    wholesale.revive_many(book, fit, reason="revived by hand")
    return outcomes


def _delete(book: Book, memories: Sequence[Memory], _: Arguments) -> Outcomes:
    outcomes = {
        one.id: _UNCHANGED if one.deleted_at else Outcome(state=State.DONE) for one in memories
    }
    bin_many_inside(book, [one for one in memories if one.deleted_at is None])
    return outcomes


def _restore(book: Book, memories: Sequence[Memory], _: Arguments) -> Outcomes:
    chosen = [one for one in memories if one.deleted_at is not None]
    outcomes = {one.id: _UNCHANGED for one in memories}
    outcomes |= {one.id: Outcome(state=State.DONE) for one in chosen}
    wholesale.restore_many(book, _unrepeated(book, chosen, outcomes, State.FAILED))
    return outcomes


def _retire_back(book: Book, items: Mapping[str, BulkItem], memories: Sequence[Memory]) -> Outcomes:
    outcomes, chosen = _still(items, memories, lambda one: one.retired_at is not None)
    fit = _unrepeated(book, chosen, outcomes, State.KEPT)
    wholesale.revive_many(book, fit, reason="bulk change undone")
    return outcomes


def _revive_back(book: Book, items: Mapping[str, BulkItem], memories: Sequence[Memory]) -> Outcomes:
    outcomes, chosen = _still(items, memories, lambda one: one.retired_at is None)
    heirs = find_many(book.access, [heir for one in chosen if (heir := _heir(items[one.id]))])
    for memory in chosen:
        was = items[memory.id].change
        storing.retire_inside(
            book,
            memory,
            reason=was["reason"],
            actor=was["by"] or None,
            superseded_by=heirs.get(_heir(items[memory.id])),
        )
    return outcomes


def _heir(item: BulkItem) -> str:
    return str(item.change["superseded_by"] or "")


def _delete_back(book: Book, items: Mapping[str, BulkItem], memories: Sequence[Memory]) -> Outcomes:
    outcomes, chosen = _still(items, memories, lambda one: one.deleted_at is not None, binned=True)
    wholesale.restore_many(book, _unrepeated(book, chosen, outcomes, State.KEPT))
    return outcomes


def _restore_back(
    book: Book, items: Mapping[str, BulkItem], memories: Sequence[Memory]
) -> Outcomes:
    outcomes, chosen = _still(items, memories, lambda one: one.deleted_at is None)
    bin_many_inside(book, chosen)
    return outcomes


def _sorted(
    memories: Sequence[Memory], wanted: Callable[[Memory], bool]
) -> tuple[Outcomes, list[Memory]]:
    """Outcomes as if all went well, and the memories to change."""
    outcomes: Outcomes = {}
    chosen = []
    for memory in memories:
        if memory.deleted_at is not None:
            outcomes[memory.id] = Outcome(state=State.FAILED, reason=BINNED)
        elif wanted(memory):
            outcomes[memory.id] = Outcome(state=State.DONE)
            chosen.append(memory)
        else:
            outcomes[memory.id] = _UNCHANGED
    return outcomes, chosen


def _still(
    items: Mapping[str, BulkItem],
    memories: Sequence[Memory],
    wanted: Callable[[Memory], bool],
    *,
    binned: bool = False,
) -> tuple[Outcomes, list[Memory]]:
    """Those that are as the operation left them; nobody's later change is taken back."""
    outcomes: Outcomes = {}
    chosen = []
    for memory in memories:
        in_bin = memory.deleted_at is not None
        if items[memory.id].watermark == memory.head_watermark and wanted(memory):
            outcomes[memory.id] = Outcome(state=State.UNDONE)
            chosen.append(memory)
        else:
            reason = BINNED if in_bin and not binned else CHANGED
            outcomes[memory.id] = Outcome(state=State.KEPT, reason=reason)
    return outcomes, chosen


def _unrepeated(
    book: Book, chosen: Sequence[Memory], outcomes: Outcomes, state: str
) -> list[Memory]:
    refused = wholesale.repeated(book, [one for one in chosen if not _stays_retired(one)])
    for memory_id in refused:
        outcomes[memory_id] = Outcome(state=state, reason=_TAKEN)
    return [memory for memory in chosen if memory.id not in refused]


def _stays_retired(memory: Memory) -> bool:
    """Whether a binned memory comes back retired, where it can repeat whom it likes."""
    return memory.deleted_at is not None and memory.retired_at is not None


def _is_moment(name: str, value: object) -> bool:
    return name == "pinned_at" and isinstance(value, str)


def _plain(value: Any) -> Any:
    """As JSON keeps it."""
    if hasattr(value, "isoformat"):
        return iso(value)
    return list(value) if isinstance(value, (list, tuple)) else value


ACTIONS: dict[str, Action] = {
    action.name: action
    for action in (
        Action(name="pin", apply=_fields(_pin), reverse=_fields_back),
        Action(name="unpin", apply=_fields(_unpin), reverse=_fields_back),
        Action(name="add_tags", apply=_fields(_add_tags), reverse=_fields_back, needs="tags"),
        Action(name="remove_tags", apply=_fields(_remove_tags), reverse=_fields_back, needs="tags"),
        Action(
            name="set_category",
            apply=_fields(_label("category")),
            reverse=_fields_back,
            needs="category",
        ),
        Action(
            name="set_collection",
            apply=_fields(_label("collection")),
            reverse=_fields_back,
            needs="collection",
        ),
        Action(name="retire", apply=_retire, reverse=_retire_back, needs="reason"),
        Action(name="revive", apply=_revive, reverse=_revive_back),
        Action(name="delete", apply=_delete, reverse=_delete_back),
        Action(name="restore", apply=_restore, reverse=_restore_back),
    )
}
