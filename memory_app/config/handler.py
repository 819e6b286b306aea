"""Django's ASGI handler, with a request's whole way through middleware and view in one thread.

Every middleware and view here is synchronous. Django's own handler would hop between its event loop
and a thread for each change of kind in the chain, which took longer than the work of a small
request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from tempfile import SpooledTemporaryFile
from typing import Any

from asgiref.sync import ThreadSensitiveContext
from channels.db import database_sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from memory_app.config.requests import TolerantRequest

# More than the connections of the database pool: some requests wait for other things.
THREADS = 32
# What of a file is read at a time: a hop into its thread costs more than the reading.
READ_BYTES = 256 * 1024
Begin = Callable[[Any, Any], None]


class ThreadedHandler(ASGIHandler):
    """Serves each request in one of `THREADS` threads; more requests than that wait their turn."""

    request_class = TolerantRequest

    def __init__(self, begin: Begin | None = None) -> None:
        """`begin` is called with each request's scope and body before anything else is done."""
        self._begin = begin
        self.load_middleware(is_async=False)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            body: Any = await self.read_body(receive)
        except RequestAborted:
            return
        with body:
            response = await self._in_thread(self._answer, scope, body)
            if response.streaming:
                await self._stream(response, receive, send)
            else:
                await self.send_response(response, send)

    def _answer(self, scope: Any, body: SpooledTemporaryFile[bytes]) -> HttpResponseBase:
        """All that Django does for a request; whole answers are closed here, in the thread whose
        connections their closing gives back.
        """
        if self._begin is not None:
            self._begin(scope, body)
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, refusal = self.create_request(scope, body)
        response: Any = self.get_response(request) if request is not None else refusal
        response._handler_class = self.__class__
        if not response.streaming:
            response.close()
        return response  # type: ignore[no-any-return]

    async def _stream(self, response: Any, receive: Any, send: Any) -> None:
        """Send part by part; a client that goes away ends it."""
        async with ThreadSensitiveContext():
            if not response.is_async:
                response.streaming_content = _read_aside(iter(response.streaming_content))
            sending = asyncio.create_task(self.send_response(response, send))
            gone = asyncio.create_task(self.listen_for_disconnect(receive))
            await asyncio.wait([sending, gone], return_when=asyncio.FIRST_COMPLETED)
            for task in (sending, gone):
                task.cancel()
            results = await asyncio.gather(sending, gone, return_exceptions=True)
        await self._in_thread(response.close)
        if isinstance(results[0], Exception):
            raise results[0]

    async def _in_thread(self, work: Any, *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, copy_context().run, work, *arguments)


async def _read_aside(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The parts of a synchronous answer, taken in the answer's own thread; Django would take all of
    them before it sends the first.
    """
    read = database_sync_to_async(_next_bytes)
    while piece := await read(parts):
        yield piece


def _next_bytes(parts: Iterator[bytes]) -> bytes:
    """At least `READ_BYTES`, unless they end; empty when they have."""
    found = bytearray()
    for part in parts:
        found += part
        if len(found) >= READ_BYTES:
            break
    return bytes(found)
