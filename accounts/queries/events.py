"""Pages of the access log."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.actor import Actor
from accounts.models import AccessEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """Events newest first, and where the next page starts; None on the last one."""

    items: tuple[AccessEvent, ...]
    next_cursor: str | None


def page(
    actor: Actor, *, target: str | None = None, after: str | None = None, limit: int = 50
) -> EventPage:
    """One query on (organization, id). Raises `WrongIdPrefix` when `after` is no event's id."""
    rows = AccessEvent.objects.filter(organization_id=actor.organization_id).order_by("-id")
    if target is not None:
        rows = rows.filter(target=target)
    if after is not None:
        rows = rows.filter(id__lt=after)
    found = tuple(rows[: limit + 1])
    items = found[:limit]
    return EventPage(items=items, next_cursor=items[-1].id if len(found) > limit else None)
