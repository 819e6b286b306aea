"""Several memories become one, and can become several again exactly as they were.

One is kept, with the wording and the fields that were chosen; the others retire in its favour. What
they mention, assert and link to, it mentions, asserts and links to as well from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain import text
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.hashing import dedupe_key
from memory_app.domain.ids import new_id
from memory_app.domain.times import parse_instant
from memory_app.domain.values import Changes
from memory_app.models import (
    Assertion,
    BulkItem,
    BulkOperation,
    Cell,
    Link,
    Memory,
    MemoryVersion,
    Mention,
)
from memory_app.queries.access import Access, resolve
from memory_app.queries.memories import find
from memory_app.services.jobs import enqueue
from memory_app.services.ledger import Book
from memory_app.services.memories import storing
from memory_app.services.memories.editing import edit

ACTION = "merge"
MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The memory that stands for all of them, and the operation that undoes it."""

    memory: Memory
    operation_id: str


def merge(
    actor: Actor,
    bank: str | None,
    *,
    keep: str,
    others: Sequence[str],
    changes: Changes,
    expected_watermark: int | None = None,
) -> Merged:
    """Merge `others` into `keep`, which takes the fields of `changes` and, unless those name tags,
    the tags of all. Needs `full`.

    Raises `Conflict` when one of them isn't live, `CasConflict` when the kept one has moved on, and
    `InvalidArgument` for fewer than two memories or more than twenty, and for over twenty tags.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        kept, absorbed = _live(access, keep, others)
    if changes.tags is None:
        changes = replace(changes, tags=_all_tags([kept, *absorbed]))
    if changes.tags == tuple(kept.tags):
        changes = replace(changes, tags=None)
    operation = BulkOperation(
        organization_id=access.bank.organization_id,
        bank_id=access.bank.id,
        action=ACTION,
        status=BulkOperation.Status.DONE,
        selection={"ids": 1 + len(absorbed)},
        total=1 + len(absorbed),
        actor=actor.id,
    )
    change: dict[str, Any] = {}

    def take_over(book: Book, memory: Memory) -> None:
        _, rest = _live(book.access, memory.id, [one.id for one in absorbed])
        _record(book, operation)
        change.update(_take_over(book, memory, rest))
        _note_absorbed(book, operation, memory, rest)
        change["watermark"] = memory.head_watermark

    def note(book: Book, memory: Memory) -> None:
        edited = memory.head_watermark != change.pop("watermark")
        change["edited"] = memory.head_watermark if edited else None
        _note(operation, 0, memory, change)

    memory = edit(
        replace(actor, request_id=operation.id),
        access.bank.id,
        kept.id,
        changes,
        expected_watermark=expected_watermark,
        first=take_over,
        also=note,
    )
    return Merged(memory=memory, operation_id=operation.id)


def unmerge(book: Book, operation: BulkOperation, items: Sequence[BulkItem]) -> None:
    """Give every memory of a merge back as it was. Raises `Conflict` when one has changed since, or
    the kept one is erased.
    """
    if not items or items[0].number:
        raise Conflict(
            "The memory that the others were merged into has been erased.",
            hint="Revive the ones you need from their own pages.",
        )
    rows = Memory.objects.filter(
        bank_id=book.bank.id, id__in=[str(item.memory_id) for item in items]
    )
    memories = {memory.id: memory for memory in rows}
    first, *rest = items
    for item in items:
        _refuse_if_moved_on(memories.get(str(item.memory_id)), item, kept=item is first)
    kept, change = memories[str(first.memory_id)], first.change
    _refuse_if_entities_moved_on(book, change)
    if change["edited"] is not None:
        _take_edit_back(book, kept, change["edited"])
    for item in rest:
        storing.revive_inside(book, memories[str(item.memory_id)], reason="merge undone")
    book.flush()
    seq = book.append("unmerge", kept.id, before=kept.head_watermark)
    here = {"bank_id": book.bank.id, "until": None}
    for kind, name in ((Mention, "mentions"), (Assertion, "assertions"), (Link, "links")):
        kind.objects.filter(id__in=change[name], **here).update(until=seq)
    kept.head_watermark, kept.updated_at = seq, book.moment
    if change["pinned"]:
        kept.pinned_at = None
    kept.save(update_fields=["pinned_at", "head_watermark", "updated_at"])
    BulkItem.objects.filter(bank_id=book.bank.id, operation_id=operation.id).update(
        state=BulkItem.State.UNDONE
    )


def _live(access: Access, keep: str, others: Sequence[str]) -> tuple[Memory, list[Memory]]:
    kept = find(access, keep)
    found = {one.id: one for one in (find(access, other) for other in others[: MOST + 1])}
    found.pop(kept.id, None)
    if not 1 <= len(found) < MOST:
        raise InvalidArgument(
            f"A merge takes 2 to {MOST} different memories, not {1 + len(found)}.",
            hint="Choose the one to keep, and at least one other.",
            field="ids",
            details={"limit": MOST},
        )
    for memory in (kept, *found.values()):
        if memory.status in ("retired", "deleted"):
            state = "in the bin" if memory.deleted_at else "retired"
            raise Conflict(
                f"{memory.id} is {state}; only live memories can be merged.",
                hint="Leave it out, or bring it back first.",
                field="ids",
                details={"memory": memory.id},
            )
    return kept, list(found.values())


def _all_tags(memories: Sequence[Memory]) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(tag for memory in memories for tag in memory.tags))
    if len(tags) > text.TAGS_LIMIT:
        raise InvalidArgument(
            f"Together the memories have {len(tags)} tags; at most {text.TAGS_LIMIT} are kept.",
            hint="Say in tags which of them to keep.",
            field="tags",
            details={"limit": text.TAGS_LIMIT},
        )
    return tags


def _record(book: Book, operation: BulkOperation) -> None:
    operation.created_at = operation.finished_at = book.moment
    operation.save(force_insert=True)
    book.append("merge_memories", operation.id, counters={"memories": operation.total})


def _take_over(book: Book, kept: Memory, others: Sequence[Memory]) -> dict[str, Any]:
    """Everything that the others said of the graph, said by the kept one; then they retire."""
    change: dict[str, Any] = {"mentions": [], "assertions": [], "links": [], "pinned": False}
    seq = book.watermark
    for kind, name, column in (
        (Mention, "mentions", "entity_id"),
        (Assertion, "assertions", "relationship_id"),
    ):
        rows = kind.objects.filter(
            bank_id=book.bank.id, memory_id__in=[kept.id, *(one.id for one in others)], until=None
        ).order_by("id")
        had = {getattr(row, column) for row in rows if row.memory_id == kept.id}
        for row in rows:
            if getattr(row, column) not in had:
                had.add(getattr(row, column))
                change[name].append(_copied(book, row, since=seq, memory_id=kept.id))
    change["links"] = _links_of(book, kept, others, seq)
    book.flush()
    if kept.pinned_at is None and any(one.pinned_at for one in others):
        change["pinned"] = True
        kept.head_watermark = book.append("pin", kept.id, before=kept.head_watermark)
        kept.pinned_at, kept.updated_at = book.moment, book.moment
        kept.save(update_fields=["pinned_at", "head_watermark", "updated_at"])
    return change


def _links_of(book: Book, kept: Memory, others: Sequence[Memory], seq: int) -> list[str]:
    """Copies of what people and agents linked; the system's own neighbours are found anew."""
    ids = [one.id for one in others]
    rows = Link.objects.filter(bank_id=book.bank.id, until=None).exclude(
        type=Link.Type.VECTOR_NEIGHBOR
    )
    gone = {*ids, kept.id}
    had = {(row.source_id, row.target_id, row.type) for row in rows.filter(storing.incident(kept))}
    made = []
    for own, other in (("source_id", "target_id"), ("target_id", "source_id")):
        for row in rows.filter(**{f"{own}__in": ids}):
            ends = {own: kept.id, other: getattr(row, other)}
            key = (ends["source_id"], ends["target_id"], row.type)
            if getattr(row, other) not in gone and key not in had:
                had.add(key)
                made.append(_copied(book, row, since=seq, **ends))
    return made


