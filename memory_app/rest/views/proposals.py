"""The review queue: agents may ask, only people decide, and a decision can be taken back."""

from __future__ import annotations

from typing import Any

from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.replies import report_reply, review_reply
from memory_app.rest.serializers.curation import BulkOut
from memory_app.rest.serializers.upkeep import (
    DecisionIn,
    DecisionsIn,
    ProposalIn,
    ProposalListIn,
    ProposalOut,
    ProposalPageOut,
)
from memory_app.services import asking, bulk, proposals
from memory_app.services.idempotency import Reply

GROUP = "proposals"


class Proposals(Endpoint):
    @operation(
        "list_proposals",
        "What waits for a person, newest first",
        query=ProposalListIn,
        answer=ProposalPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            page = proposals.list_open(call.actor, bank, after=after, limit=limit, **filters)
            return [review_reply(review) for review in page.items], page.next_after

        return call.page("proposals", rows, of=f"proposals {bank}")

    @operation(
        "propose",
        "Ask people to retire, replace or merge memories",
        body=ProposalIn,
        answers={200: ProposalOut, 201: ProposalOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        given = call.given
        asked = asking.ask(
            call.actor,
            bank,
            wish=given["action"],
            memory=given["memory"],
            other=given.get("other"),
            reason=given["reason"],
        )
        return Reply(status=201 if asked.made else 200, body=review_reply(asked.review))


class Decide(Endpoint):
    @operation(
        "decide_proposal", "Decide (people)", body=DecisionIn, answer=ProposalOut, group=GROUP
    )
    def post(self, call: Call, bank: str, proposal: str) -> Body:
        decided = proposals.decide(call.actor, bank, proposal, call.given["decision"])
        return review_reply(decided.review)


class DecideMany(Endpoint):
    @operation(
        "decide_in_bulk",
        "One decision on many questions (people); its undo is that of a bulk change",
        body=DecisionsIn,
        answers={200: BulkOut, 202: BulkOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        given = call.given
        report = bulk.begin_decisions(
            call.actor, bank, given["kind"], given["decision"], given.get("ids")
        )
        return Reply(status=200 if report.finished else 202, body=report_reply(report))


class Undo(Endpoint):
    @operation("undo_decision", "Take a decision back (people)", answer=ProposalOut, group=GROUP)
    def post(self, call: Call, bank: str, proposal: str) -> Body:
        return review_reply(proposals.undo_decision(call.actor, bank, proposal).review)
