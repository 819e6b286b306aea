"""Repeated and too many requests over MCP (case 114): the same rules as on REST."""

from __future__ import annotations

import anyio

from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.connections import connect
from memory_app.services import usage
from tests.factories import World
from tests.mcp.client import called, connected, mcp_call, mcp_key

META = {"idempotencyKey": "5d0c1f2e"}
STATEMENT = {"content": "The gate is red."}


def test_the_same_request_gets_the_first_answer_again(world: World) -> None:
    first = mcp_call(world, "create_memory", STATEMENT, meta=META)
    second = mcp_call(world, "create_memory", STATEMENT, meta=META, mode="legacy")

    assert first.reply["status"] == "created"
    assert second.reply == first.reply
    assert second.text == first.text
    assert usage.today(world.person).operations == 1


def test_another_request_under_the_same_key_is_refused(world: World) -> None:
    mcp_call(world, "create_memory", STATEMENT, meta=META)

    refused = mcp_call(world, "create_memory", {"content": "The gate is blue."}, meta=META)

    assert refused.error["code"] == "idempotency_key_reused"
    assert len(mcp_call(world, "search_memory").reply["memories"]) == 1


def test_a_refused_request_leaves_its_key_free(world: World) -> None:
    refused = mcp_call(world, "create_memory", {"content": " "}, meta=META)
    saved = mcp_call(world, "create_memory", STATEMENT, meta=META)

    assert refused.error["field"] == "content"
    assert saved.reply["status"] == "created"


def test_another_agents_key_is_another_key(world: World) -> None:
    other = create_agent(world.person, name="Other")
    connect(world.person, agent=other.id, bank=world.bank.id)
    secret = issue_key(world.person, agent=other.id).secret
    mcp_call(world, "create_memory", STATEMENT, meta=META)

    independent = mcp_call(
        world, "create_memory", {"content": "The gate is blue."}, meta=META, key=secret
    )

    assert independent.reply["status"] == "created"


def test_thirty_two_at_once_have_one_effect(world: World) -> None:
    """Every one of them gets the one answer, or is told that the first is still running."""
    key = mcp_key(world)
    answers = []

    async def calling() -> None:
        async with connected(key) as client:
            answers.append(called(await client.call_tool("create_memory", STATEMENT, meta=META)))

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(32):
                group.start_soon(calling)

    anyio.run(all_at_once)

    told = {answer.error.get("code") or answer.reply["status"] for answer in answers}
    ids = {answer.reply["memory"]["id"] for answer in answers if answer.reply}
    assert told <= {"created", "conflict"}
    assert len(ids) == 1
    assert usage.today(world.person).writes == 1


def test_over_the_rate_the_call_is_refused_with_when_to_come_back(world: World) -> None:
    key = issue_key(world.person, agent=world.agent.id, requests_per_minute=1).secret
    mcp_call(world, "search_memory", key=key)

    refused = mcp_call(world, "create_memory", STATEMENT, key=key)

    assert refused.error["code"] == "rate_limited"
    assert "second" in f"{refused.error}"
    assert mcp_call(world, "search_memory").reply["memories"] == []