def _note_absorbed(
    book: Book, operation: BulkOperation, kept: Memory, others: Sequence[Memory]
) -> None:
    for number, other in enumerate(others, start=1):
        storing.retire_inside(
            book,
            other,
            reason="merged with others into one",
            superseded_by=kept,
            operation="merge",
        )
        _note(operation, number, other, {})


def _note(operation: BulkOperation, number: int, memory: Memory, change: dict[str, Any]) -> None:
    BulkItem.objects.create(
        organization_id=operation.organization_id,
        bank_id=operation.bank_id,
        operation_id=operation.id,
        number=number,
        memory_id=memory.id,
        state=BulkItem.State.DONE,
        watermark=memory.head_watermark,
        change=change,
    )


def _copied(book: Book, row: Any, **changed: Any) -> str:
    """A like row that waits to be inserted; its id."""
    prefix = {Mention: "mention", Assertion: "assert", Link: "link"}[type(row)]
    fields = {each.attname: getattr(row, each.attname) for each in row._meta.concrete_fields}
    copy = type(row)(**fields | {"id": new_id(prefix), "until": None} | changed)
    book.pending.add(copy)
    return str(copy.id)


def _refuse_if_moved_on(memory: Memory | None, item: BulkItem, *, kept: bool) -> None:
    as_left = (
        memory is not None
        and memory.head_watermark == item.watermark
        and memory.deleted_at is None
        and (memory.retired_at is None) == kept
    )
    if not as_left:
        raise Conflict(
            "One of the merged memories has been changed since.",
            hint="Revive the ones you need from their own pages.",
            details={"memory": str(item.memory_id)},
        )


