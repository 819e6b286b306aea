"""Pages by keyset, so that the last page of ten thousand rows costs what the first one does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, Q, QuerySet

from memory_app.domain.errors import NotFound

Item = TypeVar("Item")
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """A few of a list, and the id that the next page starts after; None on the last one."""

    items: tuple[Item, ...]
    next_cursor: str | None


def cut(rows: QuerySet[Row], limit: int) -> Page[Row]:
    """The first `limit` rows. One query, beside those that load what belongs to them."""
    found = tuple(rows[: limit + 1])
    items = found[:limit]
    return Page(items=items, next_cursor=str(items[-1].pk) if len(found) > limit else None)


def beyond(rows: QuerySet[Row], everything: QuerySet[Row], after: str | None) -> QuerySet[Row]:
    """Those of `rows`, ordered by name and id, that come after the one with the id `after`.

    That one may be hidden by now, so it is looked up in `everything`: one query. Raises
    `WrongIdPrefix`, and `NotFound` for what is nowhere.
    """
    if after is None:
        return rows
    last = everything.filter(pk=after).values_list("name", "pk").first()
    if last is None:
        raise NotFound("page")
    name, pk = last
    return rows.filter(Q(name__gt=name) | Q(name=name, pk__gt=pk))
