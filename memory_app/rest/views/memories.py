"""The memories of a bank: list, save, read, edit, and the bin."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rest_framework.request import Request

from memory_app.domain.values import Draft, parse_changes, parse_draft
from memory_app.queries import memories as queries
from memory_app.rest.foreseeing import foreseen
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import read, refuse_reversed
from memory_app.rest.serializers.memories import (
    ChangesIn,
    DraftIn,
    DraftsIn,
    MemoryListIn,
    MemoryOut,
    MemoryPageOut,
    SavedManyOut,
    SavedOut,
    TagsOut,
)
from memory_app.services import memories
from memory_app.services.idempotency import Reply
from memory_app.services.replies import memory_reply, saved_reply

STATUS = {"created": 201, "pending": 202, "known": 200, "revived": 200}
GROUP = "memories"


class Memories(Endpoint):
    @operation(
        "list_memories",
        "Memories of the bank, newest first",
        query=MemoryListIn,
        answer=MemoryPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            refuse_reversed(filters, "created_from", "created_to")
            with call.reading(bank) as access:
                where = queries.MemoryFilter(**filters)
                page = queries.list_page(access, where, after=after, limit=limit)
                return [memory_reply(memory) for memory in page.items], page.next_after

        return call.page("memories", rows, of=f"memories {bank}")

    def foresees(self, request: Request) -> memories.Admission | None:
        return foreseen(request, self.kwargs["bank"])

    @operation(
        "create_memories",
        "Save one statement, or up to 500 at once",
        body=(DraftIn, DraftsIn),
        answers={200: (SavedOut, SavedManyOut), 201: (SavedOut, SavedManyOut), 202: (SavedOut,)},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        if "memories" in call.given:
            return _save_many(call, bank)
        saved = memories.save(call.actor, bank, _draft(call, call.given), admission=call.foreseen)
        return Reply(status=STATUS[saved.status], body=saved_reply(saved))


class OneMemory(Endpoint):
    @operation("get_memory", "One memory by id or slug", answer=MemoryOut, group=GROUP)
    def get(self, call: Call, bank: str, memory: str) -> Body:
        with call.reading(bank) as access:
            return memory_reply(queries.find(access, memory))

    @operation(
        "edit_memory",
        "Change a memory, unless somebody else has meanwhile",
        body=ChangesIn,
        answer=MemoryOut,
        group=GROUP,
    )
    def patch(self, call: Call, bank: str, memory: str) -> Body:
        given = {name: value for name, value in call.given.items() if name != "expected_watermark"}
        edited = memories.edit(
            call.actor,
            bank,
            memory,
            parse_changes(given),
            expected_watermark=call.expected_watermark,
        )
        return memory_reply(edited)

    @operation(
        "delete_memory",
        "Put a memory into the bin, from where it can be restored for 30 days",
        answer=MemoryOut,
        group=GROUP,
    )
    def delete(self, call: Call, bank: str, memory: str) -> Body:
        return memory_reply(memories.delete(call.actor, bank, memory))


class Tags(Endpoint):
    @operation(
        "list_tags",
        "The bank's tags with how many memories carry each",
        answer=TagsOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        with call.reading(bank) as access:
            counted = queries.tag_counts(access)
        return {"tags": [{"tag": tag, "count": count} for tag, count in counted]}


def _save_many(call: Call, bank: str) -> Reply:
    drafts = [
        _draft(call, read(DraftIn, item, place=f"memories[{number}]."))
        for number, item in enumerate(call.given["memories"])
    ]
    saved = memories.save_many(call.actor, bank, drafts, judge=call.given.get("judge", True))
    counts = Counter(one.status for one in saved)
    body = {"results": [saved_reply(one) for one in saved], "counts": dict(counts)}
    return Reply(status=201 if counts["created"] or counts["pending"] else 200, body=body)


def _draft(call: Call, given: Any) -> Draft:
    return parse_draft(**given, default_source=call.actor.client)
