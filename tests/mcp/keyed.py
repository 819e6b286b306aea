"""An ASGI entry for tests only: the conformance suite can't send a key, so one is added to each request."""

from __future__ import annotations

from memory_app.config.asgi import application
from memory_app.mcp.answers import Receive, Scope, Send


class WithKey:
    """The whole application, with its real authentication, for a caller that sends no key."""

    def __init__(self, key: str) -> None:
        self._authorization = (b"authorization", f"Bearer {key}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            others = [header for header in scope["headers"] if header[0] != b"authorization"]
            scope = {**scope, "headers": [*others, self._authorization]}
        await application(scope, receive, send)
