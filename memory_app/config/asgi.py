"""The ASGI entry: a dispatcher with Django for all but MCP and open pages' sockets."""

from __future__ import annotations

from typing import Any

from django.core.asgi import get_asgi_application

from memory_app.config.environment import start_django
from memory_app.config.requests import TolerantRequest

start_django()
# Its stub wants more exact types of a scope and its messages than ASGI has.
_django: Any = get_asgi_application()
_django.request_class = TolerantRequest

# Only now are there models to import.
from memory_app.live.endpoint import live  # noqa: E402
from memory_app.mcp.answers import Receive, Scope, Send  # noqa: E402
from memory_app.mcp.endpoint import McpEndpoint, is_mcp  # noqa: E402

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
