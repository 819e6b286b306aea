"""Lists of memories for people: every state, pinned first, paged by id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Q, QuerySet

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id
from memory_app.models import Memory
from memory_app.queries.access import Access

State = Literal["active", "pinned", "retired", "pending", "bin"]
STATES: tuple[State, ...] = ("active", "pinned", "retired", "pending", "bin")

_STATE: dict[State, Q] = {
    "active": Q(retired_at=None, deleted_at=None),
    "pinned": Q(retired_at=None, deleted_at=None, pinned_at__isnull=False),
    "retired": Q(retired_at__isnull=False, deleted_at=None),
    "pending": Q(retired_at=None, deleted_at=None, indexed_at=None),
    "bin": Q(deleted_at__isnull=False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Browse:
    """A list that a person asks for. `text` matches as a substring, in every state."""

    state: State = "active"
    text: str = ""
    author: str = ""
    tag: str = ""
    category: str = ""
    collection: str = ""
    source: str = ""
    since: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsePage:
    """`replacements` holds what superseded the retired ones, by id; `older` is the next cursor."""

    memories: tuple[Memory, ...]
    replacements: dict[str, Memory]
    older: str | None


def browse(access: Access, where: Browse, *, after: str = "", limit: int = 50) -> BrowsePage:
    """One page, pinned first, then newest. At most three queries, whatever the page holds.

    `after` is the `older` of the page before; it holds whether that page ended among the pinned.
    Raises `InvalidArgument` for a cursor that isn't one.
    """
    pinned, last = _read_cursor(after)
    found: list[Memory] = []
    if pinned:
        found = list(_below(_matching(access, where).filter(_PINNED), last)[: limit + 1])
        last = None
    if len(found) <= limit:
        rest = _below(_matching(access, where).exclude(_PINNED), last)
        found += rest[: limit + 1 - len(found)]
    page = tuple(found[:limit])
    older = _write_cursor(page[-1]) if len(found) > limit else None
    return BrowsePage(memories=page, replacements=_replacements(access, page), older=older)


def find_many(access: Access, ids: Iterable[str]) -> dict[str, Memory]:
    """Memories of the bank by id, whatever their state. One query, none for no ids."""
    wanted = set(ids)
    if not wanted:
        return {}
    return {m.id: m for m in Memory.objects.filter(bank_id=access.bank.id, id__in=wanted)}


def is_empty(access: Access) -> bool:
    """Whether nothing was ever stored here. One query."""
    return not Memory.objects.filter(bank_id=access.bank.id).exists()


_PINNED = Q(pinned_at__isnull=False)


def _matching(access: Access, where: Browse) -> QuerySet[Memory]:
    found = Memory.objects.filter(_STATE[where.state], bank_id=access.bank.id)
    named = {
        "author": where.author,
        "category": where.category,
        "collection": where.collection,
        "source": where.source,
        "created_at__gte": where.since,
        "created_at__lt": where.before,
        "tags__contains": [where.tag.lower()] if where.tag else None,
    }
    found = found.filter(**{name: value for name, value in named.items() if value})
    if where.text:
        found = found.filter(Q(content__icontains=where.text) | Q(title__icontains=where.text))
    return found


def _below(found: QuerySet[Memory], last: str | None) -> QuerySet[Memory]:
    return (found.filter(id__lt=last) if last else found).order_by("-id")


def _replacements(access: Access, page: Iterable[Memory]) -> dict[str, Memory]:
    return find_many(access, (m.superseded_by for m in page if m.superseded_by))


def _write_cursor(memory: Memory) -> str:
    return f"{'p' if memory.pinned_at else 'n'}.{memory.id}"


def _read_cursor(cursor: str) -> tuple[bool, str | None]:
    if not cursor:
        return True, None
    kind, _, last = cursor.partition(".")
    if kind not in {"p", "n"} or not is_id("mem", last):
        raise InvalidArgument(
            "after is not the cursor of a page of memories.",
            hint="Follow the link to the next page, or leave it out.",
            field="after",
        )
    return kind == "p", last
