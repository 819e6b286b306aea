"""A call costs the same number of statements whatever the bank holds, and the door adds few of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db.backends.signals import connection_created

from memory_app.domain.values import parse_draft
from memory_app.services import memories
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
