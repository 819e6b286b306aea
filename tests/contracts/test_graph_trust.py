"""Contract A over MCP: many writers, fixed settings, shared banks, the past, strangers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from memory_app.domain.errors import FixedSetting
from memory_app.services import banks
from tests.contracts.graph_world import (
    described,
    graph_world,
    names_of,
    observe,
    state_of,
)
from tests.factories import World
from tests.mcp.client import mcp_call, mcp_key
from tests.memory_app.rest.client import Rest

ANA_LEADS = ("Ana", "leads", "Billing")


@pytest.fixture
def world() -> World:
    return graph_world()


def test_twelve_writers_of_one_name_make_one_entity(world: World) -> None:
    """A17"""
    key = mcp_key(world)

    def write(number: int) -> int:
        try:
            added = mcp_call(
                world,
                "add_observation",
                {"content": f"Ana writes line {number}.", "entities": described("Ana")},
                key=key,
            )
            return len(added.reply["entities"])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(12))) == [1] * 12
    assert names_of(world) == {"Ana"}
    assert len(state_of(world)["mentions"]) == 12


def test_the_retrieval_configuration_is_fixed_at_creation(world: World) -> None:
    """A18"""
    with pytest.raises(FixedSetting) as refusal:
        banks.update_bank(world.person, "main", embedding_model="another")

    assert "fixed when the bank was created" in refusal.value.message


def test_an_agent_without_a_connection_reads_a_shared_bank_and_writes_nothing(world: World) -> None:
    """A19"""
    slug = observe(world, "Ana leads Billing.", "Ana").reply["observation"]["slug"]
    other = create_agent(world.person, name="Reader")
    rest = Rest(issue_key(world.person, agent=other.id).secret)

    read = rest.get(f"observations/{slug}")
    refused = rest.post("observations", {"content": "A."})

    assert read.status_code == 200
    assert refused.json()["code"] == "tier_insufficient"


def test_the_past_is_answered_as_it_was(world: World) -> None:
    """F3 for contract A: text, entities, relationships and degrees."""
    first = observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])
    observation = first.reply["observation"]
    mcp_call(
        world,
        "update_observation",
        {
            "slug": observation["slug"],
            "content": "Nobody leads Billing.",
            "remove_entities": ["Ana"],
        },
    )

    then = mcp_call(world, "recall_subgraph", {"as_of": observation["created_at"]})
    now = mcp_call(world, "recall_subgraph", {})
    inspected = mcp_call(
        world, "inspect_entity", {"entity": "Ana", "as_of": observation["created_at"]}
    )

    assert [one["snippet"] for one in then.reply["observations"]] == ["Ana leads Billing."]
    assert {one["name"] for one in then.reply["entities"]} == {"Ana", "Billing"}
    assert [one["snippet"] for one in now.reply["observations"]] == ["Nobody leads Billing."]
    assert {one["name"] for one in now.reply["entities"]} == {"Billing"}
    assert [one["type"] for one in inspected.reply["relationships"]] == ["leads"]
    assert {one["degree"] for one in then.reply["entities"]} == {1}
    assert inspected.reply["entity"]["degree"] == 1
    assert [one["degree"] for one in now.reply["entities"]] == [0]


def test_another_organization_finds_none_of_it(world: World) -> None:
    """A2, tenancy"""
    slug = observe(world, "Ana leads Billing.", "Ana").reply["observation"]["slug"]
    other = graph_world()

    read = mcp_call(other, "read_observation", {"slug": slug})
    looked = mcp_call(other, "inspect_entity", {"entity": "Ana"})
    recalled = mcp_call(other, "recall_subgraph", {"query": "Ana"})

    assert (read.error["code"], looked.error["code"]) == ("not_found", "not_found")
    assert (recalled.reply["entities"], recalled.reply["observations"]) == ([], [])
