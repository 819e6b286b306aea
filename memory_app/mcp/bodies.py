"""A request's body, looked at before the SDK reads it."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from typing import Any

from memory_app.domain.notation import RepeatedName, parse_notation
from memory_app.mcp.answers import Receive


async def peeked(receive: Receive, limit: int) -> tuple[bytes, Receive]:
    """The body, and a channel that hands all of it over once more; empty where it is longer than
    `limit` or breaks off, which is for the reader of the channel to say. Arguments of a tool that
    came as the text of their JSON, or as an empty list for none, are there as the object they mean.
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
    if (mended := _mended(whole)) is not None:
        whole = mended
        kept[:] = [{"type": "http.request", "body": whole, "more_body": False}]

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


def _mended(body: bytes) -> bytes | None:
    """The SDK refuses such arguments without a word about what to send. None: all is well."""
    if b"tools/call" not in body:
        return None
    try:
        message = parse_notation(body)
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict) or isinstance(given := params.get("arguments"), dict):
            return None
        meant = parse_notation(given.strip() or "{}") if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return None
    if meant in ([], None):
        meant = {}
    if not isinstance(meant, dict):
        return None
    return json.dumps({**message, "params": {**params, "arguments": meant}}).encode()
