"""HTTP answers that the endpoint gives itself, before or instead of the protocol."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import mcp_types as types

from memory_app.domain.errors import ProductError
from memory_app.mcp.failures import described

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

_LINE_ENDS = tuple((sign.encode(), f"\\u{ord(sign):04x}".encode()) for sign in "\x85\u2028\u2029")
_PREFLIGHT: Headers = (
    (b"access-control-allow-methods", b"POST"),
    (
        b"access-control-allow-headers",
        b"authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, "
        b"mcp-session-id, last-event-id, x-request-id",
    ),
    (b"access-control-max-age", b"600"),
)


async def answer(send: Send, status: int, body: bytes = b"", headers: Headers = ()) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, error: ProductError, headers: Headers = ()) -> None:
    """A refusal as a JSON-RPC error without an id, which clients show instead of a bare status."""
    told = described(error)
    body = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": types.INVALID_REQUEST, "message": error.message, "data": told},
    }
    content = (b"content-type", b"application/json")
    await answer(send, error.status, json.dumps(body).encode(), (content, *headers))


async def challenge(send: Send, error: ProductError, *, presented: bool) -> None:
    """401 with the challenge that clients look for; it names no token service, as there is none."""
    scheme = 'Bearer realm="commonplace"'
    if presented:
        scheme += ', error="invalid_token", error_description="The API key is not valid"'
    await refuse(send, error, ((b"www-authenticate", scheme.encode()),))


async def preflight(send: Send) -> None:
    """A browser's question before the real request; it carries no credential."""
    await answer(send, 204, headers=_PREFLIGHT)


def with_headers(send: Send, *added: tuple[bytes, bytes]) -> Send:
    """The same channel, with headers added to the start of the answer."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return sending


def line_by_line(send: Send) -> Send:
    """The same channel, with events that end where every reader of lines finds their end: many
    clients end a line at these signs too, which JSON may hold as they are.
    """
    streaming = False

    async def sending(message: MutableMapping[str, Any]) -> None:
        nonlocal streaming
        if message["type"] == "http.response.start":
            kind = dict(message.get("headers", ())).get(b"content-type", b"")
            streaming = kind.startswith(b"text/event-stream")
        elif streaming:
            body = message.get("body", b"")
            for sign, escape in _LINE_ENDS:
                body = body.replace(sign, escape)
            message = {**message, "body": body}
        await send(message)

    return sending


def readable_by(send: Send, origin: bytes) -> Send:
    """Lets a page of an allowed origin read the answer."""
    return with_headers(
        send,
        (b"access-control-allow-origin", origin),
        (b"vary", b"Origin"),
        (b"access-control-expose-headers", b"www-authenticate, mcp-session-id, x-request-id"),
    )
