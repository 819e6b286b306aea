"""Invitations: a token by mail, of which only the digest is kept."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, connection
from django.urls import reverse
from django.utils import timezone

from accounts import mail
from accounts.actor import Actor
from accounts.models import Invitation, Membership, User
from accounts.queries.pages import Page, cut
from accounts.queries.people import find_invitation, lock_standing, open_invitations
from accounts.roles import require_role
from accounts.services.audit import record
from accounts.services.organizations import get_organization
from accounts.services.people import parse_role, require_grant
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, RateLimited
from memory_app.domain.ids import from_uuid
from memory_app.domain.text import clean

VALID = timedelta(days=7)
EMAIL_LIMIT = 254
OPEN_LIMIT = 100
HOURLY_LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedInvitation:
    """An invitation with its token, which can't be had again."""

    token: str
    invitation: Invitation


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationView:
    """What the holder of a token may know before joining."""

    invitation_id: str
    organization_id: str
    organization_name: str
    email: str
    role: str


def parse_email(value: object) -> str:
    """Lower-cased, as people are stored."""
    email = clean(value, field="email", limit=EMAIL_LIMIT, least=1, lines=False).lower()
    try:
        validate_email(email)
    except ValidationError:
        raise InvalidArgument(
            "email is not an e-mail address.", hint="Send it as name@example.com.", field="email"
        ) from None
    return email


def invite(actor: Actor, *, email: object, role: object = "member") -> IssuedInvitation:
    """An offer to join, good for seven days; an older open one to the same address is withdrawn.

    Raises `RoleInsufficient` for a role that the actor can't grant, the older one's included.
    """
    address, wanted = parse_email(email), parse_role(role)
    require_grant(actor, wanted)
    token = secrets.token_urlsafe(32)
    with acting_as(actor):
        lock_standing(actor)
        if Membership.objects.filter(
            organization_id=actor.organization_id, user__email=address
        ).exists():
            raise Conflict("This person belongs to the organization already.", field="email")
        older = open_invitations(actor).filter(email=address)
        for each in older:
            require_grant(actor, parse_role(each.role))
        older.delete()
        _require_room(actor)
        invitation = Invitation.objects.create(
            organization_id=actor.organization_id,
            email=address,
            role=wanted,
            token_digest=_digest(token),
            invited_by_id=actor.id if actor.kind == "user" else None,
            expires_at=timezone.now() + VALID,
        )
        record(actor, "invitation.created", invitation.id, email=address, role=wanted)
    return IssuedInvitation(token=token, invitation=invitation)


def resend_invitation(actor: Actor, invitation: str) -> IssuedInvitation:
    """A new token and seven more days; the token of the earlier mail opens nothing any more.

    Whoever may grant the role may.
    """
    token = secrets.token_urlsafe(32)
    with acting_as(actor):
        lock_standing(actor)
        found = find_invitation(actor, invitation)
        require_grant(actor, parse_role(found.role))
        found.token_digest = _digest(token)
        found.expires_at = timezone.now() + VALID
        found.save(update_fields=["token_digest", "expires_at"])
        record(actor, "invitation.resent", found.id, email=found.email, role=found.role)
    return IssuedInvitation(token=token, invitation=found)


def withdraw_invitation(actor: Actor, invitation: str) -> None:
    """The token opens nothing any more. Whoever may grant the role may."""
    with acting_as(actor):
        found = find_invitation(actor, invitation)
        require_grant(actor, parse_role(found.role))
        withdrawn, _ = Invitation.objects.filter(id=found.id).delete()
        if not withdrawn:
            raise NotFound("open invitation")
        record(actor, "invitation.withdrawn", found.id, email=found.email)


def list_invitations(
    actor: Actor, *, after: str | None = None, limit: int = 50
) -> Page[Invitation]:
    """A page of open invitations, newest first; administrators only. One query."""
    require_role(actor, "admin", to="see invitations")
    with acting_as(actor):
        rows = open_invitations(actor)
        return cut(rows if after is None else rows.filter(id__lt=after), limit)


def deliver(actor: Actor, issued: IssuedInvitation, *, base_url: str) -> str:
    """Mail the link; where no mail goes out the link itself, for the inviter to hand on.

    `base_url` is the address that the inviter reached this server by.
    """
    offer = issued.invitation
    link = base_url.rstrip("/") + reverse("accounts:invitation", args=[issued.token])
    context = {
        "inviter": actor.name,
        "organization": get_organization(actor).name,
        "role": offer.role,
        "email": offer.email,
        "link": link,
        "expires": f"{offer.expires_at:%-d %B %Y}",
    }
    sent = mail.send("invitation", offer.email, context)
    return "" if sent and settings.EMAIL_URL else link


def look_up_invitation(token: str) -> InvitationView:
    """What a token offers. Raises `NotFound` alike for unknown, expired and used ones."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM find_invitation(%s)", [_digest(token)])
        row = cursor.fetchone()
    if row is None or row[6] is not None or row[5] <= timezone.now():
        raise NotFound("open invitation")
    return InvitationView(
        invitation_id=from_uuid("inv", row[0]),
        organization_id=from_uuid("org", row[1]),
        organization_name=row[2],
        email=row[3],
        role=row[4],
    )


def accept_invitation(user: User, token: str, *, door: str = "dashboard") -> Membership:
    """Join, once. The invitation must have been sent to this person's own address.

    Raises `NotFound` for a token that offers nothing, `InvalidArgument` for another address,
    `Conflict` for one who belongs already.
    """
    offer = look_up_invitation(token)
    if offer.email != user.email.lower():
        raise InvalidArgument(
            "This invitation was sent to another e-mail address.",
            hint="Sign in with the address it was sent to, or ask for a new one.",
            field="token",
        )
    actor = Actor(
        organization_id=offer.organization_id, kind="user", id=user.id, name=str(user), door=door
    )
    try:
        with acting_as(actor):
            taken = Invitation.objects.filter(id=offer.invitation_id, accepted_at=None)
            if not taken.update(accepted_at=timezone.now()):
                raise NotFound("open invitation")
            membership = Membership.objects.create(
                organization_id=offer.organization_id, user=user, role=offer.role
            )
            record(actor, "member.added", user.id, role=offer.role, invitation=offer.invitation_id)
    except IntegrityError:
        raise Conflict("You belong to this organization already.") from None
    return membership


def _require_room(actor: Actor) -> None:
    """Mail goes out for each, so a stolen session must not make a mass mailing of it."""
    rows = Invitation.objects.filter(organization_id=actor.organization_id)
    if rows.filter(accepted_at=None).count() >= OPEN_LIMIT:
        raise Conflict(
            f"{OPEN_LIMIT} invitations are open, which is the limit.",
            hint="Withdraw those that nobody will accept.",
            field="email",
        )
    if rows.filter(created_at__gt=timezone.now() - timedelta(hours=1)).count() >= HOURLY_LIMIT:
        raise RateLimited(
            f"{HOURLY_LIMIT} people were invited within the hour, which is the limit.",
            hint="Invite the next ones in an hour.",
        )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
