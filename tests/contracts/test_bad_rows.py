"""Case 154's siblings: rows that break today's rules are shown as far as they go; the rest works."""

from __future__ import annotations

import pytest
from django.db import connection

from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from tests.contracts.graph_world import graph_world, observe
from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import rest_of

BAD = {
    "an endless weight": "UPDATE relationships SET weight = 'Infinity'",
    "a weight that is no number": "UPDATE relationships SET weight = 'NaN', props = '[1]'",
    "props that are no object": "UPDATE memories SET props = '\"text\"'",
    "what was stated as a list": "UPDATE memories SET stated = '[]'",
    "a version without a body": "UPDATE memory_versions SET body = '[]'",
    "a mention without a name": "UPDATE mentions SET name = ''",
}
TOOLS = {
    "search_memory": {"query": "pump"},
    "recall": {"query": "pump"},
    "recent": {},
    "recall_subgraph": {"query": "pump"},
    "inspect_entity": {"entity": "Pump"},
    "query_memory": {"scope": "shared", "query": "pump"},
    "trace_cause": {"scope": "shared", "subject": "Pump"},
    "get_audit_log": {"scope": "shared"},
}
PATHS = ("memories", "relationships", "graph", "entities", "export", "activity", "notes")


@pytest.fixture
def world() -> World:
    found = graph_world()
    connect(found, tier="full")
    return found


@pytest.mark.parametrize("statement", BAD.values(), ids=BAD.keys())
def test_a_bad_old_row_breaks_no_answer(world: World, statement: str) -> None:
    """A9, C3, D4, D10"""
    edges = [("Crane", "stands near", "Pump")]
    told = observe(world, "The crane stands near the pump.", "Crane", "Pump", edges=edges)
    memory, rest = told.reply["observation"], rest_of(world)
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(f"{statement} WHERE bank_id = %s", [to_uuid("bank", world.bank.id)])

    answers = {tool: mcp_call(world, tool, given) for tool, given in TOOLS.items()}
    statuses = {path: rest.get(path).status_code for path in PATHS}
    read = mcp_call(world, "read_observation", {"slug": memory["slug"]})
    hashed = mcp_call(world, "verify_hash", {"id": memory["id"]})
    edited = rest.patch(f"memories/{memory['id']}", {"content": "The crane was moved."})

    assert [tool for tool, answer in answers.items() if answer.error] == []
    assert statuses == dict.fromkeys(PATHS, 200)
    assert (read.error, hashed.error, edited.status_code) == ({}, {}, 200)
    assert len(answers["inspect_entity"].reply["relationships"]) == 1
