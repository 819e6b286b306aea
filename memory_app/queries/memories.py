"""Reading memories of one bank: one, a page, its history, its tags. All inside `acting_as`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import is_id, missing, to_uuid
from memory_app.domain.text import fold_tag
from memory_app.models import Cell, Memory, MemoryVersion, Mention
from memory_app.queries.access import Access

PAGE_LIMIT = 200

_TAGS = """
SELECT tag, count(*) FROM memories, unnest(tags) AS tag
WHERE bank_id = %s AND retired_at IS NULL AND deleted_at IS NULL
GROUP BY tag ORDER BY count(*) DESC, tag LIMIT %s
"""

STATES = ("live", "retired", "pending", "deleted", "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """What a list shows; every condition narrows. `state`: live, retired, pending, deleted or
    all. `entity` is the id of one that the memory mentions, or did until it went. `at` is a
    watermark: what was live then, whatever became of it; the state is not asked then.
    """

    text: str = ""
    tags: tuple[str, ...] = ()
    category: str | None = None
    collection: str | None = None
    author: str | None = None
    source: str | None = None
    session: str | None = None
    entity: str | None = None
    pinned: bool | None = None
    state: str = "live"
    import_id: str | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    at: int | None = None
    never_recalled: bool = False
    untouched_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Rows and the id to go on after; None at the end."""

    items: list[Memory]
    next_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a memory: from watermark `since` until `until` (None = still)."""

    since: int
    until: int | None
    actor: str
    created_at: datetime
    content: str
    title: str
    body: dict[str, Any]
    hash: str


def find(access: Access, reference: str) -> Memory:
    """The memory of that id or slug, whatever its state. One query.

    Raises `NotFound`; `WrongIdPrefix` where another kind's id was given.
    """
    memory = Memory.objects.filter(
        _named(reference), bank_id=access.bank.id, organization_id=access.actor.organization_id
    ).first()
    if memory is None:
        raise missing("mem", reference)
    return memory


def find_many(access: Access, ids: list[str]) -> dict[str, Memory]:
    """Memories by id, missing ones left out. One query."""
    rows = Memory.objects.filter(bank_id=access.bank.id, id__in=ids)
    return {row.id: row for row in rows}


def stored_vectors(access: Access, ids: list[str]) -> dict[str, npt.NDArray[np.float32]]:
    """The vector of each memory that is one cell and has one. One query."""
    rows = Cell.objects.filter(bank_id=access.bank.id, memory_id__in=ids, live=True)
    found: dict[str, list[Any]] = {}
    for memory_id, vector in rows.values_list("memory_id", "embedding"):
        found.setdefault(str(memory_id), []).append(vector)
    return {
        memory_id: np.asarray(vectors[0], np.float32)
        for memory_id, vectors in found.items()
        if len(vectors) == 1 and vectors[0] is not None
    }


def list_memories(access: Access, where: MemoryFilter) -> QuerySet[Memory]:
    """Rows of the bank that match, newest first; the caller slices."""
    rows = Memory.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id
    )
    rows = rows.filter(_conditions(where)).order_by("-id")
    if where.entity is not None:
        rows = rows.filter(_mentioning(access, where))
    return rows if where.at is None else rows.filter(_standing(access, where.at))


def list_page(access: Access, where: MemoryFilter, *, after: str | None, limit: int) -> Page:
    """One page by keyset on the id, newest first. One query, whatever the page's number."""
    if not 1 <= limit <= PAGE_LIMIT:
        raise InvalidArgument(
            f"limit is {limit}; it must be from 1 to {PAGE_LIMIT}.",
            hint=f"Ask for at most {PAGE_LIMIT} and follow the cursor.",
            field="limit",
            details={"least": 1, "most": PAGE_LIMIT},
        )
    rows = list_memories(access, where)
    if after is not None:
        rows = rows.filter(id__lt=after)
    items = list(rows[: limit + 1])
    following = items[limit - 1].id if len(items) > limit else None
    return Page(items=items[:limit], next_after=following)


def count(access: Access, where: MemoryFilter, *, most: int = 10_000) -> int:
    """How many match, counted up to `most` so that a large bank doesn't pay for a number."""
    return list_memories(access, where).order_by()[:most].count()


