"""One change of many memories: chosen once, carried out in batches, undone as a whole.

A few hundred are changed while the caller waits; more are left to a job, which goes on where it was
stopped. Each batch is one transaction that holds the bank for a fraction of a second, so nobody waits
for ten thousand. The ledger entries of all batches carry the operation's id as their request.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet

from accounts.actor import Actor, Role
from accounts.models import Membership
from accounts.tenancy import acting_as
from memory_app.domain.errors import NotFound
from memory_app.domain.ids import is_id, to_uuid
from memory_app.models import BulkItem, BulkOperation, Memory
from memory_app.providers.clock import now
from memory_app.queries.access import Access, resolve
from memory_app.services import ledger, planner_statistics
from memory_app.services.bulk import deciding, merging
from memory_app.services.bulk.actions import ACTIONS, Arguments, Outcomes, parse_arguments
from memory_app.services.bulk.selection import Preview, Selection, choose, described, preview
from memory_app.services.jobs import enqueue
from memory_app.services.memories.repeating import refusing_repeats

# So many are changed at once; more go to a job.
AT_ONCE = 300
BATCH = 200
SHOWN_FAILURES = 100

_NOTE = """
UPDATE bulk_items i SET state = new.state, reason = new.reason, watermark = new.watermark,
  change = new.change
FROM jsonb_to_recordset(%s) AS new (
  number int, state text, reason text, watermark bigint, change jsonb)
WHERE i.bank_id = %s AND i.operation_id = %s AND i.number = new.number
"""

Status, State = BulkOperation.Status, BulkItem.State


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How far an operation is. `counts` by state of its items; `failures` are the first hundred
    that could not be changed, or not be taken back.
    """

    operation: BulkOperation
    counts: dict[str, int] = field(default_factory=dict)
    failures: tuple[BulkItem, ...] = ()

    @property
    def finished(self) -> bool:
        return self.operation.status in (Status.DONE, Status.UNDONE)

    @property
    def settled(self) -> int:
        """How many of its memories have had their turn in the present direction."""
        left = State.DONE if self.operation.status == Status.UNDOING else State.WAITING
        return self.operation.total - self.counts.get(left, 0)


