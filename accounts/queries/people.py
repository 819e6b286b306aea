"""The people of an organization; call inside `acting_as`."""

from __future__ import annotations

from typing import cast

from django.db.models import QuerySet

from accounts.actor import ROLE_ORDER, Actor, Role
from accounts.models import Invitation, Membership, Organization
from memory_app.domain.errors import NotFound, RoleInsufficient


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


def lock_standing(actor: Actor) -> None:
    """Queue with every other change of people, keys and invitations, and read the role once more.

    Without it a request that was let in before its person was removed or demoted could still hand
    out access after everything the person made had been revoked. Raises `RoleInsufficient`.
    """
    Organization.objects.select_for_update(no_key=True).get(id=actor.organization_id)
    if actor.kind != "user" or actor.role is None:
        return
    now = Membership.objects.filter(
        organization_id=actor.organization_id, user_id=actor.id
    ).values_list("role", flat=True)
    role = cast("Role | None", now.first())
    if role is None or ROLE_ORDER[role] < ROLE_ORDER[actor.role]:
        raise RoleInsufficient(
            "Your role in this organization has just changed.", hint="Reload and try again."
        )


def open_invitations(actor: Actor) -> QuerySet[Invitation]:
    """Not accepted yet (they may have expired), newest first, with `invited_by` loaded."""
    rows = Invitation.objects.filter(organization_id=actor.organization_id, accepted_at=None)
    rows = rows.select_related("invited_by").order_by("-id")
    return rows.none() if actor.kind == "agent" else rows
