"""People and invitations, with what the viewer may change about each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.actor import ROLE_ORDER
from accounts.models import Invitation, Membership
from accounts.roles import holds
from accounts.services.people import parse_role
from dashboard.place import Place

ROLES = {
    "viewer": "reads memories and history",
    "member": "also writes, reviews, and makes agents and banks",
    "admin": "also manages people, every agent and every bank",
    "owner": "also owners, security and the organization itself",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChoice:
    value: str
    about: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    name: str
    email: str
    role: str
    joined_at: datetime
    you: bool
    secured: bool
    has_password: bool
    choices: tuple[RoleChoice, ...]
    removable: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationRow:
    email: str
    role: str
    by: str
    created_at: datetime
    expires_at: datetime
    expired: bool
    # Whether the viewer may grant this role: else it is another's to send again or to withdraw.
    may_change: bool
    url: str


def present_people(
    place: Place, rows: Iterable[Membership], secured: set[str]
) -> tuple[PersonRow, ...]:
    """Memberships with `user` loaded; `secured` are the ids of those with a second factor."""
    return tuple(_person(place, row, secured) for row in rows)


def role_choices(place: Place, chosen: str) -> tuple[RoleChoice, ...]:
    """The roles that the viewer may grant, the highest last."""
    return tuple(
        RoleChoice(value=role, about=ROLES[role], chosen=role == chosen)
        for role in ROLE_ORDER
        if holds(place.actor, role)
    )


def present_invitations(place: Place, rows: Iterable[Invitation]) -> tuple[InvitationRow, ...]:
    """Open invitations with `invited_by` loaded."""
    now = timezone.now()
    return tuple(
        InvitationRow(
            email=row.email,
            role=row.role,
            by=str(row.invited_by) if row.invited_by else "",
            created_at=row.created_at,
            expires_at=row.expires_at,
            expired=row.expires_at <= now,
            may_change=holds(place.actor, parse_role(row.role)),
            url=place.organization_url("invited", row.id),
        )
        for row in rows
    )


def _person(place: Place, row: Membership, secured: set[str]) -> PersonRow:
    you = row.user_id == place.actor.id
    over = holds(place.actor, "admin") and holds(place.actor, row.role)  # type: ignore[arg-type]
    return PersonRow(
        name=row.user.name,
        email=row.user.email,
        role=row.role,
        joined_at=row.created_at,
        you=you,
        secured=row.user_id in secured,
        has_password=row.user.has_usable_password(),
        choices=role_choices(place, row.role) if over else (),
        removable=over or you,
        url=place.organization_url("member", row.user_id),
    )
