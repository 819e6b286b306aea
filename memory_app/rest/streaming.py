"""Long answers by way of a file on disk, so that no slow reader holds a transaction open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from tempfile import TemporaryFile
from typing import IO

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

CHUNK = 256 * 1024


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


async def _chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Read beside the loop, a piece at a time: a slow client keeps a file open, nothing else."""
    try:
        while chunk := await sync_to_async(file.read, thread_sensitive=False)(CHUNK):
            yield chunk
    finally:
        file.close()
