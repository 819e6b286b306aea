"""What an actor may see of agents, connections and keys; call inside `acting_as`."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet

from accounts.actor import Actor
from accounts.models import Agent, ApiKey, Connection
from accounts.queries.banks import seen_banks
from accounts.references import by_id_or_slug
from memory_app.domain.errors import NotFound


def visible_agents(actor: Actor) -> QuerySet[Agent]:
    """People see every agent of the organization, an agent only itself."""
    agents = Agent.objects.filter(organization_id=actor.organization_id).order_by("name", "id")
    return agents.filter(id=actor.id) if actor.kind == "agent" else agents


def agents_with_access(actor: Actor) -> QuerySet[Agent]:
    """Visible agents with `connections` (and banks) and `api_keys` loaded: three queries."""
    return visible_agents(actor).prefetch_related(
        Prefetch("connections", visible_connections(actor)),
        Prefetch("api_keys", ApiKey.objects.order_by("-id")),
    )


def find_agent(actor: Actor, reference: str) -> Agent:
    """By id or slug. Raises `NotFound`, alike for an unknown agent and one that can't be seen."""
    found = visible_agents(actor).filter(by_id_or_slug("agent", reference)).first()
    if found is None:
        raise NotFound("agent")
    return found


def visible_connections(actor: Actor) -> QuerySet[Connection]:
    """With agent and bank loaded. An agent sees its own, a person those to banks that it sees."""
    rows = Connection.objects.filter(organization_id=actor.organization_id, bank__deleted_at=None)
    rows = rows.select_related("agent", "bank").order_by("agent__name", "bank__name", "id")
    if actor.kind == "agent":
        return rows.filter(agent_id=actor.id)
    return rows.filter(seen_banks(actor, "bank__"))


def find_connection(actor: Actor, reference: str) -> Connection:
    """By id. Raises `WrongIdPrefix` or `NotFound`."""
    found = visible_connections(actor).filter(id=reference).first()
    if found is None:
        raise NotFound("connection")
    return found


def visible_keys(actor: Actor) -> QuerySet[ApiKey]:
    """Newest first, with the agent loaded; an agent sees its own."""
    rows = ApiKey.objects.filter(organization_id=actor.organization_id)
    rows = rows.select_related("agent").order_by("-id")
    return rows.filter(agent_id=actor.id) if actor.kind == "agent" else rows


def find_key(actor: Actor, reference: str) -> ApiKey:
    """By id. Raises `WrongIdPrefix` or `NotFound`."""
    found = visible_keys(actor).filter(id=reference).first()
    if found is None:
        raise NotFound("key")
    return found
