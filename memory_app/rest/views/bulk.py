"""Changing many memories alike, merging some into one, and the undo of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.values import parse_changes
from memory_app.queries.memories import MemoryFilter
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import read, refuse_reversed
from memory_app.rest.replies import bulk_reply, report_reply
from memory_app.rest.serializers.curation import (
    BulkFilterIn,
    BulkIdsIn,
    BulkListIn,
    BulkOut,
    BulkPageOut,
    BulkPreviewOut,
    FilterIn,
    IdsIn,
    MergedOut,
    MergeIn,
)
from memory_app.rest.serializers.memories import MemoryListIn
from memory_app.services import bulk
from memory_app.services.idempotency import Reply
from memory_app.services.replies import memory_reply

GROUP = "bulk"
_ARGUMENTS = ("tags", "category", "collection", "reason")


class BulkChanges(Endpoint):
    @operation(
        "list_bulk_changes",
        "Changes of many memories, newest first",
        query=BulkListIn,
        answer=BulkPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(_: dict[str, Any], after: str | None, limit: int) -> Any:
            found, following = bulk.recent(call.actor, bank, after=after, limit=limit)
            return [bulk_reply(one) for one in found], following

        return call.page("operations", rows, of=f"bulk {bank}")

    @operation(
        "change_in_bulk",
        "Change all chosen memories alike; over a few hundred go on in the background",
        body=(BulkFilterIn, BulkIdsIn),
        answers={200: BulkOut, 202: BulkOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        arguments = {name: call.given[name] for name in _ARGUMENTS if name in call.given}
        report = bulk.begin(
            call.actor, bank, call.given["action"], _selection(call.given), arguments
        )
        return Reply(status=200 if report.finished else 202, body=report_reply(report))


class BulkPreview(Endpoint):
    @operation(
        "preview_bulk_change",
        "How many memories a bulk change would touch; nothing is changed",
        body=(FilterIn, IdsIn),
        answer=BulkPreviewOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        found = bulk.look(call.actor, bank, _selection(call.given))
        return {
            "matching": found.matching,
            "examples": [memory_reply(memory) for memory in found.examples],
        }


class OneBulkChange(Endpoint):
    @operation("get_bulk_change", "How far a bulk change is", answer=BulkOut, group=GROUP)
    def get(self, call: Call, bank: str, change: str) -> Body:
        return report_reply(bulk.report(call.actor, bank, change))


class UndoBulkChange(Endpoint):
    @operation(
        "undo_bulk_change",
        "Take a bulk change or a merge back as a whole",
        answers={200: BulkOut, 202: BulkOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str, change: str) -> Reply:
        report = bulk.undo(call.actor, bank, change)
        return Reply(status=200 if report.finished else 202, body=report_reply(report))


class Merge(Endpoint):
    @operation(
        "merge_memories",
        "Make one memory of several; its undo gives each back as it was",
        body=MergeIn,
        answer=MergedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        given = dict(call.given)
        ends = {name: given.pop(name) for name in ("keep", "others")}
        given.pop("expected_watermark", None)
        merged = bulk.merge(
            call.actor,
            bank,
            changes=parse_changes(given),
            expected_watermark=call.expected_watermark,
            **ends,
        )
        return {"memory": memory_reply(merged.memory), "operation": merged.operation_id}


def _selection(given: Mapping[str, Any]) -> bulk.Selection:
    where = None
    if "filter" in given:
        filters = read(MemoryListIn, given["filter"], place="filter.")
        if {"cursor", "limit"} & set(filters):
            raise InvalidArgument(
                "filter holds cursor or limit; a bulk change takes all that match.",
                hint="Leave them out.",
                field="filter",
            )
        refuse_reversed(filters, "created_from", "created_to")
        where = MemoryFilter(**filters)
    return bulk.parse_selection(ids=given.get("ids"), where=where)
