"""API keys: issued, rotated with grace, revoked. The secret is in the answer, once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from accounts.actor import Actor
from accounts.auth.api_keys import PREVIEW_LENGTH, digest, new_secret
from accounts.models import Agent, ApiKey
from accounts.queries.agents import find_agent, find_key, keys_page
from accounts.queries.pages import Page
from accounts.queries.people import lock_standing
from accounts.roles import require_own
from accounts.services.audit import record
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.text import clean
from memory_app.domain.times import parse_instant
from memory_app.domain.values import parse_integer

NAME_LIMIT = 120
GRACE_LIMIT = 30 * 24 * 3600
RATE_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """A key with its secret, which can't be had again."""

    secret: str
    key: ApiKey


def issue_key(
    actor: Actor,
    *,
    agent: str,
    name: object = "",
    expires_at: object = None,
    requests_per_minute: object = None,
) -> IssuedKey:
    """A new key for an agent. Administrators, and the agent's maker."""
    label = clean(name, field="name", limit=NAME_LIMIT, lines=False)
    deadline = _parse_deadline(expires_at)
    rate = _parse_rate(requests_per_minute)
    with acting_as(actor):
        lock_standing(actor)
        found = find_agent(actor, agent)
        require_own(actor, found.created_by, to="issue a key for this agent")
        issued = _create(actor, found, name=label, expires_at=deadline, rate=rate)
        record(actor, "key.issued", issued.key.id, agent=found.id, preview=issued.key.preview)
    return issued


def rotate_key(actor: Actor, key: str, *, grace_seconds: object = 0) -> IssuedKey:
    """A new key in place of an old one, which works until the grace is over and never at its end.

    The new key is the actor's own: rotating somebody's key is also how it is handed over. It keeps
    name, rate and expiry. Raises `Conflict` for a key that works no more or was rotated before.
    """
    grace = parse_integer(
        grace_seconds, field="grace_seconds", least=0, most=GRACE_LIMIT, default=0
    )
    with acting_as(actor):
        lock_standing(actor)
        old = find_key(actor, key)
        require_own(actor, old.agent.created_by, to="rotate this key")
        now = timezone.now()
        _require_working(old, now)
        issued = _create(
            actor, old.agent, name=old.name, expires_at=old.expires_at, rate=old.requests_per_minute
        )
        deadline = now + timedelta(seconds=grace)
        old.expires_at = min(deadline, old.expires_at) if old.expires_at else deadline
        old.rotated_to = issued.key
        old.save(update_fields=["expires_at", "rotated_to"])
        record(actor, "key.rotated", old.id, rotated_to=issued.key.id, grace_seconds=grace)
    return issued


def revoke_key(actor: Actor, key: str, *, reason: str = "") -> ApiKey:
    """The key is refused from now on. Revoking twice changes nothing."""
    with acting_as(actor):
        found = find_key(actor, key)
        require_own(actor, found.agent.created_by, to="revoke this key")
        revoke(actor, [found], reason=reason)
    return found


def revoke(actor: Actor, keys: list[ApiKey], *, reason: str) -> None:
    """Revoke those that aren't yet, with an event each; inside the caller's transaction."""
    now = timezone.now()
    for key in keys:
        if key.revoked_at is None:
            key.revoked_at = now
            key.save(update_fields=["revoked_at"])
            record(actor, "key.revoked", key.id, reason=reason[:300], preview=key.preview)


def list_keys(
    actor: Actor, *, agent: str | None = None, after: str | None = None, limit: int = 50
) -> Page[ApiKey]:
    """A page of keys, newest first, with the agent loaded; never a secret, which nobody has."""
    with acting_as(actor):
        agent_id = None if agent is None else find_agent(actor, agent).id
        return keys_page(actor, agent_id=agent_id, after=after, limit=limit)


def get_key(actor: Actor, key: str) -> ApiKey:
    with acting_as(actor):
        return find_key(actor, key)


def working(moment: datetime) -> Q:
    """The filter for keys that aren't revoked or expired."""
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=moment))


def _create(
    actor: Actor, agent: Agent, *, name: str, expires_at: datetime | None, rate: int | None
) -> IssuedKey:
    secret = new_secret()
    key = ApiKey.objects.create(
        organization_id=actor.organization_id,
        agent=agent,
        name=name,
        digest=digest(secret),
        preview=secret[:PREVIEW_LENGTH],
        requests_per_minute=rate,
        created_by=actor.id,
        expires_at=expires_at,
    )
    return IssuedKey(secret=secret, key=key)


def _require_working(key: ApiKey, now: datetime) -> None:
    expired = key.expires_at is not None and key.expires_at <= now
    if key.revoked_at is not None or expired:
        raise Conflict("This key works no more.", hint="Issue a new key for the agent.")
    if key.rotated_to_id is not None:
        raise Conflict("This key was rotated already.", hint="Rotate the key that took its place.")


def _parse_deadline(value: object) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, datetime) and value.tzinfo is not None:
        deadline = value
    elif isinstance(value, str):
        deadline = parse_instant(value, field="expires_at")
    else:
        raise InvalidArgument(
            "expires_at must be a time with an offset.",
            hint="Write ISO 8601, for example 2027-01-31T00:00:00+00:00.",
            field="expires_at",
        )
    if deadline <= timezone.now():
        raise InvalidArgument(
            "expires_at lies in the past.", hint="Send a time to come, or none.", field="expires_at"
        )
    return deadline


def _parse_rate(value: object) -> int | None:
    if value is None:
        return None
    return parse_integer(
        value, field="requests_per_minute", least=1, most=RATE_LIMIT, default=RATE_LIMIT
    )
