"""The daily mail: what waits for a person in an organization's banks. Only when something does.

One row a person and organization takes the day before the mail leaves, in a transaction of its own:
two clocks, a retry or a crash can cost a mail, never send one twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.actor import CONSOLIDATION, Actor, Role, system_actor
from accounts.mail import compose
from accounts.models import Membership, Organization, User
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import to_uuid
from memory_app.models import Bank, Digest
from memory_app.providers.clock import now
from memory_app.queries.access import accesses
from memory_app.queries.jobs import every_bank
from memory_app.queries.review import Waiting, waiting

logger = logging.getLogger(__name__)

# Mails leave from this hour of the UTC day on.
HOUR = 7
_SALT = "digest"
_LOCAL = "http://localhost:8000"
# Also makes the row of somebody who never had one; answers only whoever took the day.
_TAKE = """
INSERT INTO digests (organization_id, user_id, wanted, last_day)
VALUES (%(organization)s, %(user)s, true, %(day)s)
ON CONFLICT (organization_id, user_id) DO UPDATE SET last_day = %(day)s
WHERE digests.wanted AND digests.last_day IS DISTINCT FROM %(day)s
RETURNING 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BankLine:
    """A bank with something to decide."""

    bank: Bank
    waiting: Waiting
    url: str


def send_due(moment: datetime | None = None) -> int:
    """Send today's mails that have not gone out; how many did. One person's trouble stops no other."""
    moment = moment or now()
    if moment.hour < HOUR:
        return 0
    sent = 0
    for organization_id in sorted({organization for organization, _ in every_bank()}):
        for person in _people(organization_id):
            try:
                sent += _send(person, moment)
            except Exception:  # a mail server's or a bank's trouble; tomorrow there is another mail
                logger.exception("digest_failed", extra={"organization": organization_id})
    return sent


def wanted(actor: Actor) -> bool:
    """Whether the person gets the mail about this organization. One query."""
    with acting_as(actor):
        row = Digest.objects.filter(
            organization_id=actor.organization_id, user_id=actor.id, wanted=False
        )
        return not row.exists()


def choose(actor: Actor, *, wants: bool) -> None:
    """Switch the person's own mail on or off."""
    if actor.kind != "user":
        raise InvalidArgument("Only people get the daily mail.", hint="Sign in as a person.")
    with acting_as(actor):
        Digest.objects.update_or_create(
            organization_id=actor.organization_id, user_id=actor.id, defaults={"wanted": wants}
        )


def stop(token: str) -> str:
    """Switch off the mail that an unsubscribe link belongs to; the organization's name.

    Needs no sign-in: the link is the proof. Raises `NotFound` for a link that isn't ours.
    """
    organization_id, user_id = _read(token)
    actor = Actor(organization_id=organization_id, kind="user", id=user_id, door="mail")
    choose(actor, wants=False)
    return organization_of(token)


def organization_of(token: str) -> str:
    """The name of the organization that an unsubscribe link is about. Raises `NotFound`."""
    organization_id, _ = _read(token)
    with acting_as(system_actor(organization_id, CONSOLIDATION)):
        found = Organization.objects.filter(id=organization_id).first()
    if found is None:
        raise NotFound("page")
    return str(found.name)


def _people(organization_id: str) -> list[Actor]:
    """Everybody who could decide: viewers can't."""
    with acting_as(system_actor(organization_id, CONSOLIDATION)):
        rows = Membership.objects.filter(organization_id=organization_id, user__is_active=True)
        return [
            Actor(
                organization_id=organization_id,
                kind="user",
                id=row.user_id,
                role=cast(Role, row.role),
                door="mail",
            )
            for row in rows.exclude(role="viewer").order_by("user_id")
        ]


def _send(person: Actor, moment: datetime) -> int:
    with acting_as(person):
        organization = Organization.objects.get(id=person.organization_id)
        lines = list(_lines(person, organization))
        if not lines or not _took(person, moment):
            return 0
    user = User.objects.get(id=person.id)
    _message(user, organization, lines, _token(person)).send()
    return 1


def _lines(person: Actor, organization: Organization) -> Iterator[BankLine]:
    for access in accesses(person):
        found = waiting(access)
        if found.total and access.allows("full"):
            url = reverse("dashboard:review", args=[organization.slug, access.bank.slug])
            yield BankLine(bank=access.bank, waiting=found, url=_base() + url)


def _took(person: Actor, moment: datetime) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            _TAKE,
            {
                "organization": to_uuid("org", person.organization_id),
                "user": to_uuid("user", person.id),
                "day": moment.date(),
            },
        )
        return cursor.fetchone() is not None


def _message(
    user: User, organization: Organization, lines: list[BankLine], token: str
) -> EmailMultiAlternatives:
    number = sum(line.waiting.total for line in lines)
    stop_url = _base() + reverse("dashboard:digest-stop", args=[token])
    context = {
        "user": user,
        "organization": organization,
        "lines": lines,
        "number": number,
        "stop_url": stop_url,
    }
    text = render_to_string("mail/digest_message.txt", context)
    message = compose(f"{number} to decide in {organization.name}", text, user.email)
    message.extra_headers = {
        "List-Unsubscribe": f"<{stop_url}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return message


def _token(person: Actor) -> str:
    return signing.dumps([person.organization_id, person.id], salt=_SALT)


def _read(token: str) -> tuple[str, str]:
    try:
        organization_id, user_id = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        raise NotFound("page") from None
    return str(organization_id), str(user_id)


def _base() -> str:
    return str(settings.PUBLIC_URL or _LOCAL).rstrip("/")
