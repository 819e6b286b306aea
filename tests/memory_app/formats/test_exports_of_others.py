"""Files that other tools write, told apart by their shape and read without loss (F7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_app.domain.errors import InvalidArgument
from memory_app.formats import Item, read_document


def told(text: str, name: str = "", **options: Any) -> tuple[str, list[str]]:
    reading = read_document(text, name=name, **options)
    return reading.format, [item.text for item in reading.wanted]


def one(text: str, name: str = "") -> Item:
    (item,) = read_document(text, name=name).wanted
    return item


def test_mem0_keeps_categories_dates_metadata_and_relations() -> None:
    value = {
        "results": [
            {
                "id": "6f0e",
                "memory": "Kit likes tea.",
                "hash": "ab",
                "metadata": {"importance": 7},
                "categories": ["food"],
                "created_at": "2026-05-01T10:00:00-07:00",
                "user_id": "kit",
            },
            {"id": "6f0f", "memory": None, "hash": "cd"},
        ],
        "relations": [{"source": "kit", "relationship": "likes_drink", "target": "tea"}],
    }

    reading = read_document(json.dumps(value))

    first, second, third = reading.items
    assert reading.format == "mem0"
    assert first.fields == {
        "content": "Kit likes tea.",
        "tags": ["food"],
        "observed_at": "2026-05-01T10:00:00-07:00",
        "props": {"user_id": "kit", "importance": 7},
    }
    assert second.problem
    assert (third.text, third.relations) == (
        "kit likes drink tea",
        ({"source": "kit", "type": "likes_drink", "target": "tea"},),
    )


def test_zep_keeps_valid_facts_between_their_nodes_and_says_which_ended() -> None:
    value = {
        "nodes": [
            {
                "uuid": "n1",
                "name": "Kit",
                "summary": "Kit is a cook.",
                "labels": ["Entity", "Person"],
            },
            {"uuid": "n2", "name": "Ayr", "summary": ""},
        ],
        "edges": [
            {
                "uuid": "e1",
                "fact": "Kit lives in Ayr.",
                "name": "LIVES_IN",
                "source_node_uuid": "n1",
                "target_node_uuid": "n2",
                "valid_at": "2026-01-01T00:00:00Z",
                "created_at": "2026-02-01T00:00:00Z",
            },
            {"uuid": "e2", "fact": "Kit lives in Oban.", "invalid_at": "2026-01-01T00:00:00Z"},
        ],
    }

    lives, ended, summary = read_document(json.dumps(value)).items

    assert lives.fields["observed_at"] == "2026-01-01T00:00:00Z"
    assert lives.relations == ({"source": "Kit", "type": "LIVES_IN", "target": "Ayr"},)
    assert ended.skipped == "no longer valid since 2026-01-01T00:00:00Z"
    assert (summary.text, summary.entities) == (
        "Kit is a cook.",
        ({"name": "Kit", "type": "Person"},),
    )


def test_chatgpt_lines_lose_their_dates_to_the_event_time() -> None:
    text = (
        "1. [2026-03-01] - Prefers metric units.\n"
        "2. [unknown] - Has two dogs.\n"
        "Works as a nurse (2026-04-02)\n"
        "3. [2026-05-01]. Lives in Ayr.\n"
    )

    reading = read_document(text)

    assert reading.format == "chatgpt"
    assert [(item.text, item.fields.get("observed_at")) for item in reading.items] == [
        ("Prefers metric units.", "2026-03-01"),
        ("Has two dogs.", None),
        ("Works as a nurse", "2026-04-02"),
        ("Lives in Ayr.", "2026-05-01"),
    ]


def test_claude_paragraphs_have_their_heading_as_category() -> None:
    text = (
        "**Work context**\n\nKit runs a kitchen in Ayr.\nIt seats forty.\n\n"
        "**Personal context**\n\n- Has two dogs.\n- Sings.\n\n**Top of mind**\n"
    )
    export = json.dumps(
        [{"conversations_memory": text, "project_memories": {"p1": "Opens in May."}}]
    )

    pasted, exported = read_document(text), read_document(export)

    assert (pasted.format, exported.format) == ("claude", "claude")
    assert [(item.text, item.fields.get("category")) for item in pasted.wanted] == [
        ("Kit runs a kitchen in Ayr.\nIt seats forty.", "Work context"),
        ("Has two dogs.", "Personal context"),
        ("Sings.", "Personal context"),
        ("Top of mind", None),
    ]
    assert exported.items[-1].fields == {"content": "Opens in May.", "project": "p1"}


def test_whole_conversations_are_refused_with_a_way_out() -> None:
    with pytest.raises(InvalidArgument) as refused:
        read_document(json.dumps([{"mapping": {}, "create_time": 1, "title": "t"}]))

    assert "conversations" in refused.value.message


NOTE = """---
title: Search team
type: note
permalink: search-team
tags:
  - team
---
# Search team

Prose of the note
over two lines.

## Observations
- [decision] Ships on Thursdays #release #risk (agreed in May)
- [fact] Uses C# and issue #934, see https://x.example/#frag and a@b.example
- [ ] an open task
- plain entry