def count_newer(access: Access, where: MemoryFilter, *, since: str, most: int = 50) -> int:
    """How many match that were saved after the memory of that id, counted up to `most`. One query.

    Every one for an empty `since`. Raises `InvalidArgument` for an id of something else.
    """
    if since and not is_id("mem", since):
        raise InvalidArgument(
            "newest must be the id of a memory.", hint="Open the list again.", field="newest"
        )
    rows = list_memories(access, where)
    return (rows.filter(id__gt=since) if since else rows).order_by()[:most].count()


def pinned(access: Access, *, limit: int = 20) -> list[Memory]:
    """Pinned live memories, latest pin first."""
    rows = Memory.objects.filter(
        bank_id=access.bank.id, pinned_at__isnull=False, retired_at=None, deleted_at=None
    )
    return list(rows.order_by("-pinned_at")[:limit])


def tag_counts(access: Access, *, limit: int = 200) -> list[tuple[str, int]]:
    """The tags of live memories with how many carry each, most used first. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_TAGS, [to_uuid("bank", access.bank.id), limit])
        return [(str(tag), int(number)) for tag, number in cursor.fetchall()]


def history(access: Access, reference: str) -> list[Version]:
    """Every kept version, newest first. Two queries."""
    memory = find(access, reference)
    rows = MemoryVersion.objects.filter(bank_id=access.bank.id, memory_id=memory.id)
    return [_version(row) for row in rows.order_by("-since")]


def at_watermark(access: Access, reference: str, watermark: int) -> Version:
    """The version that was current at that watermark.

    Raises `NotFound` when it hadn't been written yet or has left the history window.
    """
    memory = find(access, reference)
    row = (
        MemoryVersion.objects.filter(
            bank_id=access.bank.id, memory_id=memory.id, since__lte=watermark
        )
        .filter(Q(until=None) | Q(until__gt=watermark))
        .first()
    )
    if row is None:
        raise NotFound("version of this memory at that watermark")
    return _version(row)


def _named(reference: str) -> Q:
    if reference.startswith("mem_") and is_id("mem", reference):
        return Q(id=reference)
    if "\x00" in reference:
        raise NotFound("memory")
    return Q(slug=reference)


def _conditions(where: MemoryFilter) -> Q:
    conditions = _state(where.state if where.at is None else "all")
    if where.text:
        conditions &= Q(content__icontains=where.text) | Q(title__icontains=where.text)
    if where.tags:
        conditions &= Q(tags__contains=[fold_tag(tag) for tag in where.tags])
    for name in ("category", "collection", "author", "source", "session", "import_id"):
        value = getattr(where, name)
        if value is not None:
            conditions &= Q(**{name: value})
    if where.pinned is not None:
        conditions &= Q(pinned_at__isnull=not where.pinned)
    if where.created_from is not None:
        conditions &= Q(created_at__gte=where.created_from)
    if where.created_to is not None:
        conditions &= Q(created_at__lt=where.created_to)
    if where.never_recalled:
        conditions &= Q(recall_count=0)
    if where.untouched_since is not None:
        conditions &= Q(updated_at__lt=where.untouched_since)
    return conditions


def _mentioning(access: Access, where: MemoryFilter) -> Exists:
    mentions = Mention.objects.filter(
        bank_id=access.bank.id, entity_id=where.entity or "", memory_id=OuterRef("id")
    )
    now = where.state in ("live", "pending") and where.at is None
    return Exists(mentions.filter(until=None) if now else mentions)


def _standing(access: Access, watermark: int) -> Q:
    """Live at a watermark: some cell of it was. Cells are kept for the bank's history window."""
    cells = Cell.objects.filter(
        Q(until=None) | Q(until__gt=watermark),
        bank_id=access.bank.id,
        memory_id=OuterRef("id"),
        since__lte=watermark,
    )
    return Q(Exists(cells), created_watermark__lte=watermark)


def _state(state: str) -> Q:
    if state not in STATES:
        raise InvalidArgument(
            f"state is {state!r:.40}.", hint=f"Choose one of {', '.join(STATES)}.", field="state"
        )
    live = Q(retired_at=None, deleted_at=None)
    return {
        "live": live,
        "pending": live & Q(indexed_at=None),
        "retired": Q(retired_at__isnull=False, deleted_at=None),
        "deleted": Q(deleted_at__isnull=False),
        "all": Q(),
    }[state]


def _version(row: MemoryVersion) -> Version:
    return Version(
        since=row.since,
        until=row.until,
        actor=row.actor,
        created_at=row.created_at,
        content=str(row.body.get("content", "")),
        title=str(row.body.get("title", "")),
        body=dict(row.body),
        hash=row.content_hash,
    )
