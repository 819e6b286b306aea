"""Mending and refusing arguments (docs/mcp.md): cases 102, 104, 106 and 116."""

from __future__ import annotations

from typing import Any

import pytest

from memory_app.domain.errors import ContentTooLong, InvalidArgument
from memory_app.mcp import schemas
from memory_app.mcp.arguments import idempotency_key, read_arguments
from memory_app.mcp.registry import Tool
from memory_app.mcp.toolsets.essential import CREATE_MEMORY, SEARCH_MEMORY
from memory_app.mcp.toolsets.facts import MARK_INGESTED

ENTITY = schemas.arguments(
    {"name": schemas.text("Name.", minLength=1), "tags": schemas.texts("Tags.")}, required=("name",)
)
NESTED = Tool(
    name="write_things",
    toolset="tests",
    title="Write things",
    description="Write.",
    input_schema=schemas.arguments(
        {"entities": schemas.items(ENTITY, "Things."), "props": {"type": "object"}}
    ),
    output_schema=schemas.answer({}, required=()),
    tier="read_write",
    handler=lambda actor, bank, arguments: {},
    render=str,
    read_only=False,
    destructive=False,
    idempotent=True,
)


@pytest.mark.parametrize(
    "tags",
    [["a", "b"], '["a", "b"]', ' ["a","b"] ', ['["a", "b"]'], ["a", None, "b"], '["a","b",null]'],
)
def test_a_list_is_the_same_however_it_arrives(tags: Any) -> None:
    """Case 102"""
    assert read_arguments(CREATE_MEMORY, {"content": "x", "tags": tags})["tags"] == ["a", "b"]


@pytest.mark.parametrize(
    "entities",
    [
        [{"name": "Ada", "tags": ["a"]}],
        '[{"name": "Ada", "tags": ["a"]}]',
        ['{"name": "Ada", "tags": "[\\"a\\"]"}'],
        [{"name": "Ada", "tags": '["a"]'}],
    ],
)
def test_a_nested_list_is_the_same_however_it_arrives(entities: Any) -> None:
    """Case 102"""
    read = read_arguments(NESTED, {"entities": entities, "props": '{"deep": [1]}'})

    assert read == {"entities": [{"name": "Ada", "tags": ["a"]}], "props": {"deep": [1]}}


@pytest.mark.parametrize(
    "nothing", [None, "null", " NULL ", ["null"], [None], '["null"]', "[null]"]
)
def test_null_in_any_form_is_an_absent_list(nothing: Any) -> None:
    """Case 104"""
    assert read_arguments(CREATE_MEMORY, {"content": "x", "tags": nothing}) == {"content": "x"}


@pytest.mark.parametrize("name", ["query", "limit", "tags", "min_score"])
def test_every_optional_argument_may_be_null(name: str) -> None:
    """Case 104"""
    assert read_arguments(SEARCH_MEMORY, {name: None}) == {}
    assert read_arguments(SEARCH_MEMORY, {name: "null"}) == {}


def test_missing_arguments_are_no_arguments() -> None:
    assert read_arguments(SEARCH_MEMORY, None) == {}


def test_a_required_text_may_read_null() -> None:
    """Only what may be absent is taken as absent."""
    assert read_arguments(CREATE_MEMORY, {"content": "null"}) == {"content": "null"}


