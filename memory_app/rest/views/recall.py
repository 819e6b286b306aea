"""Search, the profile, and recall with everything it can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from memory_app.recall.values import Filters, Query, Result
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import refuse_reversed
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

SEARCH_LIMIT = 10
PROFILE_LIMIT = 20
GROUP = "recall"
_FILTERS = tuple(field.name for field in fields(Filters))
_RANGES = (("created_from", "created_to"), ("observed_from", "observed_to"))


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
    profile = not text or asked.get("mode") == "profile"
    query = Query(
        text=text or None,
        limit=asked.get("limit", PROFILE_LIMIT if profile else SEARCH_LIMIT),
        filters=_filters(asked),
        **{
            name: asked[name]
            for name in ("mode", "fusion", "explain", "min_score", "max_tokens", "as_of")
            if name in asked
        },
    )
    return recalling.search(call.actor, bank, query)


def _filters(asked: Mapping[str, Any]) -> Filters:
    for first, second in _RANGES:
        refuse_reversed(asked, first, second)
    given = {name: asked[name] for name in _FILTERS if name in asked}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return Filters(**given | lists)


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
