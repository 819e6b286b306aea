"""Which bank and which tools a key gets (cases 082 and 086; A16, A19)."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from accounts.services.connections import change_connection, connect, pause_connection
from memory_app.domain.values import parse_draft
from memory_app.mcp.registry import all_tools
from memory_app.services import memories
from tests.factories import World, make_bank, make_world
from tests.mcp.client import mcp_call, mcp_key, mcp_session, post

LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def names(session: Client) -> list[str]:
    return [tool.name for tool in (await session.list_tools()).tools]


def tools_at(world: World, path: str = "/mcp") -> list[str]:
    return mcp_session(names, key=mcp_key(world), path=path)


def connected(world: World, slug: str, tier: str) -> Any:
    bank = make_bank(world, slug, visibility="private")
    connect(world.person, agent=world.agent.id, bank=bank.id, tier=tier)
    return bank


def test_the_bare_address_is_the_only_connected_bank(world: World) -> None:
    """Case 082: banks that are merely readable don't widen the default."""
    other = make_bank(world, "other")
    memories.save(world.person, other.id, parse_draft(content="The fence is green."))

    saved = mcp_call(world, "create_memory", {"content": "The gate is red."})
    profile = mcp_call(world, "search_memory")

    assert [hit["id"] for hit in profile.reply["memories"]] == [saved.reply["memory"]["id"]]


def test_with_several_banks_every_call_lists_them(world: World) -> None:
    connected(world, "second", "read_write")

    refused = mcp_call(world, "search_memory")

    assert tools_at(world) == ["create_memory", "search_memory"]
    assert refused.result.is_error
    assert refused.error["details"]["banks"] == ["main", "second"]
    assert "/mcp/{bank}" in refused.error["hint"]


def test_a_bank_is_named_by_slug_or_id(world: World) -> None:
    second = connected(world, "second", "read_write")
    mcp_call(world, "create_memory", {"content": "The gate is red."}, path="/mcp/second")

    by_id = mcp_call(world, "search_memory", path=f"/mcp/{second.id}")
    elsewhere = mcp_call(world, "search_memory", path="/mcp/main/")

    assert len(by_id.reply["memories"]) == 1
    assert elsewhere.reply["memories"] == []


def test_tiers_differ_by_bank_under_one_key(world: World) -> None:
    """Case 086: full on one bank, read on the second, none on the third."""
    connected(world, "reading", "read")
    hidden = make_bank(world, "hidden", visibility="private")
    key = mcp_key(world)

    assert tools_at(world, "/mcp/main") == ["create_memory", "search_memory"]
    assert tools_at(world, "/mcp/reading") == ["search_memory"]
    assert post(LISTING, key=key, path=f"/mcp/{hidden.id}").status_code == 404


def test_a_tool_beyond_the_tier_does_not_exist() -> None:
    """A16"""
    world = make_world(tier="read")

    with pytest.raises(MCPError) as beyond:
        mcp_call(world, "create_memory", {"content": "x"})
    with pytest.raises(MCPError) as unknown:
        mcp_call(world, "no_such_tool")

    assert str(beyond.value) == "Unknown tool: create_memory"
    assert beyond.value.error.code == unknown.value.error.code == -32602


def test_a_changed_tier_holds_from_the_next_request(world: World) -> None:
    change_connection(world.person, world.connection.id, tier="read")
    narrowed = tools_at(world)

    change_connection(world.person, world.connection.id, tier="full")

    assert narrowed == ["search_memory"]
    assert tools_at(world) == ["create_memory", "search_memory"]


def test_a_paused_connection_leaves_what_everybody_may_read(world: World) -> None:
    """A19"""
    pause_connection(world.person, world.connection.id)

    assert tools_at(world, "/mcp/main") == ["search_memory"]


def test_the_address_can_only_narrow_the_toolsets(world: World) -> None:
    change_connection(world.person, world.connection.id, toolsets=["documents"])
    without = tools_at(world)
    wished = tools_at(world, "/mcp?toolsets=essential")
    change_connection(world.person, world.connection.id, toolsets=["essential", "documents"])

    assert (without, wished) == ([], [])
    assert tools_at(world, "/mcp?toolsets=documents") == []
    assert tools_at(world, "/mcp?toolsets=essential,documents") == [
        "create_memory",
        "search_memory",
    ]


def test_an_unknown_toolset_is_refused_by_name(world: World) -> None:
    answered = post(LISTING, key=mcp_key(world), path="/mcp?toolsets=everything")

    assert answered.status_code == 400
    assert answered.json()["error"]["data"]["field"] == "toolsets"


@pytest.mark.parametrize("tool", [tool.name for tool in all_tools()])
def test_a_strangers_bank_is_answered_like_an_unknown_one(
    world: World, stranger: World, tool: str
) -> None:
    key, calling = mcp_key(world), LISTING | {"method": "tools/call", "params": {"name": tool}}
    unknown = post(calling, key=key, path="/mcp/bank_01ARZ3NDEKTSV4RRFFQ69G5FAV")

    foreign = post(calling, key=key, path=f"/mcp/{stranger.bank.id}")

    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content


def test_one_connection_is_the_default_among_many_banks(world: World) -> None:
    """Case 082: however many other banks stand before it in the list."""
    for number in range(55):
        make_bank(world, f"a{number:02}")

    saved = mcp_call(world, "create_memory", {"content": "The gate is red."})

    assert saved.reply["status"] == "created"


def test_a_long_list_of_banks_says_how_many_it_leaves_out(world: World) -> None:
    for number in range(24):
        connected(world, f"bank-{number:02}", "read_write")

    refused = mcp_call(world, "search_memory")

    assert len(refused.error["details"]["banks"]) == 20
    assert refused.error["details"]["more"] == 5
    assert "and 5 more" in refused.error["message"]
