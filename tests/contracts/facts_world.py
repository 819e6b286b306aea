"""What the tests of contract D share: one call of a tool, an episode, a query."""

from __future__ import annotations

from typing import Any

from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.connections import connect as connect_agent
from memory_app.services import documents_queue
from tests.factories import World
from tests.mcp.client import Called, mcp_call

WORKS = "Ana works at Acme since May."
MOVED = "Ana works at Acme as its director."


def fact(source: str, relation: str, target: str, text: str = "", **more: str) -> dict[str, str]:
    return {
        "source": source,
        "target": target,
        "relation_type": relation,
        "fact": text or f"{source} {relation.replace('_', ' ')} {target}.",
        "confidence": "extracted",
        **more,
    }


def call(world: World, tool: str, *, key: str | None = None, **arguments: Any) -> Called:
    return mcp_call(world, tool, {"scope": "shared", **arguments}, key=key)


def write(world: World, *facts: dict[str, str], **more: Any) -> dict[str, Any]:
    names = dict.fromkeys(end for one in facts for end in (one["source"], one["target"]))
    written = call(
        world,
        "write_episode",
        session_id="s1",
        facts=list(facts),
        entities=[{"name": name, "type": "thing"} for name in names],
        **more,
    )
    assert not written.error, written.text
    return written.reply


def query(world: World, **arguments: Any) -> list[dict[str, Any]]:
    found = call(world, "query_memory", **arguments)
    assert not found.error, found.text
    return list(found.reply["facts"])


def texts(facts: list[dict[str, Any]]) -> list[str]:
    return [one["fact"] for one in facts]


def second_agent(world: World) -> str:
    """The key of another agent in the same bank."""
    agent = create_agent(world.person, name="Second")
    connect_agent(world.person, agent=agent.id, bank="main", toolsets="facts")
    return issue_key(world.person, agent=agent.id).secret


def queue(world: World, *paths: str, project: str = "", digest: str = "") -> list[str]:
    given = [{"path": path, "digest": digest} for path in paths]
    found = documents_queue.queue(
        world.caller, "main", documents_queue.parse_queueing(given), project=project
    )
    return [row.path for row in found.queued]
