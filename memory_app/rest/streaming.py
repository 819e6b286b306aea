"""Long bodies: what comes in a piece at a time, and answers by way of a file on disk, so that no slow
reader holds a transaction open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO

from django.http import StreamingHttpResponse
from rest_framework.request import Request

from memory_app.rest.attachments import chunks_of
from memory_app.rest.problems import MediaTypeRefused

CHUNK = 256 * 1024
_FORM = "multipart/form-data"


def received(request: Request) -> Iterator[bytes]:
    """The body, which is a file. Raises `MediaTypeRefused` for a form with a file in it, whose own
    lines would be stored with it.
    """
    if (request.content_type or "").partition(";")[0].strip().lower() == _FORM:
        raise MediaTypeRefused(
            "The body is a form, not the file itself.",
            hint="Send the file's bytes as the body with 'Content-Type: application/octet-stream'.",
            field="Content-Type",
        )
    return chunks_of(request._request)


def download(parts: Iterable[bytes], *, name: str, media_type: str) -> StreamingHttpResponse:
    """Take all parts, then send them as a file to be saved under `name`."""
    file = kept(parts)
    size = file.tell()
    file.seek(0)
    return StreamingHttpResponse(
        _chunks(file),
        content_type=media_type,
        headers={
            "Content-Length": str(size),
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
        },
    )


def kept(parts: Iterable[bytes]) -> IO[bytes]:
    """The parts as an open temporary file, which whoever reads it closes."""
    file = TemporaryFile()  # noqa: SIM115 - closed by who reads it
    try:
        file.writelines(parts)
    except BaseException:
        file.close()
        raise
    return file


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """A piece at a time: a slow client keeps a file open, nothing else."""
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
