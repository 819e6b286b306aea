"""What REST answers about who may do what: the organization, banks, people, agents, keys."""

from __future__ import annotations

from typing import Any

from accounts.models import (
    AccessEvent,
    Agent,
    ApiKey,
    Connection,
    Invitation,
    Membership,
    Organization,
)
from memory_app.domain.times import iso
from memory_app.queries.access import Access
from memory_app.rest.replies import present
from memory_app.services.bank_bin import BinnedBank

_FIXED = ("embedding_model", "dimensions", "text_search", "chunker")
_TUNABLE = (
    "auto_link",
    "auto_link_threshold",
    "duplicate_threshold",
    "related_threshold",
    "verdict_threshold",
    "acting_threshold",
    "freshness_weight",
    "freshness_days",
    "history_days",
    "review_mode",
)


def organization_reply(organization: Organization) -> dict[str, Any]:
    return {
        "id": organization.id,
        "slug": organization.slug,
        "name": organization.name,
        "requires_mfa": organization.requires_mfa,
        "created_at": iso(organization.created_at),
    } | present(
        daily_operation_cap=organization.daily_operation_cap,
        deletion_requested_at=organization.deletion_requested_at,
    )


def bank_reply(access: Access) -> dict[str, Any]:
    """A bank as this credential holds it; `fixed` was decided at creation."""
    bank = access.bank
    return {
        "id": bank.id,
        "slug": bank.slug,
        "name": bank.name,
        "visibility": bank.visibility,
        "tier": access.tier,
        "created_at": iso(bank.created_at),
        "head_watermark": bank.head_watermark,
        "fixed": {name: getattr(bank, name) for name in _FIXED},
        "settings": {name: getattr(bank, name) for name in _TUNABLE},
    } | present(description=bank.description)


def agent_reply(agent: Agent) -> dict[str, Any]:
    return {
        "id": agent.id,
        "slug": agent.slug,
        "name": agent.name,
        "created_at": iso(agent.created_at),
    } | present(
        description=agent.description, created_by=agent.created_by, paused_at=agent.paused_at
    )


def connection_reply(connection: Connection) -> dict[str, Any]:
    return {
        "id": connection.id,
        "agent": connection.agent_id,
        "bank": connection.bank_id,
        "tier": connection.tier,
        "toolsets": list(connection.toolsets),
        "created_at": iso(connection.created_at),
    } | present(
        paused_at=connection.paused_at,
        last_seen_at=connection.last_seen_at,
        last_client=connection.last_client,
    )


def key_reply(key: ApiKey) -> dict[str, Any]:
    """Never the secret, which is stored nowhere."""
    return {
        "id": key.id,
        "agent": key.agent_id,
        "preview": key.preview,
        "created_by": key.created_by,
        "created_at": iso(key.created_at),
    } | present(
        name=key.name,
        requests_per_minute=key.requests_per_minute,
        expires_at=key.expires_at,
        last_used_at=key.last_used_at,
        revoked_at=key.revoked_at,
        rotated_to=key.rotated_to_id,
    )


def binned_reply(binned: BinnedBank) -> dict[str, Any]:
    """A bank in the bin, and when it goes for good."""
    bank = binned.bank
    return {
        "id": bank.id,
        "slug": bank.slug,
        "name": bank.name,
        "purged_after": iso(binned.purged_after),
    } | present(deleted_at=bank.deleted_at)


def person_reply(member: Membership, secured: set[str]) -> dict[str, Any]:
    """A person by the person's own id, with `user` loaded; `secured` have a second factor."""
    return {
        "id": member.user_id,
        "email": member.user.email,
        "role": member.role,
        "second_factor": member.user_id in secured,
        "joined_at": iso(member.created_at),
    } | present(name=member.user.name)


def invitation_reply(invitation: Invitation) -> dict[str, Any]:
    """Never the token, which only the mail or the first answer holds."""
    return {
        "id": invitation.id,
        "email": invitation.email,
        "role": invitation.role,
        "created_at": iso(invitation.created_at),
        "expires_at": iso(invitation.expires_at),
    } | present(invited_by=invitation.invited_by_id)


def access_event_reply(event: AccessEvent) -> dict[str, Any]:
    """One line of the access log."""
    return {
        "id": event.id,
        "at": iso(event.created_at),
        "operation": event.operation,
        "target": event.target,
        "actor": event.actor,
        "details": event.details,
    } | present(reason=event.reason, request_id=event.request_id, door=event.door)
