"""Appendix files: bytes go in and out as a stream, never through JSON and never as a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.tenancy import acting_as
from memory_app.queries.access import resolve
from memory_app.rest import problems
from memory_app.rest.attachments import attached
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import parse_query
from memory_app.rest.serializers.graph import (
    DeletedFileOut,
    FileListIn,
    FileOut,
    FilePageOut,
    FileVersionsOut,
    StoredFileOut,
    UploadIn,
)
from memory_app.rest.serializers.problems import ProblemOut
from memory_app.rest.streaming import received
from memory_app.services import files, files_bin
from memory_app.services.graph_replies import file_reply

GROUP = "files"
_PROBLEMS = {("4XX", problems.CONTENT_TYPE): ProblemOut, ("5XX", problems.CONTENT_TYPE): ProblemOut}


class Files(Endpoint):
    @operation(
        "list_files",
        "Current appendix files, newest first",
        query=FileListIn,
        answer=FilePageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            found, following = files.list_files(
                call.actor, bank, after=after, limit=limit, **filters
            )
            return [file_reply(file) for file in found], following

        return call.page("files", rows, of=f"files {bank}")

    @extend_schema(
        operation_id="store_file",
        summary="Store the body's bytes under a path, up to 50 MB; a repeat makes a new version",
        request={"application/octet-stream": OpenApiTypes.BINARY},
        parameters=[UploadIn],
        responses={200: StoredFileOut, 201: StoredFileOut, **_PROBLEMS},
        tags=[GROUP],
    )
    def put(self, request: Request, bank: str) -> Response:
        actor = replace(self.actor, tool="store_file")
        with acting_as(actor):
            resolve(actor, bank).require("read_write")
        where = parse_query(UploadIn, request.query_params)
        stored = files.store_file(
            actor,
            bank,
            path=where["path"],
            chunks=received(request),
            description=where.get("description"),
            tags=where.get("tags"),
        )
        body = {"status": stored.status, "file": file_reply(stored.file)}
        return Response(body, status=201 if stored.status == "created" else 200)


class OneFile(Endpoint):
    @operation("get_file", "One version of a file, without its bytes", answer=FileOut, group=GROUP)
    def get(self, call: Call, bank: str, file: str) -> Body:
        return file_reply(files.find_file(call.actor, bank, file))

    @operation(
        "delete_file",
        "Remove a file with all its versions for good, also out of the bin",
        answer=DeletedFileOut,
        group=GROUP,
    )
    def delete(self, call: Call, bank: str, file: str) -> Body:
        return {"deleted": True, "versions": len(files.delete_file(call.actor, bank, file))}


class BinFile(Endpoint):
    @operation(
        "bin_file",
        "Put a file with all its versions into the bin, for 30 days",
        answer=DeletedFileOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, file: str) -> Body:
        return {"deleted": True, "versions": len(files_bin.bin_file(call.actor, bank, file))}


class RestoreFile(Endpoint):
    @operation("restore_file", "Take a file out of the bin", answer=FileOut, group=GROUP)
    def post(self, call: Call, bank: str, file: str) -> Body:
        return file_reply(files_bin.restore_file(call.actor, bank, file))


class FileVersions(Endpoint):
    @operation(
        "list_file_versions",
        "Every version of a file, newest first",
        answer=FileVersionsOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str, file: str) -> Body:
        return {"files": [file_reply(one) for one in files.versions_of(call.actor, bank, file)]}


class FileContent(Endpoint):
    @extend_schema(
        operation_id="read_file",
        summary="The bytes of one version, always as an attachment",
        responses={(200, "*/*"): OpenApiTypes.BINARY, **_PROBLEMS},
        tags=[GROUP],
    )
    def get(self, request: Request, bank: str, file: str) -> HttpResponseBase:
        parse_query(None, request.query_params)
        found = files.find_file(replace(self.actor, tool="read_file"), bank, file)
        return attached(request._request, found)
