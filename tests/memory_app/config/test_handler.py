from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from django.core.signals import request_finished
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from memory_app.config.handler import READ_BYTES, ThreadedHandler


def whole(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{request.method} {threading.current_thread().name} {len(request.body)}")


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of the view")


def parts(request: HttpRequest) -> StreamingHttpResponse:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"part"
            await asyncio.sleep(0)

    async def two() -> AsyncIterator[bytes]:
        yield b"first "
        yield b"second"

    return StreamingHttpResponse(endless() if request.GET else two())


def blocks(request: HttpRequest) -> StreamingHttpResponse:
    """Synchronous parts, of which each says in which thread it was made."""

    def made() -> Iterator[bytes]:
        for _ in range(3):
            yield f"{threading.get_ident()} ".encode().ljust(READ_BYTES, b".")

    return StreamingHttpResponse(made())


def waiting(request: HttpRequest) -> StreamingHttpResponse:
    """A part, and once the client has it, another."""

    def made() -> Iterator[bytes]:
        yield b"." * READ_BYTES
        yield b"after" if arrived.wait(20) else b"never"

    return StreamingHttpResponse(made())


urlpatterns = [
    path("whole", whole),
    path("broken", broken),
    path("parts", parts),
    path("blocks", blocks),
    path("waiting", waiting),
]

arrived = threading.Event()

plain = override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[], ALLOWED_HOSTS=["*"])


def asked(
    where: str, *, query: bytes = b"", body: bytes = b"", leaves_after: float = 3600
) -> tuple[int, bytes]:
    """The status and body that a client gets, who leaves after so many seconds."""
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/{where}",
        "query_string": query,
        "headers": [],
        "server": ("localhost", 80),
    }
    sent: list[dict[str, Any]] = []
    first = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if first:
            return first.pop()
        await asyncio.sleep(leaves_after)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if message.get("body"):
            arrived.set()

    with plain:
        asyncio.run(ThreadedHandler()(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def test_a_request_runs_in_one_thread_beside_the_event_loop() -> None:
    status, body = asked("whole", body=b"four")

    assert status == 200
    assert body.startswith(b"POST request_")
    assert body.endswith(b" 4")


def test_an_answer_is_closed_in_the_thread_that_made_it() -> None:
    threads: list[str] = []

    def note(**_: Any) -> None:
        threads.append(threading.current_thread().name)

    request_finished.connect(note)
    try:
        _, body = asked("whole")
    finally:
        request_finished.disconnect(note)

    assert threads == [body.decode().split()[1]]


@pytest.mark.filterwarnings("ignore")
def test_a_fault_of_a_view_is_a_500_and_not_a_lost_connection() -> None:
    status, _ = asked("broken")

    assert status == 500


def test_an_answer_in_parts_arrives_whole() -> None:
    assert asked("parts") == (200, b"first second")


def test_an_endless_answer_ends_when_its_client_leaves() -> None:
    status, body = asked("parts", query=b"endless=1", leaves_after=0.1)

    assert status == 200
    assert body.startswith(b"partpart")


@pytest.mark.filterwarnings("error:StreamingHttpResponse")
def test_synchronous_parts_are_made_in_one_thread_beside_the_event_loop() -> None:
    status, body = asked("blocks")
    makers = {
        body[start : start + READ_BYTES].split()[0] for start in range(0, len(body), READ_BYTES)
    }

    assert (status, len(body)) == (200, 3 * READ_BYTES)
    assert len(makers) == 1
    assert makers != {str(threading.get_ident()).encode()}


def test_synchronous_parts_are_sent_before_the_last_is_made() -> None:
    arrived.clear()

    status, body = asked("waiting")

    assert (status, body[READ_BYTES:]) == (200, b"after")
