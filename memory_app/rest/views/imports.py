"""Imports with the fate of every line: a paste at once, files in steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory_app.rest import problems
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import parse_query
from memory_app.rest.replies import import_reply, job_reply, line_reply
from memory_app.rest.serializers.imports import (
    ConfigureImportIn,
    ImportItemsIn,
    ImportJobOut,
    ImportLinesIn,
    ImportLinesOut,
    ImportListIn,
    ImportOut,
    ImportPageOut,
    ImportTextIn,
    StartImportIn,
    UploadIn,
)
from memory_app.rest.serializers.problems import ProblemOut
from memory_app.rest.streaming import download, received
from memory_app.services import importing
from memory_app.services.idempotency import Reply

GROUP = "imports"
_REFUSALS = {
    ("4XX", problems.CONTENT_TYPE): ProblemOut,
    ("5XX", problems.CONTENT_TYPE): ProblemOut,
}


class Imports(Endpoint):
    @operation(
        "list_imports",
        "Imports, newest first",
        query=ImportListIn,
        answer=ImportPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(_: dict[str, Any], after: str | None, limit: int) -> Any:
            page = importing.list_imports(call.actor, bank, after=after, limit=limit)
            return [job_reply(job) for job in page.items], page.next_after

        return call.page("imports", rows, of=f"imports {bank}")

    @operation(
        "run_import",
        "Import pasted text or a list; nothing that is stored is retired by it",
        body=(ImportTextIn, ImportItemsIn),
        answers={200: ImportOut, 201: ImportOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        given = dict(call.given)
        wanted = given.pop("items") if "items" in given else given.pop("text")
        given["form"] = given.pop("format", "")
        report = importing.run_import(call.actor, bank, wanted, **given)
        return Reply(status=201 if report.import_id else 200, body=import_reply(report))


class UploadImport(Endpoint):
    @extend_schema(
        operation_id="upload_import",
        summary="Read the body's file into lines, up to 64 MB; nothing is stored as a memory yet",
        request={"application/octet-stream": OpenApiTypes.BINARY},
        parameters=[UploadIn],
        responses={201: ImportJobOut, **_REFUSALS},
        tags=[GROUP],
    )
    def post(self, request: Request, bank: str) -> Response:
        where = parse_query(UploadIn, request.query_params)
        upload = importing.Upload(name=where.get("name") or "upload", chunks=received(request))
        actor = replace(self.actor, tool="upload_import")
        job = importing.receive(
            actor, bank, [upload], form=where.get("format", ""), source=where.get("source", "")
        )
        return Response(job_reply(job), status=201)


class OneImport(Endpoint):
    @operation("get_import", "The report of an import", answer=ImportOut, group=GROUP)
    def get(self, call: Call, bank: str, import_id: str) -> Body:
        return import_reply(importing.report_of(call.actor, bank, import_id))

    @operation(
        "configure_import",
        "Read the upload again, by another format or column mapping",
        body=ConfigureImportIn,
        answer=ImportJobOut,
        group=GROUP,
    )
    def patch(self, call: Call, bank: str, import_id: str) -> Body:
        job = importing.configure(
            call.actor,
            bank,
            import_id,
            form=call.given.get("format"),
            mapping=call.given.get("mapping"),
        )
        return job_reply(job)


class ImportStatus(Endpoint):
    @operation("get_import_status", "How far an import is", answer=ImportJobOut, group=GROUP)
    def get(self, call: Call, bank: str, import_id: str) -> Body:
        return job_reply(importing.find_import(call.actor, bank, import_id))


class ImportLines(Endpoint):
    @operation(
        "list_import_lines",
        "The lines of an import with their fates, in the order of the file",
        query=ImportLinesIn,
        answer=ImportLinesOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str, import_id: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            page = importing.list_lines(
                call.actor,
                bank,
                import_id,
                after=None if after is None else int(after),
                limit=limit,
                **filters,
            )
            following = None if page.next_after is None else str(page.next_after)
            return [line_reply(row) for row in page.items], following

        return call.page("lines", rows, of=f"import lines {bank} {import_id}")


class ImportErrors(Endpoint):
    @extend_schema(
        operation_id="read_import_errors",
        summary="Refused and skipped lines as a CSV table",
        responses={(200, "text/csv"): bytes, **_REFUSALS},
        tags=[GROUP],
    )
    def get(self, request: Request, bank: str, import_id: str) -> StreamingHttpResponse:
        parse_query(None, request.query_params)
        rows = importing.errors_of(self.actor, bank, import_id)
        return download((row.encode() for row in rows), name="errors.csv", media_type="text/csv")


class CheckImport(Endpoint):
    @operation(
        "check_import",
        "Begin a dry run: what would become of every line, nothing written",
        answer=ImportJobOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, import_id: str) -> Body:
        return job_reply(importing.check(call.actor, bank, import_id))


class StartImport(Endpoint):
    @operation(
        "start_import",
        "Store the lines that were read; each is one operation of the daily cap",
        body=StartImportIn,
        answer=ImportJobOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, import_id: str) -> Body:
        return job_reply(importing.start(call.actor, bank, import_id, **call.given))


class CancelImport(Endpoint):
    @operation(
        "cancel_import",
        "Stop or discard an import; what it has stored stays and can be undone",
        answer=ImportJobOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, import_id: str) -> Body:
        return job_reply(importing.cancel(call.actor, bank, import_id))


class ResumeImport(Endpoint):
    @operation(
        "resume_import",
        "Go on with an import that paused or failed",
        answer=ImportJobOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, import_id: str) -> Body:
        return job_reply(importing.resume(call.actor, bank, import_id))


class UndoImport(Endpoint):
    @operation(
        "undo_import", "Put what an import created into the bin", answer=ImportOut, group=GROUP
    )
    def post(self, call: Call, bank: str, import_id: str) -> Body:
        return import_reply(importing.undo_import(call.actor, bank, import_id))