def look(actor: Actor, bank: str | None, selection: Selection) -> Preview:
    """How many memories a bulk change would touch. Needs `full`, as the change will."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        return preview(access, selection)


def begin(
    actor: Actor, bank: str | None, action: str, selection: Selection, arguments: Arguments
) -> Report:
    """Change all chosen memories alike. Needs `full`.

    Up to 300 are changed before this returns; more are changed by a job, and the report says how
    far it is. A memory that can't be changed fails alone, with its reason. Raises `InvalidArgument`.
    """
    clean = parse_arguments(action, arguments)
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        operation = BulkOperation(
            organization_id=access.bank.organization_id,
            bank_id=access.bank.id,
            action=action,
            arguments=clean,
            selection=described(selection),
            actor=actor.id,
        )
        with ledger.opened(_grouped(access, operation)) as book:
            operation.created_at = book.moment
            operation.save(force_insert=True)
            operation.total = choose(book.access, operation, selection)
            operation.save(update_fields=["total"])
            book.append(
                "bulk_change",
                operation.id,
                reason=action,
                content={"arguments": clean, "selection": operation.selection},
                counters={"memories": operation.total},
            )
            _go_on(book, operation)
    return report(actor, bank, operation.id)


def begin_decisions(
    actor: Actor, bank: str | None, kind: str, decision: str, ids: Sequence[str] | None = None
) -> Report:
    """Decide many questions of one kind alike: those with these ids, or all that wait. People only.

    Up to 300 are decided before this returns; more are decided by a job. A question that no longer
    stands fails alone, with its reason. Raises `InvalidArgument` and `TierInsufficient`.
    """
    deciding.parse(kind, decision)
    with acting_as(actor):
        access = resolve(actor, bank)
        deciding.require_person(access)
        operation = BulkOperation(
            organization_id=access.bank.organization_id,
            bank_id=access.bank.id,
            action=deciding.ACTION,
            arguments={"kind": kind, "decision": decision},
            selection={"kind": kind} if ids is None else {"ids": len(ids)},
            actor=actor.id,
        )
        with refusing_repeats(), ledger.opened(_grouped(access, operation)) as book:
            operation.created_at = book.moment
            operation.save(force_insert=True)
            operation.total = deciding.choose(book.access, operation, kind, ids)
            operation.save(update_fields=["total"])
            book.append(
                "bulk_change",
                operation.id,
                reason=f"{kind}: {decision}",
                content={"arguments": operation.arguments, "selection": operation.selection},
                counters={"questions": operation.total},
            )
            _go_on(book, operation)
    return report(actor, bank, operation.id)


def undo(actor: Actor, bank: str | None, operation_id: str) -> Report:
    """Take a whole operation back, also one that is still running. Needs `full`.

    What somebody has changed since stays, and is reported as kept. A second undo changes nothing.
    """
    with refusing_repeats(), acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        operation = _find(access, operation_id)
        if operation.action == deciding.ACTION:
            deciding.require_person(access)
        with ledger.opened(_grouped(access, operation)) as book:
            operation = _find(access, operation_id)
            if operation.status in (Status.RUNNING, Status.DONE):
                items = _items(operation)
                items.filter(state=State.WAITING).update(
                    state=State.UNCHANGED, reason="The change was stopped before its turn."
                )
                operation.status, operation.undone_by = Status.UNDOING, actor.id
                operation.finished_at = None
                operation.save(update_fields=["status", "undone_by", "finished_at"])
                book.append("undo_bulk_change", operation.id, reason=operation.action)
                _go_on(book, operation)
    return report(actor, bank, operation_id)


def carry_on(
    actor: Actor, bank_id: str, operation_id: str, *, beat: Callable[[], object] = lambda: None
) -> None:
    """Do what is left of an operation, batch by batch; `beat` is called after each.

    `actor` only finds the operation: each batch acts as the person who asked for it, with the rights
    that person has by then. Safe to run twice, also at once.
    """
    while True:
        with acting_as(actor):
            found = BulkOperation.objects.filter(bank_id=bank_id, id=operation_id).first()
            person = None if found is None else _person(actor, found)
        if found is None or found.status in (Status.DONE, Status.UNDONE):
            return
        if person is None:
            _stop(actor, bank_id, operation_id)
            return
        with acting_as(person):
            access = resolve(person, bank_id)
            access.require("full")
            with ledger.opened(_grouped(access, found)) as book:
                _batch(book, _find(access, operation_id))
        beat()


def report(actor: Actor, bank: str | None, operation_id: str) -> Report:
    """Three queries. Raises `NotFound`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        operation = _find(access, operation_id)
        rows = _items(operation)
        counted = rows.values_list("state").annotate(number=Count("number")).order_by()
        failures = rows.filter(state__in=(State.FAILED, State.KEPT)).order_by("number")
        return Report(
            operation=operation,
            counts={str(state): int(number) for state, number in counted},
            failures=tuple(failures[:SHOWN_FAILURES]),
        )


def recent(
    actor: Actor, bank: str | None, *, after: str | None = None, limit: int = 50
) -> tuple[list[BulkOperation], str | None]:
    """Operations, newest first, and the id to go on after. One query."""
    with acting_as(actor):
        access = resolve(actor, bank)
        rows = BulkOperation.objects.filter(bank_id=access.bank.id).order_by("-id")
        if after is not None:
            rows = rows.filter(id__lt=after)
        found = list(rows[: limit + 1])
    return found[:limit], found[limit - 1].id if len(found) > limit else None


def _go_on(book: ledger.Book, operation: BulkOperation) -> None:
    """The rest at once where it is little, else by a job."""
    if operation.total > AT_ONCE:
        enqueue(book.access, "change_in_bulk", into=book.pending, operation_id=operation.id)
        return
    while operation.status in (Status.RUNNING, Status.UNDOING):
        _batch(book, operation)


