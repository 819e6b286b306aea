"""Changes of access taken back, by the event that the access log kept of them.

Taking back is a change like any other: the same service, the same rights, an event of its own. It is
refused where somebody has changed the same thing since. Keys that were revoked stay revoked, and a
withdrawn invitation stays closed: nobody knows who has seen their secrets.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.actor import Actor
from accounts.models import AccessEvent, User
from accounts.queries import events
from accounts.services.agents import update_agent
from accounts.services.audit import changed_since
from accounts.services.connections import change_connection, connect, disconnect
from accounts.services.invitations import withdraw_invitation
from accounts.services.organizations import update_organization
from accounts.services.people import add_member, change_role
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound

DAYS = 30


def last_change(actor: Actor, target: str, *, since: datetime) -> str:
    """The event of what the actor has changed about a target since that instant, if it can be taken
    back; else nothing. One query.
    """
    with acting_as(actor):
        found = events.newest_own(actor, target=target, operations=tuple(_BACK), since=since)
    return "" if found is None else found.id


def take_back(actor: Actor, event: str) -> AccessEvent:
    """Undo a change of the last 30 days; answers the event of that change.

    Needs the rights that the change itself needs. Raises `NotFound`, `InvalidArgument` for what can't
    be taken back, and `Conflict` where the thing has been changed since.
    """
    with acting_as(actor):
        found = events.find(actor, event)
    back = _BACK.get(found.operation)
    if back is None:
        raise InvalidArgument(
            "A change of this sort can't be taken back.", hint="Change it by hand.", field="event"
        )
    if found.created_at < timezone.now() - timedelta(days=DAYS):
        raise Conflict(
            f"Changes can be taken back for {DAYS} days.", hint="Change it by hand instead."
        )
    back(actor, found)
    return found


def _agent(actor: Actor, event: AccessEvent) -> None:
    before, after = _sides(event)
    update_agent(actor, event.target, **before, expected=after)


def _organization(actor: Actor, event: AccessEvent) -> None:
    before, after = _sides(event)
    update_organization(actor, **before, expected=after)


def _connection(actor: Actor, event: AccessEvent) -> None:
    before, after = _sides(event)
    change_connection(actor, event.target, **before, expected=after)


def _connected(actor: Actor, event: AccessEvent) -> None:
    with acting_as(actor):
        if events.page(actor, target=event.target, limit=1).items[0].id != event.id:
            raise changed_since()
    disconnect(actor, event.target)


def _disconnected(actor: Actor, event: AccessEvent) -> None:
    """As a new connection, with the tier and the toolsets that the old one had."""
    said = event.details
    if "tier" not in said:
        raise changed_since()  # an event from before the log kept it
    connect(
        actor,
        agent=said["agent"],
        bank=said["bank"],
        tier=said["tier"],
        toolsets=said["toolsets"],
        paused=said["paused"],
    )


def _role(actor: Actor, event: AccessEvent) -> None:
    change_role(actor, event.target, event.details["before"], expected=event.details["after"])


def _removed(actor: Actor, event: AccessEvent) -> None:
    if event.actor == event.target:
        raise Conflict("This person left, and was not removed.", hint="Send an invitation instead.")
    if not User.objects.filter(id=event.target, is_active=True).exists():
        raise NotFound("person")
    add_member(actor, event.target, event.details["role"])


def _invited(actor: Actor, event: AccessEvent) -> None:
    withdraw_invitation(actor, event.target)


def _sides(event: AccessEvent) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values that the change touched, before and after it."""
    before, after = event.details.get("before"), event.details.get("after")
    if not isinstance(before, dict) or not isinstance(after, dict):
        raise changed_since()  # an event from before the log kept both sides
    touched = [name for name in before if before[name] != after[name]]
    return {name: before[name] for name in touched}, {name: after[name] for name in touched}


_BACK: dict[str, Callable[[Actor, AccessEvent], None]] = {
    "agent.updated": _agent,
    "connection.changed": _connection,
    "connection.created": _connected,
    "connection.removed": _disconnected,
    "invitation.created": _invited,
    "member.removed": _removed,
    "member.role_changed": _role,
    "organization.updated": _organization,
}
