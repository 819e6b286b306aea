"""Pages of the access log."""

from __future__ import annotations

from accounts.actor import Actor
from accounts.models import AccessEvent
from accounts.queries.pages import Page, cut


def page(
    actor: Actor, *, target: str | None = None, after: str | None = None, limit: int = 50
) -> Page[AccessEvent]:
    """Newest first; one query on (organization, id). Raises `WrongIdPrefix` when `after` is no event's id."""
    rows = AccessEvent.objects.filter(organization_id=actor.organization_id).order_by("-id")
    if target is not None:
        rows = rows.filter(target=target)
    if after is not None:
        rows = rows.filter(id__lt=after)
    return cut(rows, limit)
