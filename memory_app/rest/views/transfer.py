"""A whole bank as one file, out and in. The file waits on disk, never in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from tempfile import TemporaryFile
from typing import IO, Any

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory_app.domain.errors import InvalidArgument
from memory_app.rest import problems
from memory_app.rest.operations import Endpoint
from memory_app.rest.parsing import parse_query
from memory_app.rest.serializers.problems import ProblemOut
from memory_app.rest.serializers.transfer import ImportedOut
from memory_app.services.portability import export_bank, import_bank

MEDIA_TYPE = "application/jsonl"
CHUNK = 256 * 1024
FILE_BYTES = 1024 * 1024 * 1024
_REFUSALS = {
    ("4XX", problems.CONTENT_TYPE): ProblemOut,
    ("5XX", problems.CONTENT_TYPE): ProblemOut,
}


class Export(Endpoint):
    @extend_schema(
        operation_id="read_export",
        summary="Everything the bank holds, as one file of JSON lines",
        responses={(200, MEDIA_TYPE): bytes, **_REFUSALS},
        tags=["banks"],
    )
    def get(self, request: Request, bank: str) -> StreamingHttpResponse:
        parse_query(None, request.query_params)
        file = _kept(export_bank(replace(self.actor, tool="read_export"), bank))
        size = file.tell()
        file.seek(0)
        return StreamingHttpResponse(
            _chunks(file),
            content_type=MEDIA_TYPE,
            headers={
                "Content-Length": str(size),
                "Content-Disposition": 'attachment; filename="bank.jsonl"',
                "X-Content-Type-Options": "nosniff",
            },
        )


class Import(Endpoint):
    @extend_schema(
        operation_id="import_bank",
        summary="Take an exported bank into an empty one: all of it or nothing",
        request={MEDIA_TYPE: bytes},
        responses={200: ImportedOut, 201: ImportedOut, **_REFUSALS},
        tags=["banks"],
    )
    def post(self, request: Request, bank: str) -> Response:
        parse_query(None, request.query_params)
        with _kept(_received(request)) as file:
            imported = import_bank(replace(self.actor, tool="import_bank"), bank, file)
        body = {
            "status": "unchanged" if imported.unchanged else "imported",
            "head_watermark": imported.head_watermark,
            "counts": dict(imported.counts),
        }
        return Response(body, status=200 if imported.unchanged else 201)


def _kept(parts: Iterable[bytes]) -> IO[bytes]:
    file = TemporaryFile()  # noqa: SIM115 - closed by who reads it
    try:
        file.writelines(parts)
    except BaseException:
        file.close()
        raise
    return file


def _received(request: Request) -> Iterable[bytes]:
    raw: Any = request._request
    size = 0
    while chunk := raw.read(CHUNK):
        size += len(chunk)
        if size > FILE_BYTES:
            raise InvalidArgument(
                f"The file is larger than {FILE_BYTES:,} bytes.",
                hint="Import it at the command line, with 'manage.py import_bank'.",
                field="file",
            )
        yield chunk


async def _chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Read beside the loop, a piece at a time: a slow client keeps a file open, nothing else."""
    try:
        while chunk := await sync_to_async(file.read, thread_sensitive=False)(CHUNK):
            yield chunk
    finally:
        file.close()
