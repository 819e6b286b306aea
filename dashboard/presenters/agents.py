"""Agents with what each may do in which bank, and the keys it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.models import TOOLSETS, Agent, ApiKey, Connection
from accounts.queries.names import ActorName
from dashboard.place import Place
from dashboard.presenters.filters import address
from memory_app.models import Bank
from memory_app.queries.sidebar import Sidebar

TIERS = {"read": "read", "read_write": "read and add", "full": "everything"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionView:
    id: str
    bank: str
    paused: bool
    last_seen_at: datetime | None
    tier_label: str
    tiers: tuple[Choice, ...]
    toolsets: tuple[str, ...]
    choices: tuple[Choice, ...]
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyView:
    preview: str
    created_at: datetime
    created_by: str
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked: bool
    expired: bool
    rotated: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    id: str
    name: str
    paused: bool
    last_used_at: datetime | None
    connections: tuple[ConnectionView, ...]
    keys: tuple[KeyView, ...]
    connectable: tuple[Bank, ...]
    activity_url: str
    pause_url: str
    connect_url: str
    key_url: str


def present_agents(
    place: Place, agents: Iterable[Agent], sidebar: Sidebar, names: Mapping[str, ActorName]
) -> list[AgentView]:
    """Agents loaded with `agents_with_access`; no query of its own."""
    return [_agent(place, agent, sidebar, names) for agent in agents]


def _agent(
    place: Place, agent: Agent, sidebar: Sidebar, names: Mapping[str, ActorName]
) -> AgentView:
    connections = tuple(agent.connections.all())
    keys = tuple(agent.api_keys.all())
    connected = {connection.bank_id for connection in connections}
    return AgentView(
        id=agent.id,
        name=agent.name,
        paused=agent.paused_at is not None,
        last_used_at=max((key.last_used_at for key in keys if key.last_used_at), default=None),
        connections=tuple(_connection(place, each) for each in connections),
        keys=tuple(_key(place, key, names) for key in keys),
        connectable=tuple(
            access.bank for access in sidebar.banks if access.bank.id not in connected
        ),
        activity_url=address(place.url("activity"), {"who": agent.id}),
        pause_url=place.url("agent-pause", agent.id),
        connect_url=place.url("agent-connect", agent.id),
        key_url=place.url("agent-key", agent.id),
    )


def _connection(place: Place, connection: Connection) -> ConnectionView:
    return ConnectionView(
        id=connection.id,
        bank=connection.bank.name,
        paused=connection.paused_at is not None,
        last_seen_at=connection.last_seen_at,
        tier_label=TIERS[connection.tier],
        tiers=tuple(
            Choice(value=value, label=label, chosen=value == connection.tier)
            for value, label in TIERS.items()
        ),
        toolsets=tuple(connection.toolsets),
        choices=tuple(
            Choice(value=name, label=name, chosen=name in connection.toolsets) for name in TOOLSETS
        ),
        url=place.url("connection", connection.id),
    )


def _key(place: Place, key: ApiKey, names: Mapping[str, ActorName]) -> KeyView:
    return KeyView(
        preview=key.preview,
        created_at=key.created_at,
        created_by=names[key.created_by].name,
        last_used_at=key.last_used_at,
        expires_at=key.expires_at,
        revoked=key.revoked_at is not None,
        expired=key.expires_at is not None and key.expires_at <= timezone.now(),
        rotated=key.rotated_to_id is not None,
        url=place.url("key", key.id),
    )
