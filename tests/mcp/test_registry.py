"""What clients and review boards ask of every tool's words and schemas (research on clients' limits)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from memory_app.mcp.registry import Tool, all_tools
from memory_app.mcp.server import INSTRUCTIONS

TOOLS = pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema, itself included; a property may be called `type` or `items`."""
    if isinstance(schema, dict):
        yield schema
        named = schema.get("properties", {})
        for value in [*named.values(), *(schema[key] for key in schema.keys() - {"properties"})]:
            yield from parts(value)


def properties(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in parts(schema):
        named = part.get("properties")
        yield from named.values() if isinstance(named, dict) else ()


def test_names_are_unique_and_listed_in_one_order() -> None:
    names = [tool.name for tool in all_tools()]

    assert len(names) == len(set(names))
    assert names[:2] == ["create_memory", "search_memory"]


def test_instructions_fit_what_clients_keep_of_them() -> None:
    assert len(INSTRUCTIONS) < 1_500
    assert "search_memory without a query" in INSTRUCTIONS


@TOOLS
def test_name_and_description_fit_every_client(tool: Tool) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", tool.name)
    assert len(tool.name) <= 30
    assert 200 < len(tool.description) < 1_500
    assert tool.title not in ("", tool.description)


@TOOLS
def test_the_input_is_a_plain_object_without_unions_or_nulls(tool: Tool) -> None:
    written = json.dumps(tool.input_schema)

    assert tool.input_schema["type"] == "object"
    assert tool.input_schema["additionalProperties"] is False
    assert not re.search(r'"(anyOf|oneOf|allOf|\$ref|null)"', written)
    assert all(isinstance(part["type"], str) for part in parts(tool.input_schema) if "type" in part)
    assert all("items" in part for part in parts(tool.input_schema) if part.get("type") == "array")


@TOOLS
def test_every_property_is_described(tool: Tool) -> None:
    assert all(part.get("description") for part in properties(tool.input_schema))
    assert all(part.get("description") for part in properties(tool.output_schema))
    assert tool.output_schema["type"] == "object"


@TOOLS
def test_all_four_hints_are_given(tool: Tool) -> None:
    hints = tool.listed().model_dump(by_alias=True)["annotations"]

    assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= set(hints)
    assert all(isinstance(value, (bool, str)) for value in hints.values())
    assert not (tool.read_only and tool.destructive)
