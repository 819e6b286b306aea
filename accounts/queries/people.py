"""The people of an organization; call inside `acting_as`."""

from __future__ import annotations

from typing import cast

from django.db.models import Q, QuerySet

from accounts.actor import ROLE_ORDER, Actor, Role
from accounts.models import Invitation, Membership, Organization
from accounts.queries.pages import Page, cut
from memory_app.domain.errors import NotFound, RoleInsufficient


def members_page(
    actor: Actor, *, named: str = "", after: str | None = None, limit: int = 50
) -> Page[Membership]:
    """People in the order they joined, those whose name or address holds `named`, with `user` loaded.

    One query. Raises `WrongIdPrefix` when `after` is no membership's id.
    """
    rows = _members(actor).order_by("id")
    if named:
        rows = rows.filter(Q(user__name__icontains=named) | Q(user__email__icontains=named))
    return cut(rows if after is None else rows.filter(id__gt=after), limit)


def find_member(actor: Actor, user_id: str) -> Membership:
    """By the person's id. Raises `WrongIdPrefix` or `NotFound`."""
    found = _members(actor).filter(user_id=user_id).first()
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
    return rows.select_related("invited_by").order_by("-id")


def find_invitation(actor: Actor, invitation: str) -> Invitation:
    """An open one by id. Raises `WrongIdPrefix` or `NotFound`."""
    found = open_invitations(actor).filter(id=invitation).first()
    if found is None:
        raise NotFound("invitation")
    return found


def _members(actor: Actor) -> QuerySet[Membership]:
    rows = Membership.objects.filter(organization_id=actor.organization_id)
    return rows.select_related("user")
