"""A question of the lab as calls to copy: curl for REST, JSON for MCP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dashboard.forms.asking import LabQuery
from dashboard.presenters.recipes import Door, Snippet
from memory_app.mcp.registry import input_schema_of
from memory_app.recall.values import Query
from memory_app.services.recalling import set_filters

_KNOWN = {"q": "query"}


def present_calls(door: Door, asked: LabQuery) -> tuple[Snippet, ...]:
    """curl with every option, and the tool's call with those that the tool takes."""
    body = options_of(asked.query)
    shown = json.dumps(body | {"explain": True}, ensure_ascii=False)
    curl = (
        f"curl -sS {door.base}/api/v1/banks/{door.bank}/recall \\\n"
        f'  -H "Authorization: {door.bearer}" -H "Content-Type: application/json" \\\n'
        f"  -d {_quoted(shown)}"
    )
    return (
        Snippet(id="call-curl", caption="curl", code=curl),
        Snippet(id="call-mcp", caption="MCP tools/call", code=_mcp(asked, body)),
    )


def options_of(query: Query) -> dict[str, Any]:
    """What was asked, as REST takes it."""
    values = {name: getattr(query.filters, name) for name in query.filters.__slots__}
    values |= {
        "query": query.text,
        "limit": query.limit,
        "min_score": query.min_score,
        "max_tokens": query.max_tokens,
        "as_of": query.as_of,
        "mode": None if query.mode == "hybrid" else query.mode,
        "fusion": None if query.fusion == "weighted" else query.fusion,
        "graph": query.graph,
    }
    found = set_filters(values)
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in found.items()
    }


def _mcp(asked: LabQuery, body: Mapping[str, Any]) -> str:
    name = asked.tool or "search_memory"
    known = (input_schema_of(name) or {}).get("properties", {})
    named = {_KNOWN.get(option, option): value for option, value in body.items()}
    if name == "query_memory" and "limit" in named:
        named["top_k"] = named["limit"]
    arguments = {option: value for option, value in named.items() if option in known}
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False, indent=2)


def _quoted(text: str) -> str:
    """For a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"
