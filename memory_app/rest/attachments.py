"""The bytes of an appendix file as an answer: always an attachment, never a page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import IO, Any
from urllib.parse import quote

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from memory_app.domain.files import served_as
from memory_app.models import File
from memory_app.services.files import opened_file

CHUNK = 64 * 1024
# Nothing of a file runs in a browser, whatever it holds.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def attached(request: HttpRequest, file: File) -> StreamingHttpResponse:
    """One version, read in pieces while it is sent. Raises `NotFound` when its bytes are lost."""
    handle = opened_file(file)
    whole: Any = _later(handle) if isinstance(request, ASGIRequest) else _read(handle)
    response = StreamingHttpResponse(whole, content_type=served_as(file.type))
    response["Content-Length"] = str(file.size)
    response["Content-Disposition"] = _disposition(file)
    for name, value in _HEADERS.items():
        response[name] = value
    return response


def chunks_of(body: Any) -> Iterator[bytes]:
    """Anything with `read`, in pieces."""
    while chunk := body.read(CHUNK):
        yield chunk


def _disposition(file: File) -> str:
    """An attachment under its name, in ASCII and, where that isn't enough, in UTF-8."""
    plain = "".join(
        c if (c.isascii() and c.isalnum()) or c in "._- " else "_" for c in file.filename
    )
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file.filename, safe='')}"


def _read(handle: IO[bytes]) -> Iterator[bytes]:
    with handle:
        yield from chunks_of(handle)


async def _later(handle: IO[bytes]) -> AsyncIterator[bytes]:
    try:
        while chunk := await sync_to_async(handle.read)(CHUNK):
            yield chunk
    finally:
        await sync_to_async(handle.close)()
