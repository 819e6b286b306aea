"""A request's body, looked at before the SDK reads it."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from memory_app.domain.notation import RepeatedName, parse_notation
from memory_app.mcp.answers import Receive


async def peeked(receive: Receive, limit: int) -> tuple[bytes, Receive]:
    """The body, and a channel that hands all of it over once more; empty where it is longer than
    `limit` or breaks off, which is for the reader of the channel to say.
    """
    kept: list[MutableMapping[str, Any]] = []
    body = b""
    more = True
    while more and len(body) <= limit:
        message = await receive()
        kept.append(message)
        body += message.get("body", b"")
        more = message.get("more_body", False)
    whole = body if len(body) <= limit and kept[-1]["type"] == "http.request" else b""

    async def again() -> MutableMapping[str, Any]:
        return kept.pop(0) if kept else await receive()

    return whole, again


def repeated_name(body: bytes) -> RepeatedName | None:
    """What the SDK wouldn't notice: it takes the last of two values. All else is for it to refuse."""
    try:
        parse_notation(body)
    except RepeatedName as repeated:
        return repeated
    except (ValueError, RecursionError):
        return None
    return None
