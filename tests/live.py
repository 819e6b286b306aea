"""The ASGI application on a port of its own, for browser and client tests."""

from __future__ import annotations

import socket
import threading
import time
from types import TracebackType
from typing import Any

import uvicorn


class LiveServer:
    """Serves from a thread, so that a test sees what it commits and may replace a provider."""

    def __init__(self, application: Any = "memory_app.config.asgi:application") -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(application, log_level="warning")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> LiveServer:
        self._thread.start()
        deadline = time.monotonic() + 60
        while not self._server.started and self._thread.is_alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self._server.started, "The web application did not start."
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        self._thread.join(15)
