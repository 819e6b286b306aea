"""Agents and what they may do where."""

from __future__ import annotations

from typing import Any

from accounts.services import agents, connections
from memory_app.rest.access_replies import agent_reply, connection_reply
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.access import (
    AgentChangesIn,
    AgentIn,
    AgentOut,
    AgentsOut,
    ConnectionChangesIn,
    ConnectionIn,
    ConnectionOut,
    ConnectionsOut,
    DisconnectedOut,
    HeldListIn,
    NamedListIn,
)
from memory_app.services.idempotency import Reply


class Agents(Endpoint):
    @operation(
        "list_agents",
        "Agents by name; an agent sees itself",
        query=NamedListIn,
        answer=AgentsOut,
        group="agents",
    )
    def get(self, call: Call) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            found = agents.list_agents(call.actor, after=after, limit=limit, **filters)
            return [agent_reply(agent) for agent in found.items], found.next_cursor

        return call.page("agents", rows, of="agents")

    @operation(
        "create_agent",
        "Make an agent (people)",
        body=AgentIn,
        answers={201: AgentOut},
        group="agents",
    )
    def post(self, call: Call) -> Reply:
        agent = agents.create_agent(call.actor, **call.given)
        return Reply(status=201, body=agent_reply(agent))


class OneAgent(Endpoint):
    @operation("get_agent", "One agent by id or slug", answer=AgentOut, group="agents")
    def get(self, call: Call, agent: str) -> Body:
        return agent_reply(agents.get_agent(call.actor, agent))

    @operation(
        "update_agent",
        "Rename or describe an agent (administrators, and its maker)",
        body=AgentChangesIn,
        answer=AgentOut,
        group="agents",
    )
    def patch(self, call: Call, agent: str) -> Body:
        return agent_reply(agents.update_agent(call.actor, agent, **call.given))


class PauseAgent(Endpoint):
    @operation("pause_agent", "Stop all keys of an agent", answer=AgentOut, group="agents")
    def post(self, call: Call, agent: str) -> Body:
        return agent_reply(agents.pause_agent(call.actor, agent))


class ResumeAgent(Endpoint):
    @operation(
        "resume_agent", "Let a paused agent's keys work again", answer=AgentOut, group="agents"
    )
    def post(self, call: Call, agent: str) -> Body:
        return agent_reply(agents.resume_agent(call.actor, agent))


class Connections(Endpoint):
    @operation(
        "list_connections",
        "Which agent may do what in which bank, newest first",
        query=HeldListIn,
        answer=ConnectionsOut,
        group="connections",
    )
    def get(self, call: Call) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            found = connections.list_connections(call.actor, after=after, limit=limit, **filters)
            return [connection_reply(row) for row in found.items], found.next_cursor

        return call.page("connections", rows, of="connections")

    @operation(
        "create_connection",
        "Connect an agent to a bank (administrators, and the agent's maker)",
        body=ConnectionIn,
        answers={201: ConnectionOut},
        group="connections",
    )
    def post(self, call: Call) -> Reply:
        connection = connections.connect(call.actor, **call.given)
        return Reply(status=201, body=connection_reply(connection))


class OneConnection(Endpoint):
    @operation("get_connection", "One connection", answer=ConnectionOut, group="connections")
    def get(self, call: Call, connection: str) -> Body:
        return connection_reply(connections.get_connection(call.actor, connection))

    @operation(
        "update_connection",
        "Another tier or other toolsets, from the next request on",
        body=ConnectionChangesIn,
        answer=ConnectionOut,
        group="connections",
    )
    def patch(self, call: Call, connection: str) -> Body:
        changed = connections.change_connection(call.actor, connection, **call.given)
        return connection_reply(changed)

    @operation(
        "delete_connection",
        "Disconnect; what the agent wrote stays",
        answer=DisconnectedOut,
        group="connections",
    )
    def delete(self, call: Call, connection: str) -> Body:
        connections.disconnect(call.actor, connection)
        return {"id": connection, "removed": True}


class PauseConnection(Endpoint):
    @operation(
        "pause_connection",
        "Until it is resumed the agent has what an unconnected agent has",
        answer=ConnectionOut,
        group="connections",
    )
    def post(self, call: Call, connection: str) -> Body:
        return connection_reply(connections.pause_connection(call.actor, connection))


class ResumeConnection(Endpoint):
    @operation("resume_connection", "End the pause", answer=ConnectionOut, group="connections")
    def post(self, call: Call, connection: str) -> Body:
        resumed = connections.pause_connection(call.actor, connection, paused=False)
        return connection_reply(resumed)
