"""Agents with what each may do in which bank, and the keys it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone

from accounts.models import TOOLSETS, Agent, ApiKey, Connection
from accounts.queries.agents import CONNECTIONS_SHOWN, KEYS_SHOWN
from accounts.queries.names import ActorName
from accounts.queries.pages import Page
from accounts.roles import holds
from dashboard.place import Place
from dashboard.presenters.filters import address
from memory_app.mcp.registry import all_tools
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
    id: str
    preview: str
    name: str
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
    slug: str
    description: str
    created_at: datetime
    created_by: str
    own: bool
    paused: bool
    last_used_at: datetime | None
    connections: tuple[ConnectionView, ...]
    keys: tuple[KeyView, ...]
    connectable: tuple[Bank, ...]
    # Whether there are more banks than `connectable` lists, so that one is named by its address.
    any_bank: bool
    more_connections_url: str
    more_keys: bool
    url: str
    activity_url: str
    reads_url: str
    pause_url: str
    connect_url: str
    key_url: str


def present_agents(
    place: Place,
    agents: Iterable[Agent],
    sidebar: Sidebar,
    names: Mapping[str, ActorName],
) -> list[AgentView]:
    """Agents as `agents_with_access` loads them: some of each one's connections and keys; no query."""
    return [
        _agent(
            place,
            agent,
            sidebar,
            names,
            connections=Page(
                items=_shown(agent)[:CONNECTIONS_SHOWN],
                next_cursor="more" if len(_shown(agent)) > CONNECTIONS_SHOWN else None,
            ),
            keys=_keys(agent),
        )
        for agent in agents
    ]


def present_agent(
    place: Place,
    agent: Agent,
    sidebar: Sidebar,
    names: Mapping[str, ActorName],
    *,
    connections: Page[Connection],
    keys: Sequence[ApiKey],
) -> AgentView:
    """One agent on its own page, with a page of its connections and of its keys."""
    shown = _agent(place, agent, sidebar, names, connections=connections, keys=keys)
    further = {"connections": connections.next_cursor or ""}
    url = address(shown.url, further) if connections.next_cursor else ""
    return replace(shown, more_keys=False, more_connections_url=url)


def makers(agents: Iterable[Agent], keys: Iterable[ApiKey] | None = None) -> set[str]:
    """Who made the agents and the keys, those that were loaded with them where none are given."""
    found = list(agents)
    held = [key for agent in found for key in _keys(agent)] if keys is None else keys
    return {key.created_by for key in held} | {
        agent.created_by for agent in found if agent.created_by
    }


def _agent(
    place: Place,
    agent: Agent,
    sidebar: Sidebar,
    names: Mapping[str, ActorName],
    *,
    connections: Page[Connection],
    keys: Sequence[ApiKey],
) -> AgentView:
    connected = {connection.bank_id for connection in connections.items}
    return AgentView(
        id=agent.id,
        name=agent.name,
        slug=agent.slug,
        description=agent.description,
        created_at=agent.created_at,
        created_by=names[agent.created_by].name if agent.created_by else "",
        own=holds(place.actor, "admin") or agent.created_by == place.actor.id,
        paused=agent.paused_at is not None,
        last_used_at=max((key.last_used_at for key in keys if key.last_used_at), default=None),
        connections=tuple(_connection(place, each) for each in connections.items),
        keys=tuple(_key(place, key, names) for key in keys),
        connectable=tuple(
            access.bank for access in sidebar.banks if access.bank.id not in connected
        ),
        any_bank=sidebar.more_banks,
        more_connections_url=place.url("agent", agent.id) if connections.next_cursor else "",
        more_keys=len(keys) >= KEYS_SHOWN,
        url=place.url("agent", agent.id),
        reads_url=address(place.url("activity"), {"kind": "searched", "who": agent.id}),
        activity_url=address(place.url("activity"), {"who": agent.id}),
        pause_url=place.url("agent-pause", agent.id),
        connect_url=place.url("agent-connect", agent.id),
        key_url=place.url("agent-key", agent.id),
    )


def _keys(agent: Agent) -> tuple[ApiKey, ...]:
    return tuple(agent.newest_keys)  # type: ignore[attr-defined]


def _shown(agent: Agent) -> tuple[Connection, ...]:
    return tuple(agent.shown_connections)  # type: ignore[attr-defined]


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
        choices=_toolsets(connection),
        url=place.url("connection", connection.id),
    )


def _toolsets(connection: Connection) -> tuple[Choice, ...]:
    """What a connection may list. One without tools is shown only where it was given, so that a
    save keeps it.
    """
    full = {tool.toolset for tool in all_tools()}
    return tuple(
        Choice(
            value=name,
            label=name if name in full else f"{name} (no tools yet)",
            chosen=name in connection.toolsets,
        )
        for name in TOOLSETS
        if name in full or name in connection.toolsets
    )


def _key(place: Place, key: ApiKey, names: Mapping[str, ActorName]) -> KeyView:
    return KeyView(
        id=key.id,
        preview=key.preview,
        name=key.name,
        created_at=key.created_at,
        created_by=names[key.created_by].name,
        last_used_at=key.last_used_at,
        expires_at=key.expires_at,
        revoked=key.revoked_at is not None,
        expired=key.expires_at is not None and key.expires_at <= timezone.now(),
        rotated=key.rotated_to_id is not None,
        url=place.url("key", key.id),
    )
