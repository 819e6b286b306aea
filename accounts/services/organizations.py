"""Organizations: made with their first owner, renamed, capped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, connection

from accounts.actor import COMMAND, Actor
from accounts.auth.second_factor import has_second_factor
from accounts.models import Membership, Organization, User
from accounts.roles import require_role
from accounts.services.audit import record, refuse_if_changed
from accounts.slugs import choose_slug, slug_taken
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.ids import from_uuid, new_id
from memory_app.domain.text import clean
from memory_app.domain.values import parse_integer

NAME_LIMIT = 120
CAP_LIMIT = 1_000_000_000
UNCHANGED = object()


def find_organization(slug: str) -> str | None:
    """The id behind a slug, before any context is known. Never for a door: it tells who exists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT find_organization(%s)", [slug])
        row = cursor.fetchone()
    return from_uuid("org", row[0]) if row and row[0] else None


def create_organization(
    owner: User | None, *, name: object, slug: object = None, door: str = "dashboard"
) -> Organization:
    """A new tenant with its first owner; without one only the operator's command makes it.

    Raises `Conflict` when a slug was given and is taken.
    """
    cleaned = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
    for _ in range(5):
        chosen = choose_slug(
            slug,
            cleaned,
            taken=lambda slug: find_organization(slug) is not None,
            kind="organization",
        )
        organization = Organization(id=new_id("org"), name=cleaned, slug=chosen)
        try:
            _insert(organization, owner, door)
        except IntegrityError:
            continue  # somebody took the slug between the look and the insert
        return organization
    raise slug_taken(chosen, "organization")


def update_organization(
    actor: Actor,
    *,
    name: object = None,
    daily_operation_cap: object = UNCHANGED,
    requires_mfa: bool | None = None,
    expected: Mapping[str, Any] | None = None,
) -> Organization:
    """Owners rename, set the daily cap (None is the server's own, 0 closes the day) and say whether
    members need a second factor, which the owner who says so must have: nobody locks itself out.

    Raises `Conflict` also where a value isn't as `expected`.
    """
    with acting_as(actor):
        organization = Organization.objects.select_for_update().get(id=actor.organization_id)
        require_role(actor, "owner", to="change the organization")
        before = _said(organization)
        refuse_if_changed(expected, before)
        if name is not None:
            organization.name = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
        if daily_operation_cap is None:
            organization.daily_operation_cap = None
        elif daily_operation_cap is not UNCHANGED:
            organization.daily_operation_cap = parse_integer(
                daily_operation_cap, field="daily_operation_cap", least=0, most=CAP_LIMIT, default=0
            )
        if requires_mfa is not None:
            if requires_mfa and actor.kind == "user" and not has_second_factor(actor.id):
                raise Conflict(
                    "You have no second factor yourself, so this would lock you out.",
                    hint="Set up an authenticator app or a passkey first.",
                    field="requires_mfa",
                )
            organization.requires_mfa = requires_mfa
        after = _said(organization)
        if after != before:
            organization.save(update_fields=list(after))
            record(actor, "organization.updated", organization.id, before=before, after=after)
    return organization


def get_organization(actor: Actor) -> Organization:
    """The actor's own organization; there is no way to name another."""
    with acting_as(actor):
        return Organization.objects.get(id=actor.organization_id)


def _said(organization: Organization) -> dict[str, Any]:
    return {
        "name": organization.name,
        "daily_operation_cap": organization.daily_operation_cap,
        "requires_mfa": organization.requires_mfa,
    }


def _insert(organization: Organization, owner: User | None, door: str) -> None:
    actor = Actor(
        organization_id=organization.id,
        kind="user" if owner else "system",
        id=owner.id if owner else COMMAND,
        role="owner",
        door=door,
    )
    with acting_as(actor):
        organization.save(force_insert=True)
        record(actor, "organization.created", organization.id, name=organization.name)
        if owner is not None:
            Membership.objects.create(organization=organization, user=owner, role="owner")
            record(actor, "member.added", owner.id, role="owner")
