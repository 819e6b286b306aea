"""What other memory tools really write, in samples of our own: nothing lost, nothing made up (F7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_app.formats import Reading, read_document


def read(value: Any, name: str = "") -> Reading:
    text = value if isinstance(value, str) else json.dumps(value)
    return read_document(text, name=name)


def backup(**changes: Any) -> dict[str, Any]:
    """OpenMemory's `memories.json` with one memory."""
    memory = {
        "id": "m1",
        "user_id": "u1",
        "app_id": "a1",
        "content": "The ferry leaves at nine.",
        "metadata": {"importance": 3},
        "state": "active",
        "created_at": "2026-03-01T08:00:00+00:00",
        "updated_at": "2026-03-02T08:00:00+00:00",
        "archived_at": None,
        "deleted_at": None,
        "category_ids": ["c1"],
    }
    return {
        "user": {"id": "u1", "user_id": "mara", "name": "Mara", "created_at": "2026-01-01"},
        "apps": [{"id": "a1", "name": "editor"}],
        "categories": [{"id": "c1", "name": "travel"}, {"id": "c2", "name": "food"}],
        "memories": [memory | changes],
        "memory_categories": [{"memory_id": "m1", "category_id": "c1"}],
        "status_history": [],
        "access_controls": [],
        "export_meta": {"version": "1"},
    }


def test_mem0_pages_of_its_service_keep_scopes_and_drop_what_is_derived() -> None:
    reading = read(
        {
            "count": 1,
            "next": None,
            "previous": None,
            "results": [
                {
                    "id": "9c",
                    "memory": "Mara sails on Sundays.",
                    "user_id": "mara",
                    "agent_id": None,
                    "actor_id": "mara-bot",
                    "role": "user",
                    "metadata": {"category": "hobby", "boat": "Petrel"},
                    "categories": ["sports"],
                    "structured_attributes": {"day": 3, "month": 5},
                    "created_at": "2026-05-03T09:12:44.123456-07:00",
                    "updated_at": "2026-05-03T09:12:44.123456-07:00",
                    "expiration_date": "2030-01-01",
                }
            ],
        }
    )

    assert reading.format == "mem0"
    assert reading.items[0].fields == {
        "content": "Mara sails on Sundays.",
        "tags": ["sports"],
        "observed_at": "2026-05-03T09:12:44.123456-07:00",
        "category": "hobby",
        "props": {
            "user_id": "mara",
            "actor_id": "mara-bot",
            "role": "user",
            "expiration_date": "2030-01-01",
            "boat": "Petrel",
        },
    }


def test_openmemorys_backup_names_categories_in_a_list_of_their_own() -> None:
    reading = read(backup())

    assert reading.format == "mem0"
    assert reading.items[0].fields == {
        "content": "The ferry leaves at nine.",
        "tags": ["travel"],
        "observed_at": "2026-03-01T08:00:00+00:00",
        "props": {"user_id": "u1", "app_id": "a1", "importance": 3},
    }


@pytest.mark.parametrize("state", ["deleted", "archived", "paused"])
def test_what_is_out_of_use_in_openmemory_is_not_brought_back(state: str) -> None:
    (item,) = read(backup(state=state)).items

    assert item.skipped == f"{state} in OpenMemory"
    assert item.shown == "The ferry leaves at nine."


def test_openmemorys_lines_are_its_memories_too() -> None:
    rows = [
        {
            "id": "m1",
            "content": "The ferry leaves at nine.",
            "metadata": {},
            "created_at": "2026-03-01T08:00:00+00:00",
            "updated_at": None,
            "state": state,
            "app": "editor",
            "categories": ["travel"],
        }
        for state in ("active", "deleted")
    ]

    reading = read("\n".join(map(json.dumps, rows)) + "\n{broken\n", "memories.jsonl")

    kept, deleted, broken = reading.items
    assert reading.format == "mem0"
    assert (kept.fields["tags"], kept.fields["props"]) == (["travel"], {"app": "editor"})
    assert (deleted.skipped, bool(broken.problem)) == ("deleted in OpenMemory", True)


def test_a_search_answer_of_mem0_names_the_end_of_a_relation_otherwise() -> None:
    reading = read(
        {
            "results": [{"memory": "Mara sails.", "hash": "a1"}],
            "relations": [{"source": "mara", "relationship": "owns", "destination": "petrel"}],
        }
    )

    assert reading.items[1].relations == ({"source": "mara", "type": "owns", "target": "petrel"},)


def test_graphitis_edges_keep_attributes_and_the_time_they_are_of() -> None:
    edge = {
        "uuid": "e1",
        "group_id": "g",
        "source_node_uuid": "n1",
        "target_node_uuid": "n2",
        "created_at": "2026-06-02T00:00:00Z",
        "name": "MOORED_AT",
        "fact": "The Petrel is moored at the north pier.",
        "fact_embedding": [0.1, 0.2],
        "episodes": ["p1"],
        "expired_at": None,
        "valid_at": None,
        "invalid_at": None,
        "reference_time": "2026-06-01T00:00:00Z",
        "attributes": {"berth": 12, "note": ""},
    }
    nodes = [
        {"uuid": "n1", "name": "Petrel", "labels": ["Entity", "Boat"], "summary": ""},
        {"uuid": "n2", "name": "North pier", "labels": ["Entity"], "summary": ""},
    ]

    (item,) = read({"nodes": nodes, "edges": [edge]}).items

    assert item.fields == {
        "content": "The Petrel is moored at the north pier.",
        "observed_at": "2026-06-01T00:00:00Z",
        "props": {"berth": 12},
    }
    assert item.relations == ({"source": "Petrel", "type": "MOORED_AT", "target": "North pier"},)