def _batch(book: ledger.Book, operation: BulkOperation) -> None:
    """The next memories of an operation, inside the bank's lock; finishes it when none are left."""
    if operation.status in (Status.DONE, Status.UNDONE):
        return
    back = operation.status == Status.UNDOING
    if back and operation.action == merging.ACTION:
        merging.unmerge(book, operation, list(_items(operation).order_by("number")))
        _finish(book, operation)
        return
    if operation.action == deciding.ACTION:
        if deciding.settle(book, operation, back=back, limit=BATCH) < BATCH:
            _finish(book, operation)
        return
    waiting = _items(operation).filter(state=State.DONE if back else State.WAITING)
    items = {str(item.memory_id): item for item in waiting.order_by("number")[:BATCH]}
    rows = Memory.objects.filter(bank_id=book.bank.id, id__in=list(items))
    memories = {memory.id: memory for memory in rows}
    chosen = [memories[one] for one in items if one in memories]
    action = ACTIONS[operation.action]
    if back:
        outcomes = action.reverse(book, items, chosen)
    else:
        outcomes = action.apply(book, chosen, operation.arguments)
    book.flush()
    _note(operation, items, memories, outcomes)
    if len(items) < BATCH:
        _finish(book, operation)


def _note(
    operation: BulkOperation,
    items: dict[str, BulkItem],
    memories: dict[str, Memory],
    outcomes: Outcomes,
) -> None:
    for memory_id, item in items.items():
        outcome = outcomes[memory_id]
        item.state, item.reason = outcome.state, outcome.reason
        if outcome.state == State.DONE:
            item.change = dict(outcome.change)
            item.watermark = memories[memory_id].head_watermark
    rows = [
        {
            "number": item.number,
            "state": item.state,
            "reason": item.reason,
            "watermark": item.watermark,
            "change": item.change,
        }
        for item in items.values()
    ]
    if rows:
        values: list[Any] = [
            json.dumps(rows, ensure_ascii=False),
            to_uuid("bank", operation.bank_id),
            to_uuid("bulk", operation.id),
        ]
        with connection.cursor() as cursor:
            cursor.execute(_NOTE, values)


def _finish(book: ledger.Book, operation: BulkOperation) -> None:
    undoing = operation.status == Status.UNDOING
    operation.status = Status.UNDONE if undoing else Status.DONE
    operation.finished_at = book.moment
    operation.save(update_fields=["status", "finished_at"])
    planner_statistics.enqueue_after(book.access, operation.total, into=book.pending)


def _stop(actor: Actor, bank_id: str, operation_id: str) -> None:
    """End an operation whose person may not act here any more; what is left fails with the reason."""
    with acting_as(actor):
        operation = BulkOperation.objects.get(bank_id=bank_id, id=operation_id)
        undoing = operation.status == Status.UNDOING
        left = _items(operation).filter(state=State.DONE if undoing else State.WAITING)
        left.update(
            state=State.KEPT if undoing else State.FAILED,
            reason="Whoever asked for this may no longer change this bank.",
        )
        operation.status = Status.UNDONE if undoing else Status.DONE
        operation.finished_at = now()
        operation.save(update_fields=["status", "finished_at"])


def _person(actor: Actor, operation: BulkOperation) -> Actor | None:
    """Who asked for what is going on, with today's rights; None when they are gone."""
    undoing = operation.status == Status.UNDOING
    asked = operation.undone_by if undoing else operation.actor
    acting = replace(actor, id=asked, name="", door="task")
    if not is_id("user", asked):
        acting = replace(acting, kind="agent" if is_id("agent", asked) else "system")
    else:
        member = Membership.objects.filter(
            organization_id=actor.organization_id, user_id=asked
        ).first()
        if member is None:
            return None
        role: Role = member.role  # type: ignore[assignment]
        acting = replace(acting, kind="user", role=role)
    try:
        allowed = resolve(acting, operation.bank_id).allows("full")
    except NotFound:
        return None
    return acting if allowed else None


def _grouped(access: Access, operation: BulkOperation) -> Access:
    """The same access, its entries marked as this operation's."""
    return replace(access, actor=replace(access.actor, request_id=operation.id))


def _find(access: Access, operation_id: str) -> BulkOperation:
    found = BulkOperation.objects.filter(bank_id=access.bank.id, id=operation_id).first()
    if found is None:
        raise NotFound("bulk operation")
    return found


def _items(operation: BulkOperation) -> QuerySet[BulkItem]:
    return BulkItem.objects.filter(bank_id=operation.bank_id, operation_id=operation.id)
