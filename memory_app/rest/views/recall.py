"""Search, the profile, and recall with everything it can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_app.recall.values import Result
from memory_app.rest.asking import query_of
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.recall import (
    FiltersIn,
    RecallIn,
    RecallOut,
    SearchIn,
    SearchOut,
    SearchQueryIn,
)
from memory_app.services import recalling
from memory_app.services.recalling import Answer
from memory_app.services.replies import search_reply

GROUP = "recall"


class Search(Endpoint):
    @operation(
        "search_by_address",
        "Search by meaning and by word",
        query=SearchQueryIn,
        answer=SearchOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        return _search_reply(_ask(call, bank, call.where, text=call.where.get("q")))

    @operation(
        "search_memories",
        "Search by meaning and by word",
        body=SearchIn,
        answer=SearchOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        return _search_reply(_ask(call, bank, call.given, text=call.given.get("query")))


class Profile(Endpoint):
    @operation(
        "get_profile",
        "Pinned memories, then the most often recalled, then the newest",
        query=FiltersIn,
        answer=SearchOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        return _search_reply(_ask(call, bank, call.where, text=None))


class Recall(Endpoint):
    @operation(
        "recall_memories",
        "Search with every option, explained on demand",
        body=RecallIn,
        answer=RecallOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        answer = _ask(call, bank, call.given, text=call.given.get("query"))
        return _explained(answer, explain=call.given.get("explain", False))


def _ask(call: Call, bank: str, asked: Mapping[str, Any], *, text: str | None) -> Answer:
    return recalling.search(call.actor, bank, query_of(asked, text=text))


def _search_reply(answer: Answer) -> dict[str, Any]:
    return search_reply(answer.result) | {"recall_id": answer.recall_id}


def _explained(answer: Answer, *, explain: bool) -> dict[str, Any]:
    result: Result = answer.result
    body = _search_reply(answer) | {"tokens": result.tokens, "watermark": result.watermark}
    if not explain:
        return body
    for shown, hit in zip(body["memories"], result.hits, strict=True):
        shown["fused"] = round(hit.fused, 6)
        shown["channels"] = {
            name: {"rank": channel.rank, "score": round(channel.score, 6)}
            for name, channel in hit.channels.items()
        }
    return body | {"timings": dict(result.timings)}
