"""Lists of memories for people: pinned first, then newest, with what replaced the retired ones."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id
from memory_app.models import Memory
from memory_app.queries.access import Access
from memory_app.queries.memories import MemoryFilter, find_many, list_memories

_PINNED = Q(pinned_at__isnull=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsePage:
    """`replacements` holds what superseded the retired ones, by id; `older` is the next cursor."""

    memories: tuple[Memory, ...]
    replacements: dict[str, Memory]
    older: str | None


def browse(access: Access, where: MemoryFilter, *, after: str = "", limit: int = 50) -> BrowsePage:
    """One page by keyset on the id. At most three queries, whatever the page holds.

    Only live memories are listed pinned first; a partial index holds those few.

    `after` is the `older` of the page before; it says whether that page ended among the pinned.
    Raises `InvalidArgument` for a cursor that isn't one.
    """
    among_pinned, last = _read_cursor(after)
    matching = list_memories(access, where)
    if where.state != "live":
        found = _rows(matching, last, limit + 1)
    elif among_pinned:
        found = _rows(matching.filter(_PINNED), last, limit + 1)
        found += _rows(matching.exclude(_PINNED), None, limit + 1 - len(found))
    else:
        found = _rows(matching.exclude(_PINNED), last, limit + 1)
    page = tuple(found[:limit])
    replaced = [memory.superseded_by for memory in page if memory.superseded_by]
    return BrowsePage(
        memories=page,
        replacements=find_many(access, replaced) if replaced else {},
        older=_write_cursor(page[-1]) if len(found) > limit else None,
    )


def is_empty(access: Access) -> bool:
    """Whether nothing was ever stored here. One query."""
    return not Memory.objects.filter(bank_id=access.bank.id).exists()


def _rows(matching: QuerySet[Memory], last: str | None, number: int) -> list[Memory]:
    """The next so many below an id; no query for none."""
    if number <= 0:
        return []
    return list((matching.filter(id__lt=last) if last else matching)[:number])


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