def _refuse_if_entities_moved_on(book: Book, change: dict[str, Any]) -> None:
    """What the kept one was given has gone on to other rows when its entities were merged or parted."""
    for kind, name in ((Mention, "mentions"), (Assertion, "assertions")):
        rows = kind.objects.filter(bank_id=book.bank.id, id__in=change[name])
        if rows.exclude(until=None).exists():
            raise Conflict(
                "Entities of the merged memories were merged or split since.",
                hint="Take that back first, or revive the memories from their own pages.",
            )


def _take_edit_back(book: Book, memory: Memory, edited: int) -> None:
    """The fields, the words and the vectors that stood before the merge's edit."""
    version = MemoryVersion.objects.filter(
        bank_id=book.bank.id, memory_id=memory.id, until=edited
    ).first()
    if version is None:
        raise Conflict(
            "The merge is older than the history that this bank keeps.",
            hint="Revive the ones you need from their own pages.",
        )
    worded_anew = version.body["content"] != memory.content
    titled_anew = version.body["title"] != memory.title
    for name in storing.VERSIONED:
        setattr(memory, name, version.body[name])
    observed = version.body["observed_at"]
    memory.observed_at = parse_instant(observed, field="observed_at") if observed else None
    memory.content_hash = version.content_hash
    if memory.dedupe_key is not None:
        memory.dedupe_key = dedupe_key(memory.content, *memory.stated.get("identity", ()))
    seq = book.append("update", memory.id, before=memory.head_watermark, reason="merge undone")
    if worded_anew or titled_anew:
        storing.close_cells([memory], until=seq)
        storing.reopen_cells(memory, closed_at=edited, since=seq)
        unread = Cell.objects.filter(
            bank_id=book.bank.id, memory_id=memory.id, until=None, embedding=None
        ).exists()
        memory.indexed_at = None if unread else book.moment
        if unread:
            enqueue(book.access, "index_memories", into=book.pending, memory_ids=[memory.id])
    storing.write_head(
        book,
        memory,
        seq,
        fields=[*storing.VERSIONED, "observed_at", "content_hash", "dedupe_key", "indexed_at"],
    )
    storing.rewrite_words(memory, language=book.bank.text_search)