REFUSED: list[tuple[Tool, dict[str, Any], str]] = [
    (CREATE_MEMORY, {}, "content"),
    (CREATE_MEMORY, {"content": None}, "content"),
    (CREATE_MEMORY, {"content": 7}, "content"),
    (CREATE_MEMORY, {"content": True}, "content"),
    (CREATE_MEMORY, {"content": ""}, "content"),
    (CREATE_MEMORY, {"content": ["x"]}, "content"),
    (CREATE_MEMORY, {"content": "x", "source": 123}, "source"),
    (CREATE_MEMORY, {"content": "x", "source": []}, "source"),
    (CREATE_MEMORY, {"content": "x", "tags": [1, True]}, "tags[0]"),
    (CREATE_MEMORY, {"content": "x", "tags": ["a", True]}, "tags[1]"),
    (CREATE_MEMORY, {"content": "x", "tags": "a, b"}, "tags"),
    (CREATE_MEMORY, {"content": "x", "tags": {"a": 1}}, "tags"),
    (CREATE_MEMORY, {"content": "x", "tags": [""]}, "tags[0]"),
    (CREATE_MEMORY, {"content": "x", "tags": [str(n) for n in range(21)]}, "tags"),
    (SEARCH_MEMORY, {"limit": 0}, "limit"),
    (SEARCH_MEMORY, {"limit": 99}, "limit"),
    (SEARCH_MEMORY, {"limit": "3"}, "limit"),
    (SEARCH_MEMORY, {"limit": 2.5}, "limit"),
    (SEARCH_MEMORY, {"limit": True}, "limit"),
    (SEARCH_MEMORY, {"limit": float("nan")}, "limit"),
    (SEARCH_MEMORY, {"min_score": 1.5}, "min_score"),
    (SEARCH_MEMORY, {"min_score": "0.5"}, "min_score"),
    (SEARCH_MEMORY, {"query": 5}, "query"),
    (SEARCH_MEMORY, {"query": "x" * 2_001}, "query"),
    (NESTED, {"entities": [{"name": "a", "age": 3}]}, "entities[0]"),
    (NESTED, {"entities": [{"tags": []}]}, "entities[0].name"),
]


@pytest.mark.parametrize(("tool", "arguments", "field"), REFUSED)
def test_a_wrong_value_is_refused_by_name(
    tool: Tool, arguments: dict[str, Any], field: str
) -> None:
    """Cases 042, 106 and 116"""
    with pytest.raises(InvalidArgument) as refused:
        read_arguments(tool, arguments)

    assert refused.value.field == field
    assert field in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("name", "meant"),
    [("text", "content"), ("Content", "content"), ("tag", "tags"), ("sources", "source")],
)
def test_an_unknown_name_is_refused_with_the_one_that_is_near(name: str, meant: str) -> None:
    """Case 106"""
    with pytest.raises(InvalidArgument) as refused:
        read_arguments(CREATE_MEMORY, {"content": "x", name: "y"})

    assert refused.value.field == name
    assert f"'{meant}'" in refused.value.hint


@pytest.mark.parametrize("name", ["maxDepth", "\ud800", "x" * 500])
def test_a_name_that_is_near_to_nothing_gets_the_list(name: str) -> None:
    """Case 106"""
    with pytest.raises(InvalidArgument) as refused:
        read_arguments(SEARCH_MEMORY, {name: 3})

    assert refused.value.hint == "Arguments: query, limit, tags, min_score."
    assert refused.value.message.encode()


def test_too_long_a_text_is_refused_as_everywhere() -> None:
    """Case 044"""
    with pytest.raises(ContentTooLong, match="content has 10,001 characters; the limit is 10,000"):
        read_arguments(CREATE_MEMORY, {"content": "x" * 10_001})


def test_white_space_around_a_text_counts_towards_nothing() -> None:
    padded = " " * 50 + "x" * 10_000

    assert read_arguments(CREATE_MEMORY, {"content": padded})["content"] == padded


@pytest.mark.parametrize(
    "name", ["idempotencyKey", "Idempotency-Key", "idempotency_key", "example.org/idempotencyKey"]
)
def test_the_idempotency_key_is_found_in_meta(name: str) -> None:
    assert idempotency_key({"progressToken": 1, name: "k-1"}) == "k-1"


def test_an_idempotency_key_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="printable"):
        idempotency_key({"idempotencyKey": 7})


def test_a_text_is_measured_as_it_is_stored() -> None:
    """Case 44: decomposed letters and white space around count over MCP as they do over REST."""
    given = {"content": "e\u0301" * 10_000 + "\n", "tags": ["e\u0301" * 64]}

    assert read_arguments(CREATE_MEMORY, given) == given


def test_an_empty_list_is_refused_with_what_it_needs() -> None:
    """Case 42"""
    with pytest.raises(InvalidArgument) as refused:
        read_arguments(MARK_INGESTED, {"paths": []})

    assert (refused.value.field, refused.value.message) == ("paths", "paths must not be empty.")
    assert refused.value.hint == "Send paths with at least 1."
