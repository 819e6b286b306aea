"""The shortest way for a client to join a bank: agent, connection and key in one go."""

from __future__ import annotations

from contextlib import suppress

from accounts.actor import Actor
from accounts.models import Agent
from accounts.queries.agents import visible_agents
from accounts.services.agents import NAME_LIMIT, create_agent
from accounts.services.api_keys import IssuedKey, issue_key
from accounts.services.connections import connect
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.text import clean


def join_client(actor: Actor, *, name: str, bank: str, tier: object = None) -> IssuedKey:
    """A new key for the agent of that name, which is made and connected where it is missing.

    A connection that is there keeps its tier. Three transactions: what was made stays when a later
    step is refused. Members may make agents; a key for somebody else's takes an administrator.
    """
    cleaned = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
    agent = _named(actor, cleaned)
    if agent is None:
        try:
            agent = create_agent(actor, name=cleaned)
        except Conflict:  # the same form, sent twice at once: the other one made it
            agent = _named(actor, cleaned)
            if agent is None:
                raise
    with suppress(Conflict):
        connect(actor, agent=agent.id, bank=bank, tier=tier)
    return issue_key(actor, agent=agent.id)


def _named(actor: Actor, name: str) -> Agent | None:
    with acting_as(actor):
        return visible_agents(actor).filter(name__iexact=name).first()
