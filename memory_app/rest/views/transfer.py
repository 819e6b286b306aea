"""A whole bank as one file, out and in. The file waits on disk, never in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memory_app.domain.errors import InvalidArgument
from memory_app.rest import problems
from memory_app.rest.operations import Endpoint
from memory_app.rest.parsing import parse_query
from memory_app.rest.serializers.problems import ProblemOut
from memory_app.rest.serializers.transfer import ExportIn, ImportedOut
from memory_app.rest.streaming import download, kept, received
from memory_app.services.portability import (
    export_bank,
    export_csv,
    export_markdown,
    import_bank,
)

MEDIA_TYPE = "application/jsonl"
EXPORTS: dict[str, tuple[Callable[[Actor, str], Iterator[bytes]], str, str]] = {
    "jsonl": (export_bank, "bank.jsonl", MEDIA_TYPE),
    "csv": (export_csv, "memories.csv", "text/csv"),
    "markdown": (export_markdown, "memories.zip", "application/zip"),
}
FILE_BYTES = 1024 * 1024 * 1024
_REFUSALS = {
    ("4XX", problems.CONTENT_TYPE): ProblemOut,
    ("5XX", problems.CONTENT_TYPE): ProblemOut,
}


class Export(Endpoint):
    @extend_schema(
        operation_id="read_export",
        summary="Everything the bank holds as JSON lines, or its live memories as CSV or Markdown",
        parameters=[ExportIn],
        responses={
            (200, MEDIA_TYPE): bytes,
            (200, "text/csv"): bytes,
            (200, "application/zip"): bytes,
            **_REFUSALS,
        },
        tags=["banks"],
    )
    def get(self, request: Request, bank: str) -> StreamingHttpResponse:
        where = parse_query(ExportIn, request.query_params)
        write, name, media_type = EXPORTS[where.get("format", "jsonl")]
        actor = replace(self.actor, tool="read_export")
        return download(write(actor, bank), name=name, media_type=media_type)


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
        with kept(_received(request)) as file:
            imported = import_bank(replace(self.actor, tool="import_bank"), bank, file)
        body = {
            "status": "unchanged" if imported.unchanged else "imported",
            "head_watermark": imported.head_watermark,
            "counts": dict(imported.counts),
        }
        return Response(body, status=200 if imported.unchanged else 201)


def _received(request: Request) -> Iterable[bytes]:
    size = 0
    for chunk in received(request):
        size += len(chunk)
        if size > FILE_BYTES:
            raise InvalidArgument(
                f"The file is larger than {FILE_BYTES:,} bytes.",
                hint="Import it at the command line, with 'manage.py import_bank'.",
                field="file",
            )
        yield chunk
