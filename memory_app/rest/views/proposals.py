"""The review queue: only people decide, and a decision can be taken back."""

from __future__ import annotations

from typing import Any

from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.replies import review_reply
from memory_app.rest.serializers.upkeep import (
    DecisionIn,
    ProposalListIn,
    ProposalOut,
    ProposalPageOut,
)
from memory_app.services import proposals

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


class Decide(Endpoint):
    @operation(
        "decide_proposal", "Decide (people)", body=DecisionIn, answer=ProposalOut, group=GROUP
    )
    def post(self, call: Call, bank: str, proposal: str) -> Body:
        decided = proposals.decide(call.actor, bank, proposal, call.given["decision"])
        return review_reply(decided.review)


class Undo(Endpoint):
    @operation("undo_decision", "Take a decision back (people)", answer=ProposalOut, group=GROUP)
    def post(self, call: Call, bank: str, proposal: str) -> Body:
        return review_reply(proposals.undo_decision(call.actor, bank, proposal).review)
