"""The access log: who changed what anyone may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accounts.actor import Actor
from accounts.models import AccessEvent
from accounts.queries import events
from accounts.queries.pages import Page
from accounts.roles import require_role
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict


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


def refuse_if_changed(expected: Mapping[str, Any] | None, stands: Mapping[str, Any]) -> None:
    """Raises `Conflict` when a value isn't any more what the caller believes; None believes nothing.

    Call it with the row locked, in the transaction of the change.
    """
    if expected is not None and any(stands[name] != value for name, value in expected.items()):
        raise changed_since()


def changed_since() -> Conflict:
    return Conflict(
        "This has been changed since; it can't be taken back any more.",
        hint="Look at how it stands now, and change it by hand.",
    )
