"""The access log: who changed what anyone may do."""

from __future__ import annotations

from typing import Any

from accounts.actor import Actor
from accounts.models import AccessEvent
from accounts.queries import events
from accounts.queries.pages import Page
from accounts.roles import require_role
from accounts.tenancy import acting_as


def record(actor: Actor, operation: str, target: str, *, reason: str = "", **details: Any) -> None:
    """Append one event, inside the transaction of the change. Never give it a secret."""
    AccessEvent.objects.create(
        organization_id=actor.organization_id,
        operation=operation,
        target=target,
        actor=actor.id,
        reason=reason,
        details=details,
        request_id=actor.request_id[:64],
        door=actor.door[:20],
    )


def list_events(
    actor: Actor, *, target: str | None = None, after: str | None = None, limit: int = 50
) -> Page[AccessEvent]:
    """The access log, newest first, `limit` at a time; `after` is the last page's `next_cursor`."""
    require_role(actor, "admin", to="read the access log")
    with acting_as(actor):
        return events.page(actor, target=target, after=after, limit=limit)
