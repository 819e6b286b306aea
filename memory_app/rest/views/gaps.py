"""Questions that recall could not answer."""

from __future__ import annotations

from typing import Any

from memory_app.domain.values import parse_draft
from memory_app.rest.lab_replies import decision_reply, gap_reply
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.lab import (
    GapAnsweredOut,
    GapAnswerIn,
    GapDecisionOut,
    GapListIn,
    GapPageOut,
    SnoozeIn,
)
from memory_app.services import gaps
from memory_app.services.replies import saved_reply

GROUP = "gaps"


class Gaps(Endpoint):
    @operation(
        "list_gaps",
        "What agents asked in vain, the last asked first, or what was decided about it",
        query=GapListIn,
        answer=GapPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        status = call.where.get("status", "open")
        if status == "open" and "cursor" not in call.where:
            found = gaps.list_open(call.actor, bank, floor=call.where.get("floor"))
            return {"gaps": [gap_reply(gap) for gap in found]}

        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            asked = filters.get("status", "open")
            page = gaps.list_decided(call.actor, bank, asked, after=after, limit=limit)
            return [decision_reply(row) for row in page.decisions], page.next_after

        return call.page("decisions", rows, of=f"gaps {bank}")


class AnswerGap(Endpoint):
    @operation(
        "answer_gap",
        "Save the answer as a memory and close the question",
        body=GapAnswerIn,
        answer=GapAnsweredOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, question: str) -> Body:
        draft = parse_draft(**call.given, default_source=call.actor.client)
        done = gaps.answer(call.actor, bank, question, draft)
        return {"decision": decision_reply(done.decision), "saved": saved_reply(done.saved)}


class SnoozeGap(Endpoint):
    @operation(
        "snooze_gap",
        "Hide the question for some days",
        body=SnoozeIn,
        answer=GapDecisionOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, question: str) -> Body:
        days = call.given.get("days", 7)
        return decision_reply(gaps.snooze(call.actor, bank, question, days=days))


class DismissGap(Endpoint):
    @operation("dismiss_gap", "Hide the question for good", answer=GapDecisionOut, group=GROUP)
    def post(self, call: Call, bank: str, question: str) -> Body:
        return decision_reply(gaps.dismiss(call.actor, bank, question))


class UndoGap(Endpoint):
    @operation(
        "undo_gap",
        "Take a decision back; a memory that it made goes to the bin",
        answer=GapDecisionOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, decision: str) -> Body:
        return decision_reply(gaps.undo(call.actor, bank, decision))
