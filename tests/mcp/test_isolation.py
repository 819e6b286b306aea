"""Many callers at once: nothing leaks from one to another, and nobody waits for everybody."""

from __future__ import annotations

import threading
from typing import Any, Literal

import anyio
import pytest
from mcp import Client

from accounts.actor import Actor
from accounts.services.connections import get_connection
from memory_app.recall.values import Query
from memory_app.services import recalling
from tests.factories import World
from tests.mcp.client import Mode, called, connected, mcp_call, mcp_key


def test_forty_sessions_of_two_tenants_see_only_their_own(world: World, stranger: World) -> None:
    keys = {name: mcp_key(one) for name, one in (("ours", world), ("theirs", stranger))}
    mcp_call(world, "create_memory", {"content": "The ours gate is red."})
    mcp_call(stranger, "create_memory", {"content": "The theirs gate is blue."})
    seen: list[tuple[str, list[str]]] = []

    async def session(name: str, mode: Mode) -> None:
        async with connected(keys[name], mode=mode) as client:
            found = await client.call_tool("search_memory", {"query": "gate", "limit": 50})
            texts = [hit["content"] for hit in found.structured_content["memories"]]
            seen.append((name, texts))

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for number in range(40):
                name, mode = _pair(number)
                group.start_soon(session, name, mode)

    anyio.run(all_at_once)

    assert sorted(seen) == sorted(
        [("ours", ["The ours gate is red."])] * 20 + [("theirs", ["The theirs gate is blue."])] * 20
    )


def test_calls_run_side_by_side(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits inside its call until twenty are there; in one thread the first would wait forever."""
    together = threading.Barrier(20)
    real = recalling.search

    def waiting(actor: Actor, bank: str | None, query: Query) -> Any:
        together.wait(timeout=20)
        return real(actor, bank, query)

    monkeypatch.setattr(recalling, "search", waiting)
    key, answers = mcp_key(world), []

    async def call(client: Client) -> None:
        answers.append(called(await client.call_tool("search_memory", {})))

    async def twenty() -> None:
        async with connected(key) as client, anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(call, client)

    anyio.run(twenty)

    assert [answer.error for answer in answers] == [{}] * 20


def test_a_fault_of_ours_is_told_without_its_inside(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_given: Any) -> Any:
        raise ZeroDivisionError("secret inside")

    monkeypatch.setattr(recalling, "search", broken)

    failed = mcp_call(world, "search_memory")

    assert failed.error["code"] == "internal_error"
    assert "secret" not in failed.text


def test_the_connection_remembers_who_was_last_here(world: World) -> None:
    mcp_call(world, "search_memory", client="weaver/2.1")

    seen = get_connection(world.person, world.connection.id)

    assert seen.last_seen_at is not None
    assert seen.last_client == "weaver/2.1"


def _pair(number: int) -> tuple[Literal["ours", "theirs"], Mode]:
    return ("ours", "theirs")[number % 2], ("auto", "legacy")[number // 2 % 2]
