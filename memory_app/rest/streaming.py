"""Long answers by way of a file on disk, so that no slow reader holds a transaction open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO

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


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """A piece at a time: a slow client keeps a file open, nothing else."""
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
