"""The people of an organization; call inside `acting_as`."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts.actor import Actor
from accounts.models import Invitation, Membership
from memory_app.domain.errors import NotFound


def members(actor: Actor) -> QuerySet[Membership]:
    """Everyone who belongs, with `user` loaded. An agent sees nobody."""
    rows = Membership.objects.filter(organization_id=actor.organization_id)
    rows = rows.select_related("user").order_by("user__name", "user__email")
    return rows.none() if actor.kind == "agent" else rows


def find_member(actor: Actor, user_id: str) -> Membership:
    """By the person's id. Raises `WrongIdPrefix` or `NotFound`."""
    found = members(actor).filter(user_id=user_id).first()
    if found is None:
        raise NotFound("person")
    return found


def open_invitations(actor: Actor) -> QuerySet[Invitation]:
    """Not accepted yet (they may have expired), newest first, with `invited_by` loaded."""
    rows = Invitation.objects.filter(organization_id=actor.organization_id, accepted_at=None)
    rows = rows.select_related("invited_by").order_by("-id")
    return rows.none() if actor.kind == "agent" else rows
