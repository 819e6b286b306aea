"""What an actor may see of agents, connections and keys; call inside `acting_as`."""

from __future__ import annotations

from django.db.models import Prefetch, Q, QuerySet

from accounts.actor import Actor
from accounts.models import Agent, ApiKey, Connection
from accounts.queries.banks import seen_banks
from accounts.queries.pages import Page, beyond, cut
from accounts.references import by_id_or_slug
from memory_app.domain.errors import NotFound

KEYS_SHOWN = 4
CONNECTIONS_SHOWN = 10


def visible_agents(actor: Actor) -> QuerySet[Agent]:
    """People see every agent of the organization, an agent only itself."""
    agents = Agent.objects.filter(organization_id=actor.organization_id).order_by("name", "id")
    return agents.filter(id=actor.id) if actor.kind == "agent" else agents


def agents_page(
    actor: Actor, *, named: str = "", after: str | None = None, limit: int = 50
) -> Page[Agent]:
    """Visible agents by name, those whose name or slug holds `named`. One query, two for a later
    page. Raises `WrongIdPrefix` and `NotFound` for an `after` that is no agent's id.
    """
    return cut(_page(actor, named, after), limit)


def agents_with_access(
    actor: Actor, *, named: str = "", after: str | None = None, limit: int = 25
) -> Page[Agent]:
    """As `agents_page`, with `newest_keys` and `shown_connections` loaded: two queries more."""
    connections = visible_connections(actor)[: CONNECTIONS_SHOWN + 1]
    rows = _page(actor, named, after).prefetch_related(
        Prefetch("connections", connections, to_attr="shown_connections"),
        Prefetch("api_keys", ApiKey.objects.order_by("-id")[:KEYS_SHOWN], to_attr="newest_keys"),
    )
    return cut(rows, limit)


def keys_page(
    actor: Actor, *, agent_id: str | None = None, after: str | None = None, limit: int = 50
) -> Page[ApiKey]:
    """Visible keys, newest first, with the agent loaded. One query."""
    rows = visible_keys(actor)
    if agent_id is not None:
        rows = rows.filter(agent_id=agent_id)
    return cut(rows if after is None else rows.filter(id__lt=after), limit)


def connections_page(
    actor: Actor,
    *,
    agent_id: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page[Connection]:
    """Visible connections, newest first, with agent and bank loaded. One query."""
    rows = visible_connections(actor).order_by("-id")
    if agent_id is not None:
        rows = rows.filter(agent_id=agent_id)
    return cut(rows if after is None else rows.filter(id__lt=after), limit)


def _page(actor: Actor, named: str, after: str | None) -> QuerySet[Agent]:
    rows = visible_agents(actor)
    if named:
        rows = rows.filter(Q(name__icontains=named) | Q(slug__icontains=named))
    return beyond(rows, Agent.objects.filter(organization_id=actor.organization_id), after)


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
