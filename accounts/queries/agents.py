"""What an actor may see of agents, connections and keys; call inside `acting_as`."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch, Q, QuerySet

from accounts.actor import Actor
from accounts.models import Agent, ApiKey, Connection
from accounts.queries.banks import seen_banks
from accounts.references import by_id_or_slug
from memory_app.domain.errors import NotFound

KEYS_SHOWN = 4


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPage:
    """Agents by name with connections and `newest_keys` loaded, and where the next page starts."""

    items: tuple[Agent, ...]
    next_cursor: str | None


def agents_page(actor: Actor, *, after: str | None = None, limit: int = 25) -> AgentPage:
    """Three queries, and one more for a later page. Raises `NotFound` for an `after` that is gone."""
    rows = visible_agents(actor).prefetch_related(
        Prefetch("connections", visible_connections(actor)),
        Prefetch("api_keys", ApiKey.objects.order_by("-id")[:KEYS_SHOWN], to_attr="newest_keys"),
    )
    if after is not None:
        last = find_agent(actor, after)
        rows = rows.filter(Q(name__gt=last.name) | Q(name=last.name, id__gt=last.id))
    found = tuple(rows[: limit + 1])
    items = found[:limit]
    return AgentPage(items=items, next_cursor=items[-1].id if len(found) > limit else None)


def keys_page(
    actor: Actor, agent: Agent, *, after: str | None = None, limit: int = 50
) -> tuple[tuple[ApiKey, ...], str | None]:
    """An agent's keys, newest first, and where the next page starts. One query."""
    rows = visible_keys(actor).filter(agent_id=agent.id)
    if after is not None:
        rows = rows.filter(id__lt=after)
    found = tuple(rows[: limit + 1])
    items = found[:limit]
    return items, items[-1].id if len(found) > limit else None


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
