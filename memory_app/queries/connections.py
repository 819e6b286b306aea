"""What one memory is connected to: entities, relationships and other memories."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.queries.pages import Page
from memory_app.domain.errors import NotFound
from memory_app.models import Assertion, Link, Memory, Mention
from memory_app.queries.access import Access
from memory_app.queries.memories import find_many

LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A link with the memory at its other end; `outgoing` when it starts at the one asked about."""

    link: Link
    other: Memory
    outgoing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    mentions: tuple[Mention, ...]
    assertions: tuple[Assertion, ...]
    links: tuple[Connection, ...]


def connections_of(access: Access, memory: Memory) -> Connections:
    """Up to fifty of each, as they stand, or stood when the memory went. Four queries."""
    here = {"bank_id": access.bank.id, "memory_id": memory.id}
    ended = Q(until=None) if memory.status in ("active", "pending") else Q()
    mentions = Mention.objects.filter(ended, **here).select_related("entity").order_by("id")
    assertions = Assertion.objects.filter(ended, **here).select_related(
        "relationship__source", "relationship__target"
    )
    links = list(_links(access, memory.id).order_by("type", "-id")[:LIMIT])
    others = find_many(access, [_other(link, memory) for link in links])
    return Connections(
        mentions=tuple({row.entity_id: row for row in mentions[:LIMIT]}.values()),
        assertions=tuple(
            {row.relationship_id: row for row in assertions.order_by("id")[:LIMIT]}.values()
        ),
        links=tuple(
            Connection(
                link=link,
                other=others[_other(link, memory)],
                outgoing=link.source_id == memory.id,
            )
            for link in links
            if _other(link, memory) in others
        ),
    )


def links_page(
    access: Access, memory_id: str, *, after: str | None = None, limit: int = 50
) -> Page[Link]:
    """A page of the live links from and to a memory, newest first. One query."""
    rows = _links(access, memory_id).order_by("-id")
    if after is not None:
        rows = rows.filter(id__lt=after)
    found = tuple(rows[: limit + 1])
    items = found[:limit]
    return Page(items=items, next_cursor=items[-1].id if len(found) > limit else None)


def find_link(access: Access, link_id: str, *, live: bool) -> Link:
    """Raises `NotFound`."""
    rows = Link.objects.filter(bank_id=access.bank.id, id=link_id, until__isnull=live)
    found = rows.first()
    if found is None:
        raise NotFound("link")
    return found


def _links(access: Access, memory_id: str) -> QuerySet[Link]:
    return Link.objects.filter(
        Q(source_id=memory_id) | Q(target_id=memory_id), bank_id=access.bank.id, until=None
    )


def _other(link: Link, memory: Memory) -> str:
    return str(link.target_id if link.source_id == memory.id else link.source_id)
