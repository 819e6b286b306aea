"""Many questions of the review queue decided alike, as one bulk operation with one undo (F4).

An item is a question: a proposal about memories or entities, or an old pin. Each is looked at again
at its turn: what no longer stands is left out with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from memory_app.domain.errors import Conflict, InvalidArgument, ProductError, TierInsufficient
from memory_app.domain.ids import is_id
from memory_app.models import BulkItem, BulkOperation
from memory_app.queries import merges, proposals, review
from memory_app.queries.access import Access
from memory_app.queries.memories import find
from memory_app.services import consolidating
from memory_app.services import proposals as deciding
from memory_app.services.ledger import Book
from memory_app.services.memories import pinning, storing, wholesale

ACTION = "decide"
LIMIT = 10_000
PINS, ENTITIES = "pins", "entities"
# What each kind of question offers for many at once; leaving them for later is doing nothing.
OFFERED = {
    "contradiction": ("replace", "keep_old", "both_stand"),
    "duplicate": ("merge", "both_stand"),
    "retirement": ("retire", "keep"),
    ENTITIES: ("accept", "reject"),
    PINS: ("confirm", "unpin", "retire"),
}
_GONE = "The question no longer stands."
_CHANGED = "It was changed afterwards."
State = BulkItem.State


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A question by its own id, and the memory it is about (the older of two), if it is about one."""

    question: str
    memory_id: str | None


def parse(kind: str, decision: str) -> None:
    """Raises `InvalidArgument` for an unknown kind, and a decision that it doesn't offer."""
    if kind not in OFFERED:
        raise InvalidArgument(
            f"kind is {kind!r:.40}.", hint=f"Choose one of {', '.join(OFFERED)}.", field="kind"
        )
    if decision not in OFFERED[kind]:
        raise InvalidArgument(
            f"decision is {decision!r:.40}.",
            hint=f"Choose one of {', '.join(OFFERED[kind])}.",
            field="decision",
        )


def require_person(access: Access) -> None:
    """Agents ask; only people with `full` decide."""
    if access.actor.kind != "user":
        raise TierInsufficient(
            "Only a person decides what waits for review.",
            hint="Ask somebody to look at the review queue in the dashboard.",
        )
    access.require("full")


def waiting(access: Access, kind: str, ids: Sequence[str] | None = None) -> list[Chosen]:
    """The questions of a kind that stand, newest first, at most 10,001. One query."""
    prefix = "mem" if kind == PINS else "prop"
    named = None if ids is None else [one for one in ids if is_id(prefix, one)]
    if kind == PINS:
        pins = review.stale(access).order_by("-id").values_list("id", flat=True)
        pins = pins if named is None else pins.filter(id__in=named)
        return [Chosen(question=str(one), memory_id=str(one)) for one in pins[: LIMIT + 1]]
    if kind == ENTITIES:
        pairs = merges.standing(access).order_by("-id").values_list("id", flat=True)
        pairs = pairs if named is None else pairs.filter(id__in=named)
        return [Chosen(question=str(one), memory_id=None) for one in pairs[: LIMIT + 1]]
    rows = proposals.standing(access).filter(kind=kind).order_by("-id")
    rows = rows if named is None else rows.filter(id__in=named)
    found = rows.values_list("id", "old_memory_id")[: LIMIT + 1]
    return [Chosen(question=str(one), memory_id=str(memory)) for one, memory in found]


def choose(access: Access, operation: BulkOperation, kind: str, ids: Sequence[str] | None) -> int:
    """Write down the questions as they stand now; how many. Raises `InvalidArgument` for none and
    for more than 10,000.
    """
    found = waiting(access, kind, ids)
    if not 1 <= len(found) <= LIMIT:
        raise InvalidArgument(
            "None of these questions waits any more."
            if not found
            else f"More than {LIMIT:,} questions wait.",
            hint="Reload the queue." if not found else "Decide them by parts.",
            field="id",
        )
    BulkItem.objects.bulk_create(
        (
            BulkItem(
                organization_id=operation.organization_id,
                bank_id=operation.bank_id,
                operation_id=operation.id,
                number=number,
                memory_id=one.memory_id,
                change={"question": one.question},
            )
            for number, one in enumerate(found)
        ),
        batch_size=500,
    )
    return len(found)


def settle(book: Book, operation: BulkOperation, *, back: bool, limit: int) -> int:
    """Decide the next questions, or take decisions back, the last one first; how many had a turn."""
    state = State.DONE if back else State.WAITING
    rows = BulkItem.objects.filter(
        bank_id=book.bank.id, operation_id=operation.id, state=state
    ).order_by("-number" if back else "number")
    items = list(rows[:limit])
    kind, decision = operation.arguments["kind"], operation.arguments["decision"]
    for item in items:
        try:
            _take_back(book, item, kind) if back else _decide(book, item, kind, decision)
            item.state, item.reason = (State.UNDONE if back else State.DONE), ""
        except ProductError as error:
            item.state = State.KEPT if back else State.FAILED
            item.reason = error.message[:300]
        item.save(update_fields=["state", "reason", "watermark"])
        # What one decision wrote is what the next one reads.
        book.flush()
    return len(items)


def _decide(book: Book, item: BulkItem, kind: str, decision: str) -> None:
    """One question; whatever refuses does so before anything is written."""
    question = str(item.change["question"])
    if kind == PINS:
        memory = find(book.access, question)
        if memory.pinned_at is None or memory.retired_at or memory.deleted_at:
            raise Conflict(_GONE)
        if decision == "retire":
            storing.retire_inside(book, memory, reason="an old pin that no longer holds")
        else:
            operation = "confirm_pin" if decision == "confirm" else "unpin"
            pinning.set_inside(book, memory, operation)
        item.watermark = memory.head_watermark
        return
    if kind == ENTITIES:
        asked = merges.find(book.access, question)
        if asked.proposal.status != "open" or not asked.stands:
            raise Conflict(_GONE)
        consolidating.decide_inside(book, asked, accepted=decision == "accept")
        return
    found = proposals.find(book.access, question)
    if found.proposal.status != "open" or not proposals.holds(found):
        raise Conflict(_GONE)
    deciding.carry_out(book, found, cast(Any, decision))


def _take_back(book: Book, item: BulkItem, kind: str) -> None:
    question = str(item.change["question"])
    if kind == PINS:
        memory = find(book.access, question)
        if memory.head_watermark != item.watermark:
            raise Conflict(_CHANGED)
        if memory.retired_at is None:
            pinning.undo_inside(book, memory)
        else:
            wholesale.refuse_repeat(book, memory)
            storing.revive_inside(book, memory, reason="bulk change undone")
        return
    if kind == ENTITIES:
        consolidating.undo_inside(book, merges.find(book.access, question))
        return
    deciding.undo_inside(book, proposals.find(book.access, question))
