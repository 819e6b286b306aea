"""Another embedding model for a bank, step by step."""

from __future__ import annotations

from typing import Any

from accounts.actor import Actor
from memory_app.domain.times import iso
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.reembedding import ReembeddingIn, ReembeddingOut, SwitchIn
from memory_app.services import reembedding
from memory_app.services.idempotency import Reply


class Reembedding(Endpoint):
    @operation(
        "get_reembedding",
        "The bank's embedding model, and how far a second one is",
        answer=ReembeddingOut,
        group="banks",
    )
    def get(self, call: Call, bank: str) -> Body:
        return _standing(call.actor, bank)

    @operation(
        "start_reembedding",
        "Build vectors by another model beside the bank's own (administrators, and its maker)",
        body=ReembeddingIn,
        answers={201: ReembeddingOut},
        group="banks",
    )
    def post(self, call: Call, bank: str) -> Reply:
        reembedding.start(call.actor, bank, **call.given)
        return Reply(status=201, body=_standing(call.actor, bank))

    @operation(
        "drop_reembedding",
        "Stop the build, or give up the model of before",
        answer=ReembeddingOut,
        group="banks",
    )
    def delete(self, call: Call, bank: str) -> Body:
        reembedding.drop(call.actor, bank)
        return _standing(call.actor, bank)


class SwitchModel(Endpoint):
    @operation(
        "switch_reembedding",
        "Let the model named in `to` take over; asking twice changes nothing",
        body=SwitchIn,
        answer=ReembeddingOut,
        group="banks",
    )
    def post(self, call: Call, bank: str) -> Body:
        reembedding.switch(call.actor, bank, **call.given)
        return _standing(call.actor, bank)


def _standing(actor: Actor, bank: str) -> dict[str, Any]:
    found = reembedding.look_at(actor, bank)
    body: dict[str, Any] = {"model": found.bank.embedding_model, "models": list(found.models)}
    if found.open is not None and found.extent is not None:
        second: dict[str, Any] = {
            "model": found.open.model,
            "status": found.open.status,
            "done": found.extent.done,
            "total": found.extent.total,
        }
        if found.open.kept_until is not None:
            second["kept_until"] = iso(found.open.kept_until)
        body["second"] = second
    return body
