"""The options of a recall as they are sent, read into the engine's question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from memory_app.recall.values import Filters, Query
from memory_app.rest.parsing import refuse_reversed

SEARCH_LIMIT = 10
PROFILE_LIMIT = 20
_FILTERS = tuple(field.name for field in fields(Filters))
_RANGES = (("created_from", "created_to"), ("observed_from", "observed_to"))
_OPTIONS = ("mode", "fusion", "graph", "explain", "min_score", "max_tokens", "as_of")


def query_of(asked: Mapping[str, Any], *, text: str | None) -> Query:
    """Raises `InvalidArgument` for a range of times that ends before it begins."""
    profile = not text or asked.get("mode") == "profile"
    return Query(
        text=text or None,
        limit=asked.get("limit", PROFILE_LIMIT if profile else SEARCH_LIMIT),
        filters=_filters(asked),
        **{name: asked[name] for name in _OPTIONS if name in asked},
    )


def _filters(asked: Mapping[str, Any]) -> Filters:
    for first, second in _RANGES:
        refuse_reversed(asked, first, second)
    given = {name: asked[name] for name in _FILTERS if name in asked}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return Filters(**given | lists)
