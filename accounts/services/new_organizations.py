"""Who may make an organization, and how many."""

from __future__ import annotations

from django.conf import settings

from accounts.auth.sessions import memberships_of
from accounts.models import Organization, User
from accounts.services.organizations import create_organization
from memory_app.domain.errors import Conflict, RoleInsufficient

OWNED_LIMIT = 20


def may_create(user: User) -> bool:
    """Whoever runs an organization here; anyone where sign-up is open to everyone."""
    roles = [membership.role for membership in memberships_of(user)]
    return bool(settings.ACCOUNT_SIGNUP_OPEN) or bool({"owner", "admin"} & set(roles))


def create_own_organization(user: User, *, name: object) -> Organization:
    """A new organization with the person as its owner. Raises `RoleInsufficient` and `Conflict`."""
    if not may_create(user):
        raise RoleInsufficient(
            "Only owners and admins of an organization may make another one here.",
            hint="Ask an owner of your organization.",
        )
    owned = [each for each in memberships_of(user) if each.role == "owner"]
    if len(owned) >= OWNED_LIMIT:
        raise Conflict(
            f"You own {len(owned)} organizations; the limit is {OWNED_LIMIT}.",
            hint="Delete one, or have somebody else make it.",
        )
    return create_organization(user, name=name)
