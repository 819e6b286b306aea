"""More people for a world."""

from __future__ import annotations

from uuid import uuid4

from accounts.actor import Actor, Role
from accounts.models import User
from accounts.services.people import add_member
from tests.factories import World


def make_user() -> User:
    """A person who belongs nowhere yet."""
    return User.objects.create_user(f"person-{uuid4().hex[:12]}@example.com", name="Pat")


def join(world: World, role: Role) -> Actor:
    """A new person of the organization, as an actor."""
    user = make_user()
    add_member(world.person, user.id, role)
    return Actor(
        organization_id=world.organization.id, kind="user", id=user.id, name="Pat", role=role
    )
