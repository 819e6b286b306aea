"""The official Python client against the ASGI application in this process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from accounts.services.api_keys import issue_key
from tests.factories import World

Mode = Literal["auto", "legacy"]
Answer = TypeVar("Answer")
BASE = "http://localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A tool's result: `reply` is the structured record, `error` the error object of a refusal."""

    text: str
    reply: dict[str, Any]
    error: dict[str, Any]
    result: types.CallToolResult


def mcp_key(world: World) -> str:
    """A new key of the world's agent."""
    return issue_key(world.person, agent=world.agent.id, name="tests").secret


def mcp_call(
    world: World,
    tool: str,
    arguments: dict[str, Any] | None = None,
    *,
    key: str | None = None,
    path: str = "/mcp",
    mode: Mode = "auto",
    meta: dict[str, Any] | None = None,
    client: str = "tests/1.0",
) -> Called:
    """Call one tool as the world's agent, with a key of its own unless one is given."""

    async def calling(session: Client) -> types.CallToolResult:
        return await session.call_tool(tool, arguments or {}, meta=meta)

    return called(
        mcp_session(calling, key=key or mcp_key(world), path=path, mode=mode, client=client)
    )


def mcp_session(
    work: Callable[[Client], Awaitable[Answer]],
    *,
    key: str,
    path: str = "/mcp",
    mode: Mode = "auto",
    client: str = "tests/1.0",
) -> Answer:
    """Run `work` with a connected client."""

    async def running() -> Answer:
        async with connected(key, path=path, mode=mode, client=client) as session:
            return await work(session)

    try:
        return anyio.run(running)
    except BaseExceptionGroup as group:
        raise _innermost(group) from group


@asynccontextmanager
async def connected(
    key: str, *, path: str = "/mcp", mode: Mode = "auto", client: str = "tests/1.0"
) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}", "User-Agent": client}
    async with (
        http(headers) as over,
        Client(streamable_http_client(f"{BASE}{path}", http_client=over), mode=mode) as session,
    ):
        yield session


def http(headers: dict[str, str]) -> httpx2.AsyncClient:
    """Plain HTTP to the application in this process."""
    from memory_app.config.asgi import application

    transport = httpx2.ASGITransport(app=application)
    return httpx2.AsyncClient(transport=transport, headers=headers, base_url=BASE, timeout=30)


def post(
    body: Any, *, key: str | None = None, path: str = "/mcp", method: str = "POST", **headers: str
) -> httpx2.Response:
    """One raw request; header names are given with `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    given = {"Accept": "application/json, text/event-stream"} | named
    if key is not None:
        given["Authorization"] = f"Bearer {key}"

    async def sending() -> httpx2.Response:
        async with http({}) as over:
            sent_as_is = isinstance(body, (bytes, str, AsyncIterator))
            content = body if sent_as_is else json.dumps(body)
            kind = {"Content-Type": "application/json"}
            return await over.request(method, path, content=content, headers=kind | given)

    return anyio.run(sending)


def called(result: types.CallToolResult) -> Called:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    error = json.loads(content.text)["error"] if result.is_error else {}
    return Called(
        text=content.text, reply=result.structured_content or {}, error=error, result=result
    )


def _innermost(group: BaseExceptionGroup) -> BaseException:
    first = group.exceptions[0]
    return _innermost(first) if isinstance(first, BaseExceptionGroup) else first
