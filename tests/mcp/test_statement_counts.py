"""A call costs the same number of statements whatever the bank holds, and the door adds few of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from django.db.backends.signals import connection_created

from memory_app.domain.stated import parse_episode
from memory_app.domain.values import parse_draft
from memory_app.services import memories
from memory_app.services.episodes import write_episode
from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_key, post

# Key, context, connections, banks, rate: everything that the door itself asks.
OF_THE_DOOR = 5


def asked(tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """What every connection made during the test has executed; each request makes its own."""
    seen: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen.append(sql)
        return execute(sql, params, many, context)

    def listen(connection: Any, **_signal: Any) -> None:
        connection.execute_wrappers.append(note)

    connection_created.connect(listen)
    yield seen
    connection_created.disconnect(listen)


@pytest.mark.parametrize("query", ["", "painted gate"])
def test_a_call_costs_as_much_in_a_full_bank(
    world: World, statements: list[str], query: str
) -> None:
    key = mcp_key(world)
    post(asked("search_memory"), key=key)
    memories.save(world.caller, world.bank.id, parse_draft(content="Gate 0 is painted."))
    statements.clear()
    post(asked("search_memory", query=query, limit=50), key=key)
    few = len(statements)
    drafts = [parse_draft(content=f"Gate {number} is painted.") for number in range(1, 40)]
    memories.save_many(world.caller, world.bank.id, drafts)
    statements.clear()

    post(asked("search_memory", query=query, limit=50), key=key)

    assert len(statements) == few


def test_the_door_itself_asks_little(world: World, statements: list[str]) -> None:
    key = mcp_key(world)
    post(asked("search_memory"), key=key)
    statements.clear()

    refused = post(asked("search_memory", limit=0), key=key)

    assert "invalid_argument" in refused.text
    assert len(statements) <= OF_THE_DOOR


FEW, MANY = range(3), range(3, 40)


def write_facts(world: World, numbers: range) -> None:
    """A chain of causes, each of its facts about the pump too."""
    names = [f"Step {number}" for number in (*numbers, numbers[-1] + 1)]
    facts = [
        {
            "source": one,
            "target": two,
            "relation_type": "led_to",
            "fact": f"The pump went from {one} to {two}.",
            "confidence": "extracted",
        }
        for one, two in pairwise(names)
    ]
    given = {"entities": [{"name": name} for name in names], "facts": facts, "assume_new": True}
    write_episode(world.caller, "main", parse_episode(session_id="s1", **given))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("query_memory", {"scope": "shared", "query": "pump step", "top_k": 50}),
        ("query_memory", {"scope": "shared", "digest": True, "top_k": 50}),
        ("query_memory", {"scope": "shared", "about": ["Step 1"], "top_k": 50}),
        ("trace_cause", {"scope": "shared", "subject": "Step 1"}),
        ("get_audit_log", {"scope": "shared", "limit": 200}),
        ("pending_documents", {}),
        ("recall", {"query": "pump", "entity": "Step 1", "hops": 2, "limit": 50}),
        ("recent", {"limit": 200}),
    ],
)
def test_a_read_of_knowledge_costs_as_much_in_a_full_bank(
    world: World, statements: list[str], tool: str, arguments: dict[str, Any]
) -> None:
    connect(world)
    key = mcp_key(world)
    write_facts(world, FEW)
    post(asked(tool, **arguments), key=key)
    statements.clear()
    post(asked(tool, **arguments), key=key)
    few = len(statements)
    write_facts(world, MANY)
    statements.clear()

    answer = post(asked(tool, **arguments), key=key)

    assert '"isError":false' in answer.text.replace(" ", "")
    assert len(statements) == few
