"""Pages of the access log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from accounts.actor import Actor
from accounts.models import AccessEvent
from accounts.queries.pages import Page, cut
from memory_app.domain.errors import NotFound


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


def find(actor: Actor, reference: str) -> AccessEvent:
    """By id. Raises `WrongIdPrefix` or `NotFound`."""
    rows = AccessEvent.objects.filter(organization_id=actor.organization_id, id=reference)
    found = rows.first()
    if found is None:
        raise NotFound("event")
    return found


def newest_own(
    actor: Actor, *, target: str, operations: Sequence[str], since: datetime
) -> AccessEvent | None:
    """The actor's newest event about a target since that instant, of one of these operations."""
    rows = AccessEvent.objects.filter(organization_id=actor.organization_id, target=target)
    own = rows.filter(actor=actor.id, operation__in=operations, created_at__gte=since)
    return own.order_by("-id").first()
