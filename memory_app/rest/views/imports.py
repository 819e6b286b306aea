"""Imports of up to 500 memories, with the fate of every line."""

from __future__ import annotations

from typing import Any

from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.replies import import_reply, job_reply
from memory_app.rest.serializers.upkeep import (
    ImportItemsIn,
    ImportListIn,
    ImportOut,
    ImportPageOut,
    ImportTextIn,
)
from memory_app.services import importing
from memory_app.services.idempotency import Reply

GROUP = "imports"


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
        report = importing.run_import(call.actor, bank, wanted, **given)
        return Reply(status=201 if report.import_id else 200, body=import_reply(report))


class OneImport(Endpoint):
    @operation("get_import", "The report of an import", answer=ImportOut, group=GROUP)
    def get(self, call: Call, bank: str, import_id: str) -> Body:
        return import_reply(importing.report_of(call.actor, bank, import_id))


class UndoImport(Endpoint):
    @operation(
        "undo_import", "Put what an import created into the bin", answer=ImportOut, group=GROUP
    )
    def post(self, call: Call, bank: str, import_id: str) -> Body:
        return import_reply(importing.undo_import(call.actor, bank, import_id))
