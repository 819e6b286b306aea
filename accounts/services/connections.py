"""Connections: which bank an agent reaches, with which tier and which toolsets."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

from django.db import IntegrityError
from django.db.models import Q
from django.utils import timezone

from accounts.actor import TIER_ORDER, Actor, Tier
from accounts.models import TOOLSETS, Agent, Connection
from accounts.queries.agents import connections_page, find_agent, find_connection
from accounts.queries.banks import find_bank_id
from accounts.queries.pages import Page
from accounts.roles import require_own
from accounts.services.audit import record, refuse_if_changed
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.ids import is_id

DEFAULT_TIER: Tier = "read_write"
SEEN_SECONDS = 20
# By connection, when this process last noted a visit; forgetting costs one statement.
_noted: dict[str, float] = {}
_NOTED_MOST = 10_000


def parse_tier(value: object) -> Tier:
    """One of the nested tiers (A16); absent means `read_write`."""
    if value is None:
        return DEFAULT_TIER
    if not isinstance(value, str) or value not in TIER_ORDER:
        raise InvalidArgument(
            f"tier must be one of {', '.join(TIER_ORDER)}, not {value!r:.40}.",
            hint="Each tier includes the ones before it.",
            field="tier",
        )
    return value


def parse_toolsets(value: object) -> list[str]:
    """Names of toolsets in their usual order, from a list or comma-separated; absent: essential."""
    if value is None:
        return ["essential"]
    names = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not names:
        raise InvalidArgument(
            "toolsets must be a list with at least one name.",
            hint=f"Names: {', '.join(TOOLSETS)}.",
            field="toolsets",
        )
    unknown = [name for name in names if name not in TOOLSETS]
    if unknown:
        raise InvalidArgument(
            f"toolsets has an unknown name: {unknown[0]!r:.40}.",
            hint=f"Names: {', '.join(TOOLSETS)}.",
            field="toolsets",
        )
    return [name for name in TOOLSETS if name in names]


def connect(
    actor: Actor,
    *,
    agent: str,
    bank: str,
    tier: object = None,
    toolsets: object = None,
    paused: bool = False,
) -> Connection:
    """Tie an agent to a bank that the actor sees; both are named by id or slug.

    Administrators, and the agent's maker. Raises `Conflict` when they are connected already.
    """
    wanted, listed = parse_tier(tier), parse_toolsets(toolsets)
    try:
        with acting_as(actor):
            found, bank_id = find_agent(actor, agent), find_bank_id(actor, bank)
            require_own(actor, found.created_by, to="connect this agent")
            connection = Connection.objects.create(
                organization_id=actor.organization_id,
                agent=found,
                bank_id=bank_id,
                tier=wanted,
                toolsets=listed,
                created_by=actor.id,
                paused_at=timezone.now() if paused else None,
            )
            record(
                actor,
                "connection.created",
                connection.id,
                agent=found.id,
                bank=bank_id,
                tier=wanted,
                toolsets=listed,
            )
    except IntegrityError:
        raise Conflict(
            "This agent is connected to this bank already.",
            hint="Change the tier or toolsets of the existing connection.",
        ) from None
    return connection


def change_connection(
    actor: Actor,
    connection: str,
    *,
    tier: object = None,
    toolsets: object = None,
    expected: Mapping[str, Any] | None = None,
) -> Connection:
    """Another tier or other toolsets, from the next request on; None leaves a value as it is.

    Raises `Conflict` where a value isn't as `expected`.
    """
    with acting_as(actor):
        found = _locked(_find_own(actor, connection))
        before = {"tier": found.tier, "toolsets": found.toolsets}
        refuse_if_changed(expected, before)
        found.tier = found.tier if tier is None else parse_tier(tier)
        found.toolsets = found.toolsets if toolsets is None else parse_toolsets(toolsets)
        after = {"tier": found.tier, "toolsets": found.toolsets}
        if after != before:
            found.save(update_fields=["tier", "toolsets"])
            about = {"agent": found.agent_id, "bank": found.bank_id}
            record(actor, "connection.changed", found.id, before=before, after=after, **about)
    return found


def pause_connection(actor: Actor, connection: str, *, paused: bool = True) -> Connection:
    """While paused the agent has in this bank what an unconnected agent has."""
    with acting_as(actor):
        found = _find_own(actor, connection)
        if (found.paused_at is not None) != paused:
            found.paused_at = timezone.now() if paused else None
            found.save(update_fields=["paused_at"])
            record(actor, "connection.paused" if paused else "connection.resumed", found.id)
    return found


def disconnect(actor: Actor, connection: str) -> None:
    """Remove the connection; what the agent wrote stays."""
    with acting_as(actor):
        found = _find_own(actor, connection)
        record(
            actor,
            "connection.removed",
            found.id,
            agent=found.agent_id,
            bank=found.bank_id,
            tier=found.tier,
            toolsets=found.toolsets,
            paused=found.paused_at is not None,
        )
        Connection.objects.filter(id=found.id).delete()


def list_connections(
    actor: Actor,
    *,
    agent: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page[Connection]:
    """A page of what the actor sees, newest first, of one agent where one is named."""
    with acting_as(actor):
        return connections_page(
            actor,
            agent_id=None if agent is None else find_agent(actor, agent).id,
            after=after,
            limit=limit,
        )


def get_connection(actor: Actor, connection: str) -> Connection:
    with acting_as(actor):
        return find_connection(actor, connection)


def note_seen(actor: Actor, connection_id: str | None, *, client: str = "") -> None:
    """Remember when the agent was last here, for the connect page; at most every 20 seconds."""
    if connection_id is not None:
        _remember_visit(actor, connection_id, Q(id=connection_id), client)


def note_seen_at(actor: Actor, bank: str) -> None:
    """`note_seen` for a door that knows the bank's slug or id and not yet the connection.

    A person, or a bank the agent has no connection to, is nothing to remember.
    """
    if actor.kind == "agent":
        named = Q(bank=bank) if is_id("bank", bank) else Q(bank__slug=bank)
        where = named & Q(agent__id=actor.id)
        _remember_visit(actor, f"{actor.id}:{bank}", where, actor.client)


def _remember_visit(actor: Actor, name: str, where: Q, client: str) -> None:
    """The row is written when this process noted the last visit longer ago than `SEEN_SECONDS`."""
    moment = monotonic()
    if _noted.get(name, -SEEN_SECONDS) > moment - SEEN_SECONDS:
        return
    if len(_noted) >= _NOTED_MOST:
        _noted.clear()
    _noted[name] = moment
    with acting_as(actor, relaxed=True):
        Connection.objects.filter(where).update(
            last_seen_at=timezone.now(), last_client=client[:300]
        )


def _locked(connection: Connection) -> Connection:
    """The row as it stands, held to the end of the transaction; agent and bank stay loaded."""
    rows = Connection.objects.select_for_update(of=("self",)).select_related("agent", "bank")
    return rows.get(id=connection.id)


def _find_own(actor: Actor, connection: str) -> Connection:
    found = find_connection(actor, connection)
    agent: Agent = found.agent
    require_own(actor, agent.created_by, to="change this connection")
    return found
