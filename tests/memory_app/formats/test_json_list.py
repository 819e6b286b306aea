from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_app.domain.errors import ContentTooLong, InvalidArgument
from memory_app.formats import read_import, read_items
from memory_app.formats.reading import read_document


def test_strings_and_objects_by_any_of_the_four_fields() -> None:
    """E9."""
    text = '\ufeff["1", {"content": "2"}, {"text": "3"}, {"memory": "4"}, {"value": "5"}]'

    reading = read_import(text)

    assert reading.format == "json"
    assert [item.text for item in reading.items] == ["1", "2", "3", "4", "5"]
    assert [item.number for item in reading.items] == [1, 2, 3, 4, 5]


def test_tags_source_and_dates_are_kept_and_the_rest_becomes_props() -> None:
    """E9, case 138."""
    value = {
        "memory": "Kit moved to Oban.",
        "tags": ["home"],
        "source": "old notes",
        "category": "people",
        "confidence": "extracted",
        "created_at": 1_780_000_000,
        "user_id": "kit",
        "metadata": {"a": 1},
    }

    (item,) = read_items([value]).items

    assert item.fields == {
        "content": "Kit moved to Oban.",
        "tags": ["home"],
        "source": "old notes",
        "category": "people",
        "confidence": "extracted",
        "observed_at": "2026-05-28T20:26:40+00:00",
        "props": {"user_id": "kit", "metadata": {"a": 1}},
    }


def test_a_wrapped_list_and_json_lines_are_understood() -> None:
    assert [item.text for item in read_import('{"memories": ["a", "b"]}').items] == ["a", "b"]
    reading = read_import('{"text": "a"}\n\n{"text": "b"}\n')
    assert (reading.format, [(item.number, item.text) for item in reading.items]) == (
        "json_lines",
        [(1, "a"), (3, "b")],
    )


@pytest.mark.parametrize("name", ["", "facts.jsonl"])
def test_a_torn_line_of_json_lines_is_refused_by_itself(name: str) -> None:
    """It turns no other line into the words of its notation."""
    text = '{"text": "figs"}\n{"text": "oats"\n{"text": "peas", "tags": ["a"]}\n'

    reading = read_document(text, name=name)

    assert reading.format == "json_lines"
    assert [(item.number, item.text, item.problem) for item in reading.items] == [
        (1, "figs", ""),
        (2, '{"text": "oats"', "Line 2 is no whole JSON value."),
        (3, "peas", ""),
    ]


def test_the_name_of_a_file_says_that_its_lines_are_json() -> None:
    """Objects without a known name for their text can be mapped, a list on one line is a list."""
    told = read_document('{"fact": "figs"}\n{"fact": "oats"}\n', name="facts.jsonl")

    assert (told.format, told.columns) == ("json_lines", ("fact",))
    assert read_document('["figs", "oats"]', name="facts.jsonl").format == "json"
    assert read_document("Kit sings.\nAda runs.", name="facts.ndjson").format == "lines"


def test_items_that_are_no_memories_say_so_and_spoil_nothing() -> None:
    items = read_items(["fine", 7, None, {}, {"content": None, "text": "used"}, ["x"]]).items

    assert [bool(item.problem) for item in items] == [False, True, True, True, False, True]


@pytest.mark.parametrize(
    ("text", "line"),
    [('["a",\n "b"\n "c"]', 3), ('[{"content": "a"},\n {"content": "b"', 2), ('["a"],', 1)],
)
def test_broken_json_is_refused_with_its_line(text: str, line: int) -> None:
    """E9, case 132."""
    with pytest.raises(InvalidArgument) as refused:
        read_import(text)

    assert refused.value.field == "text"
    assert refused.value.details == {"line": line}


@pytest.mark.parametrize(
    "text",
    [
        "[x] Paid the rent",
        "[docs](https://x.example) moved",
        "[[Log]] holds it",
        "{",
        "[",
        '{"a": 1} is how the file looks',
        '{"a": 1}\nKit likes tea',
        '{"a":\n# Heading\n- Kit likes tea',
        "[1] A footnote",
    ],
)
def test_text_that_only_looks_like_json_is_read_as_lines(text: str) -> None:
    """E9, case 130."""
    assert read_import(text).format == "lines"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": 1}', 7, None])
def test_what_holds_no_memories_is_refused_or_read_but_never_breaks(text: Any) -> None:
    with pytest.raises(InvalidArgument):
        read_import(text)


def test_a_text_over_the_limit_is_refused() -> None:
    with pytest.raises(ContentTooLong):
        read_import("x" * 8_000_001)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=60))
@settings(max_examples=1_000, deadline=None)
def test_no_json_list_loses_or_changes_an_item(texts: list[str]) -> None:
    """E9."""
    items = read_import(json.dumps(texts)).items

    assert [item.fields["content"] for item in items] == texts


@pytest.mark.parametrize(
    "text",
    [
        '[{"content": "1", "content": "2"}]',
        '{"content": "1"}\n{"content": "2", "content": "3"}',
        '{"results": [{"memory": "1", "memory": "2", "user_id": "u", "id": "x"}]}',
    ],
)
def test_a_name_given_twice_in_an_object_is_refused(text: str) -> None:
    """One of the two values would be lost without a word."""
    with pytest.raises(InvalidArgument) as refusal:
        read_import(text)

    assert "is given twice in one object" in refusal.value.message


def test_a_repeated_name_in_plain_text_is_plain_text() -> None:
    text = 'The config has {"a": 1, "a": 2} in it.\n{"a": 1, "a": 2} stood there too.'

    assert [item.text for item in read_import(text).items] == text.split("\n")


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x7f"])
def test_json_lines_end_where_json_says(sign: str) -> None:
    """Case 124: inside a string these signs end no line."""
    rows = [{"content": f"one{sign}line"}, {"content": "two"}]
    text = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)

    reading = read_import(text)

    assert [item.fields["content"] for item in reading.items] == [f"one{sign}line", "two"]


def test_a_bank_that_was_cut_off_is_refused_whole() -> None:
    """Case 134"""
    text = '{"format": "commonplace", "kind": "bank"}\n{"kind": "memory", "row": {"conte'

    with pytest.raises(InvalidArgument) as refused:
        read_import(text, form="commonplace")

    assert refused.value.details == {"line": 2}
