"""The recall lab and the receipts of recalls."""

from __future__ import annotations

from memory_app.rest.asking import query_of
from memory_app.rest.lab_replies import receipt_reply, replay_reply
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.lab import LabIn, LabOut, ReceiptOut, ReplayIn, ReplayOut
from memory_app.services import lab, receipts
from memory_app.services.lab_replies import lab_reply

GROUP = "recall"


class Lab(Endpoint):
    @operation(
        "run_lab",
        "What a connection would get for a query, and why, stage by stage",
        body=LabIn,
        answer=LabOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        given = call.given
        query = query_of(given, text=given.get("query"))
        found = lab.explain(
            call.actor, bank, query, agent=given.get("agent", ""), why=given.get("why", "")
        )
        return lab_reply(found)


class Receipt(Endpoint):
    @operation(
        "get_recall", "One recall with the texts that it served", answer=ReceiptOut, group=GROUP
    )
    def get(self, call: Call, bank: str, recall: str) -> Body:
        return receipt_reply(receipts.receipt(call.actor, bank, recall))


class Replay(Endpoint):
    @operation(
        "read_replay",
        "The same question today or as of then, with the difference",
        query=ReplayIn,
        answer=ReplayOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str, recall: str) -> Body:
        at = call.where.get("at", "today")
        return replay_reply(receipts.replay(call.actor, bank, recall, at=at))