## Relations
- part_of [[Product]]
- `part_of [[Log]]`
- [[Ada]] (lead)
"""


def test_basic_memory_observations_and_relations() -> None:
    """Case 136: nothing is made of code, addresses and issue numbers."""
    reading = read_document(NOTE, name="search-team.md")

    found = {item.text: item for item in reading.wanted}
    ships = found["Ships on Thursdays"]
    uses = found["Uses C# and issue #934, see https://x.example/#frag and a@b.example"]
    assert reading.format == "basic_memory"
    assert (ships.fields["category"], ships.fields["tags"]) == (
        "decision",
        ["team", "release", "risk"],
    )
    assert (ships.fields["props"], ships.entities) == (
        {"context": "agreed in May"},
        ({"name": "Search team", "type": "note"},),
    )
    assert uses.fields["tags"] == ["team"]
    assert found["Search team part of Product"].relations == (
        {"source": "Search team", "type": "part_of", "target": "Product"},
    )
    assert found["Search team links to Ada"].relations[0]["description"] == "lead"
    assert not found["`part_of [[Log]]`"].relations
    assert {"Prose of the note\nover two lines.", "an open task", "plain entry"} <= set(found)


def test_markdown_joins_paragraphs_and_takes_headings_for_titles() -> None:
    text = "# Team\n\n## Places\nKit lives\nin Ayr.\n- Ada runs\n\n## Empty\n\n## Tools\n```\nx = 1\n```\n"

    reading = read_document(text, name="team.md")

    assert reading.format == "markdown"
    assert [(item.text, item.fields.get("title")) for item in reading.wanted] == [
        ("Kit lives\nin Ayr.", "Team › Places"),
        ("Ada runs", "Team › Places"),
        ("Empty", None),
        ("x = 1", "Team › Tools"),
    ]


def test_the_memory_servers_lines_and_its_whole_graph_are_the_same() -> None:
    rows: list[dict[str, Any]] = [
        {
            "type": "entity",
            "name": "Kit",
            "entityType": "person",
            "observations": ["likes tea", "Kit sings"],
        },
        {"type": "entity", "name": "Ayr", "entityType": "town", "observations": []},
        {"type": "entity", "name": "Oban", "entityType": "town", "observations": []},
        {"type": "relation", "from": "Kit", "to": "Ayr", "relationType": "lives_in"},
    ]
    graph = {
        "entities": [{k: v for k, v in row.items() if k != "type"} for row in rows[:3]],
        "relations": [{k: v for k, v in rows[3].items() if k != "type"}],
    }

    lines = told("\n".join(map(json.dumps, rows)))

    assert lines == (
        "mcp_memory",
        ["Kit: likes tea", "Kit sings", "Oban (town)", "Kit lives in Ayr"],
    )
    assert told(json.dumps(graph)) == lines


def test_a_memory_servers_broken_line_spoils_no_other() -> None:
    text = (
        '{"type":"entity","name":"Kit","observations":["sings"]}\n{"type":"relation","from":"Kit"}'
    )

    reading = read_document(text, name="memory.jsonl", form="mcp_memory")

    assert [bool(item.problem) for item in reading.items] == [False, True]


def test_a_table_with_a_stray_quote_is_refused_with_its_line() -> None:
    """Case 132"""
    rows = [f"{n},fact {n}" for n in range(1, 500)]
    rows[2] = '3,"6" of snow'

    with pytest.raises(InvalidArgument) as refused:
        read_document("id,text\n" + "\n".join(rows), name="a.csv")

    assert refused.value.details == {"line": 4}


def test_a_table_keeps_commas_quotes_and_line_ends_inside_its_values() -> None:
    """Case 132"""
    text = 'text;tags\r\n"Kit said ""go"";\r\nthen left";a|b\r\n6" of snow;\r\n'

    reading = read_document(text, name="a.csv")

    assert [item.fields for item in reading.items] == [
        {"content": 'Kit said "go";\nthen left', "tags": ["a", "b"]},
        {"content": '6" of snow'},
    ]
    assert [item.number for item in reading.items] == [2, 4]


def test_a_table_without_a_header_loses_no_row() -> None:
    reading = read_document("Kit,lives in Ayr by the sea\nAda,runs\n", name="a.csv")

    assert reading.columns == ("Column 1", "Column 2")
    assert [item.text for item in reading.items] == ["lives in Ayr by the sea", "runs"]


@pytest.mark.parametrize(
    "text", ["a,b\nc,d", "Kit, who sings\nAda, who runs", "text, they said\nx, y"]
)
def test_prose_with_commas_is_no_table(text: str) -> None:
    assert told(text)[0] == "lines"


def test_a_pasted_table_with_an_open_quote_is_refused_whole() -> None:
    """Case 132: its header says what it is, so no line of it becomes a memory."""
    with pytest.raises(InvalidArgument) as refused:
        read_document('content,tags\nfine,a\n"open,b\nlast,c\n')

    assert refused.value.details == {"line": 3}


def test_a_row_of_a_pasted_table_that_is_short_or_long_spoils_no_other() -> None:
    """Case 132"""
    reading = read_document("content,tags\nshort\nfull,a\nlong,a,b\n")

    assert [item.fields for item in reading.items[:2]] == [
        {"content": "short"},
        {"content": "full", "tags": ["a"]},
    ]
    assert reading.items[2].problem == "The row has 3 values; there are 2 columns."


def test_the_word_for_nothing_is_no_tag() -> None:
    """Case 104: databases write it into tables, YAML into heads, services into lists."""
    table = read_document('content,tags\none,null\ntwo,"NULL,a"\n')
    note = read_document("---\ntags: [a, null]\n---\nBody\n", name="a.md")
    mem0 = read_document(
        '[{"memory": "x", "user_id": "u", "hash": "h", "categories": [null, "a"]}]'
    )

    tags = [item.fields.get("tags") for read in (table, note, mem0) for item in read.items]
    assert [one for one in tags if one] == [["a"], ["a"], ["a"]]


def test_a_format_that_does_not_fit_is_refused() -> None:
    for form in ("json", "json_lines", "mem0", "zep", "mcp_memory"):
        with pytest.raises(InvalidArgument):
            read_document("Kit sings.", form=form)
