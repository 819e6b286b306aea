"""A signed-in person as an actor in one of their organizations."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import cast

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import HttpRequest

from accounts.actor import Actor, Role
from accounts.auth.second_factor import require_second_factor
from accounts.models import User
from memory_app.domain.errors import NotFound, Unauthenticated
from memory_app.domain.ids import from_uuid, to_uuid


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipView:
    """An organization a person belongs to, with the role there."""

    organization_id: str
    name: str
    slug: str
    role: Role
    requires_mfa: bool = False


def memberships_of(user: User | AnonymousUser) -> list[MembershipView]:
    """The person's organizations by name; one query, no organization's context needed."""
    if not isinstance(user, User):
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM memberships_of(%s)", [to_uuid("user", user.id)])
        rows = cursor.fetchall()
    return [
        MembershipView(
            organization_id=from_uuid("org", organization_id),
            name=name,
            slug=slug,
            role=cast(Role, role),
            requires_mfa=requires_mfa,
        )
        for organization_id, name, slug, role, requires_mfa in rows
    ]


def user_of_session(key: str) -> User | None:
    """The person whom a session cookie names; None when it is over. One or two queries."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key or None)
    user = get_user(request)
    return user if isinstance(user, User) else None


def authenticate_session(
    user: User | AnonymousUser | None,
    organization: str | None = None,
    *,
    door: str = "dashboard",
    client: str = "",
    request_id: str = "",
) -> Actor:
    """The person in the organization named by id or slug; None means the first by name. One query.

    The role is read afresh for each request, so a demotion holds at once. Raises `Unauthenticated`
    without an active person, `NotFound` alike for an unknown organization and somebody else's, and
    `SecondFactorRequired` where the organization asks for one that the person hasn't set up.
    """
    if not isinstance(user, User) or not user.is_active:
        raise Unauthenticated("Nobody is signed in.", hint="Sign in, or send an API key.")
    for membership in memberships_of(user):
        if organization in (None, membership.organization_id, membership.slug):
            if membership.requires_mfa:
                require_second_factor(user, membership.name)
            return Actor(
                organization_id=membership.organization_id,
                kind="user",
                id=user.id,
                name=str(user),
                role=membership.role,
                request_id=request_id,
                door=door,
                client=client[:300],
            )
    raise NotFound("organization")
