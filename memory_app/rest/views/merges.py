"""Proposals to merge entities: anybody who may write can ask, only people decide."""

from __future__ import annotations

from typing import Any

from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.graph import (
    MergeAskIn,
    MergeListIn,
    MergeOut,
    MergePageOut,
    MergesOut,
)
from memory_app.services import consolidating
from memory_app.services.graph_replies import merge_reply

GROUP = "graph"


class Merges(Endpoint):
    @operation(
        "list_entity_proposals",
        "Entities that may be one, newest first",
        query=MergeListIn,
        answer=MergePageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            reviews, following = consolidating.list_proposals(
                call.actor, bank, status=filters.get("status", "open"), after=after, limit=limit
            )
            return [merge_reply(review) for review in reviews], following

        return call.page("proposals", rows, of=f"entity proposals {bank}")

    @operation(
        "propose_entity_merges",
        "Look through the bank for entities that may be one, or ask about a pair",
        body=MergeAskIn,
        answer=MergesOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        given = call.given
        if not given:
            reviews = consolidating.propose_merges(call.actor, bank)
            return {"proposals": [merge_reply(review) for review in reviews]}
        asked = consolidating.propose_pair(
            call.actor,
            bank,
            canonical=given.get("canonical", ""),
            variant=given.get("variant", ""),
        )
        return {"proposals": [merge_reply(asked)]}


class AcceptMerge(Endpoint):
    @operation(
        "accept_entity_merge",
        "Merge the variant into the canonical entity (people)",
        answer=MergeOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, proposal: str) -> Body:
        return merge_reply(consolidating.accept(call.actor, bank, proposal))


class RejectMerge(Endpoint):
    @operation(
        "reject_entity_merge",
        "Keep the two apart for good (people)",
        answer=MergeOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, proposal: str) -> Body:
        return merge_reply(consolidating.reject(call.actor, bank, proposal))


class UndoMerge(Endpoint):
    @operation("undo_entity_merge", "Take the decision back (people)", answer=MergeOut, group=GROUP)
    def post(self, call: Call, bank: str, proposal: str) -> Body:
        return merge_reply(consolidating.undo(call.actor, bank, proposal))
