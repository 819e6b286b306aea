"""The ASGI entry: a dispatcher with Django for all but MCP and open pages' sockets."""

from __future__ import annotations

from typing import Any

import django

from memory_app.config.environment import start_django

start_django()
django.setup(set_prefix=False)

# Only now are there models and middleware to import.
from memory_app.config.handler import ThreadedHandler  # noqa: E402
from memory_app.live.endpoint import live  # noqa: E402
from memory_app.mcp.answers import Receive, Scope, Send  # noqa: E402
from memory_app.mcp.endpoint import McpEndpoint, is_mcp  # noqa: E402
from memory_app.rest.foreseeing import begin  # noqa: E402

_django: Any = ThreadedHandler(begin)
_mcp = McpEndpoint()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif scope["type"] == "http" and is_mcp(scope["path"]):
        await _mcp(scope, receive, send)
    elif scope["type"] == "websocket":
        await live(scope, receive, send)
    else:
        await _django(scope, receive, send)


async def _live(receive: Receive, send: Send) -> None:
    """Django's own handler raises on lifespan; there is nothing to start or stop here."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
