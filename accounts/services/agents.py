"""Agents: made, renamed, paused and resumed by people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.utils import timezone

from accounts.actor import Actor
from accounts.models import Agent
from accounts.queries.agents import agents_page, find_agent
from accounts.queries.pages import Page
from accounts.roles import require_own, require_role
from accounts.services.audit import record, refuse_if_changed
from accounts.slugs import choose_slug, slug_taken
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.text import clean

NAME_LIMIT = 120
DESCRIPTION_LIMIT = 500
NAME_CONSTRAINT = "agents_name"


def create_agent(
    actor: Actor, *, name: object, slug: object = None, description: object = ""
) -> Agent:
    """An agent with no connection and no key. Members may. Raises `Conflict` for a taken slug or
    name: two agents of one name could not be told apart.
    """
    require_role(actor, "member", to="create an agent")
    cleaned = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
    about = clean(description, field="description", limit=DESCRIPTION_LIMIT)
    try:
        with acting_as(actor):
            mine = Agent.objects.filter(organization_id=actor.organization_id)
            chosen = choose_slug(
                slug, cleaned, taken=lambda slug: mine.filter(slug=slug).exists(), kind="agent"
            )
            agent = Agent.objects.create(
                organization_id=actor.organization_id,
                name=cleaned,
                slug=chosen,
                description=about,
                created_by=actor.id,
            )
            record(actor, "agent.created", agent.id, name=cleaned)
    except IntegrityError as error:
        if NAME_CONSTRAINT in str(error):
            raise _name_taken(cleaned) from None
        raise slug_taken(chosen, "agent") from None
    return agent


def update_agent(
    actor: Actor,
    agent: str,
    *,
    name: object = None,
    description: object = None,
    expected: Mapping[str, Any] | None = None,
) -> Agent:
    """Rename or describe; the slug stays. Administrators, and the agent's maker.

    Raises `Conflict` for a taken name, and where a value isn't as `expected`.
    """
    try:
        with acting_as(actor):
            seen = find_agent(actor, agent)
            require_own(actor, seen.created_by, to="change this agent")
            found = Agent.objects.select_for_update().get(id=seen.id)
            before = _said(found)
            refuse_if_changed(expected, before)
            if name is not None:
                found.name = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
            if description is not None:
                found.description = clean(description, field="description", limit=DESCRIPTION_LIMIT)
            after = _said(found)
            if after != before:
                found.save(update_fields=["name", "description"])
                record(actor, "agent.updated", found.id, before=before, after=after)
    except IntegrityError:
        raise _name_taken(found.name) from None
    return found


def pause_agent(actor: Actor, agent: str) -> Agent:
    """Every key of the agent stops at once, until it is resumed. Pausing twice changes nothing."""
    return _set_paused(actor, agent, paused=True)


def resume_agent(actor: Actor, agent: str) -> Agent:
    """The agent's keys work again, except those that expired or were revoked meanwhile."""
    return _set_paused(actor, agent, paused=False)


def list_agents(
    actor: Actor, *, name: str = "", after: str | None = None, limit: int = 50
) -> Page[Agent]:
    """A page of the agents that the actor sees, by name, as in `agents_page`."""
    with acting_as(actor):
        return agents_page(actor, named=name, after=after, limit=limit)


def get_agent(actor: Actor, agent: str) -> Agent:
    """One agent by id or slug."""
    with acting_as(actor):
        return find_agent(actor, agent)


def _said(agent: Agent) -> dict[str, Any]:
    return {"name": agent.name, "description": agent.description}


def _name_taken(name: str) -> Conflict:
    return Conflict(
        f"There is an agent named '{name}' already.",
        hint="Choose another name, or make a key for the agent that is there.",
        field="name",
    )


def _set_paused(actor: Actor, agent: str, *, paused: bool) -> Agent:
    with acting_as(actor):
        found = find_agent(actor, agent)
        require_own(actor, found.created_by, to="pause or resume this agent")
        if (found.paused_at is not None) != paused:
            found.paused_at = timezone.now() if paused else None
            found.save(update_fields=["paused_at"])
            record(actor, "agent.paused" if paused else "agent.resumed", found.id)
    return found