def test_a_fact_that_ends_later_still_holds() -> None:
    facts = [
        {"uuid": "1", "fact": "The lease runs.", "invalid_at": "2199-01-01T00:00:00Z"},
        {"uuid": "2", "fact": "The old lease ran.", "invalid_at": "2019-01-01T00:00:00Z"},
        {"uuid": "3", "fact": "A lease was.", "invalid_at": "once"},
    ]

    reading = read({"facts": facts})

    assert reading.format == "zep"
    assert [item.text for item in reading.wanted] == ["The lease runs."]
    assert reading.items[0].fields["props"] == {"invalid_at": "2199-01-01T00:00:00Z"}


def test_graphitis_nodes_alone_are_their_summaries() -> None:
    value = {
        "message": "found",
        "nodes": [
            {
                "uuid": "n1",
                "name": "Petrel",
                "labels": ["Entity", "Boat"],
                "created_at": "2026-02-01T00:00:00Z",
                "summary": "A sloop of 1968.",
                "attributes": {"length_m": 9},
                "group_id": "g",
            }
        ],
    }

    reading = read(value)

    assert reading.format == "zep"
    assert reading.items[0].fields == {
        "content": "A sloop of 1968.",
        "title": "Petrel",
        "observed_at": "2026-02-01T00:00:00Z",
        "props": {"length_m": 9},
    }
    assert reading.items[0].entities == ({"name": "Petrel", "type": "Boat"},)


def test_an_episodes_name_is_its_title_and_a_messages_is_who_said_it() -> None:
    episode = {
        "uuid": "p1",
        "name": "Log of 3 May",
        "group_id": "g",
        "source": "text",
        "source_description": "ship's log",
        "content": "Wind from the west.",
        "valid_at": "2026-05-03T00:00:00Z",
        "created_at": "2026-05-09T00:00:00Z",
        "entity_edges": [],
    }
    message = {
        "uuid": "m1",
        "role": "user",
        "role_type": "user",
        "name": "Mara",
        "content": "Is the mast back?",
        "created_at": "2026-05-04T00:00:00Z",
        "thread_id": "t1",
    }

    reading = read({"episodes": [episode, message]})

    first, second = reading.items
    assert reading.format == "zep"
    assert first.fields == {
        "content": "Wind from the west.",
        "observed_at": "2026-05-03T00:00:00Z",
        "title": "Log of 3 May",
        "props": {"source_description": "ship's log"},
    }
    assert (second.fields["session"], second.fields["props"]) == ("t1", {"said_by": "Mara"})


def test_a_memory_servers_torn_line_is_told_and_the_rest_is_read() -> None:
    text = (
        '{"type":"entity","name":"Mara","entityType":"person","observations":["sails"]}\n'
        '{"type":"entity","name":"Petr\n'
        '{"type":"relation","from":"Mara","to":"Petrel","relationType":"owns"}\n'
    )

    reading = read(text, "memory.jsonl")

    assert reading.format == "mcp_memory"
    assert [(item.number, bool(item.problem)) for item in reading.items] == [
        (1, False),
        (2, True),
        (3, False),
    ]


def test_observations_with_a_time_of_their_own_keep_it() -> None:
    entity = {"type": "entity", "name": "Mara", "entityType": "person"}
    seen = {"content": "Mara sails.", "timestamp": "2026-05-01T00:00:00Z"}

    (item,) = read(entity | {"observations": [seen]}, "memory.jsonl").items

    assert (item.text, item.fields["observed_at"]) == ("Mara sails.", "2026-05-01T00:00:00Z")


def test_chatgpts_own_list_of_memories_is_read_through_its_code_block() -> None:
    text = (
        "```markdown\n# Model Set Context\n\n1. [2026-04-26]. Mara sails.\n\n"
        "2. [2026-04-30]. Has a sloop.\n```\n"
    )

    reading = read(text)

    assert reading.format == "chatgpt"
    assert [(item.text, item.fields["observed_at"]) for item in reading.wanted] == [
        ("Mara sails.", "2026-04-26"),
        ("Has a sloop.", "2026-04-30"),
    ]


def test_claudes_export_holds_memory_files_beside_its_text() -> None:
    value = {
        "conversations_memory": "**Work context**\n\nMara repairs boats.",
        "project_memories": {"p1": "The Petrel comes first."},
        "memory_files": [
            {
                "path": "/areas/sailing.md",
                "content": "- Sails on Sundays.\n",
                "updated_at": "2026-05-11T08:28:30Z",
            },
            {"path": "/empty.md", "content": None},
        ],
        "account_uuid": "u1",
    }

    reading = read(value)

    assert reading.format == "claude"
    assert [item.fields for item in reading.wanted] == [
        {"content": "Mara repairs boats.", "category": "Work context"},
        {"content": "The Petrel comes first.", "project": "p1"},
        {
            "title": "sailing",
            "observed_at": "2026-05-11T08:28:30Z",
            "content": "Sails on Sundays.",
        },
    ]
