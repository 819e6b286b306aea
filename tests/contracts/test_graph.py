"""Contract A over MCP, with the official Python client."""

from __future__ import annotations

import pytest

from memory_app.providers.embedding import get_embedder
from tests.contracts.graph_world import (
    described,
    edges_of,
    graph_world,
    names_of,
    observe,
    related,
)
from tests.factories import World
from tests.mcp.client import mcp_call, mcp_key, mcp_session
from tests.memory_app.rest.client import rest_of

ESSENTIAL = {"create_memory", "search_memory"}
READING = {"read_observation", "recall_subgraph", "inspect_entity", "list_files", "read_file"}
ADDING = {"add_observation", "consolidate", "store_file"}
ANA_LEADS = ("Ana", "leads", "Billing")


@pytest.fixture
def world() -> World:
    return graph_world()


def test_an_observation_keeps_its_fields_and_its_slug(world: World) -> None:
    """A1"""
    added = observe(
        world,
        "Ana leads Billing since May.",
        "Ana",
        title="Who leads Billing",
        category="org",
        tags=["Team"],
        observed_at="2026-05-01T09:00:00+02:00",
        confidence="high",
        source="minutes/may.md",
    )
    observation = added.reply["observation"]

    changed = mcp_call(
        world, "update_observation", {"slug": observation["slug"], "title": "Another title"}
    )

    assert (observation["category"], observation["tags"]) == ("org", ["team"])
    assert (observation["confidence"], observation["source"]) == ("high", "minutes/may.md")
    assert observation["observed_at"] == "2026-05-01T09:00:00+02:00"
    assert changed.reply["observation"]["slug"] == observation["slug"]
    assert observation["slug"].startswith("who-leads-billing")
    assert changed.reply["observation"]["title"] == "Another title"


def test_one_name_in_two_observations_is_one_entity(world: World) -> None:
    """A2"""
    first = observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])
    second = observe(world, "ANA is on leave.", "  ana ")

    assert first.reply["entities"][0]["id"] == second.reply["entities"][0]["id"]
    assert second.reply["entities"][0]["degree"] == 1
    assert names_of(world) == {"Ana", "Billing"}


@pytest.mark.parametrize("name", ["Ладога", "腾议", "سوق", "フジ", "O'Shea", "Oshea", "C++", "C"])
def test_a_name_in_any_script_is_found_by_itself(world: World, name: str) -> None:
    """A2, cases 020 and 022"""
    added = observe(world, "They are all here.", "Ладога", "腾议", "سوق", "フジ", "O'Shea", "Oshea",
                    "C++", "C", "New Castle", "Newcastle")  # fmt: skip

    found = mcp_call(world, "inspect_entity", {"entity": name})

    assert len({one["id"] for one in added.reply["entities"]}) == 10
    assert found.reply["entity"]["name"] == name


def test_a_relationship_keeps_the_order_it_was_written_in(world: World) -> None:
    """A3"""
    edge = {
        "source": "Ana",
        "type": "leads",
        "target": "Billing",
        "weight": 3,
        "description": "since May",
    }

    added = mcp_call(
        world,
        "add_observation",
        {
            "content": "Ana leads Billing.",
            "entities": described("Ana", "Billing"),
            "relationships": [edge],
        },
    )

    [shown] = added.reply["entities"][1]["neighbourhood"]
    assert (shown["source"], shown["type"], shown["target"]) == ANA_LEADS
    assert (shown["weight"], shown["description"]) == (3, "since May")


def test_an_entity_without_a_description_refuses_the_whole_write(world: World) -> None:
    """A5"""
    entities = [*described("Ana"), {"name": "Billing", "description": "  "}]

    refused = mcp_call(world, "add_observation", {"content": "A.", "entities": entities})

    assert refused.error["code"] == "invalid_argument"
    assert "entities[1].description" in refused.error["message"]
    assert names_of(world) == set()


def test_what_a_call_says_twice_is_stored_once_and_told(world: World) -> None:
    """A2, A8, case 016"""
    added = observe(
        world,
        "Ana leads Billing.",
        *("Ana", "Billing", " ANA "),
        edges=[ANA_LEADS, ("ana", "Leads", "billing")],
    )

    assert names_of(world) == {"Ana", "Billing"}
    assert edges_of(world) == {ANA_LEADS}
    assert added.reply["warnings"] == [
        "'ANA' is one entity with 'Ana'; it is stored once.",
        "'ana Leads billing' is one relationship with 'Ana leads Billing'; it is stored once.",
    ]


def test_a_long_observation_is_stored_with_a_warning(world: World) -> None:
    """A6"""
    added = observe(world, "word " * 500, "Ana")

    assert "appendix" in added.reply["warnings"][0]
    assert added.reply["observation"]["status"] == "active"


def test_retrieval_queries_find_an_entity_by_what_it_answers(minilm: None) -> None:
    """A7"""
    world = graph_world()
    get_embedder().embed(["warm"], kind="passage", timeout=None)
    entities = [
        {
            "name": "Team Kestrel",
            "description": "A group of four people.",
            "queries": ["Who sends out invoices?"],
        },
        *described("The red door", "A bicycle", "The north wing"),
    ]
    mcp_call(world, "add_observation", {"content": "Four things.", "entities": entities})

    found = mcp_call(world, "recall_subgraph", {"query": "Who is sending the invoices?"})

    assert found.reply["entities"][0]["name"] == "Team Kestrel"


def test_the_reply_holds_what_is_around_each_touched_entity(world: World) -> None:
    """A8"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])

    added = observe(world, "Ana is on leave.", "Ana")

    [touched] = added.reply["entities"]
    assert [edge["type"] for edge in touched["neighbourhood"]] == ["leads"]
    assert "Ana --[leads]--> Billing" in added.text


def test_semantic_recall_returns_entities_edges_and_a_snippet_of_each_source(world: World) -> None:
    """A9"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS], category="org")
    observe(world, "The roof is new.", "Roof", category="house")

    found = mcp_call(world, "recall_subgraph", {"query": "what does Ana do", "category": "org"})

    assert {one["name"] for one in found.reply["entities"]} == {"Ana", "Billing"}
    assert [one["type"] for one in found.reply["relationships"]] == ["leads"]
    assert [one["snippet"] for one in found.reply["observations"]] == ["Ana leads Billing."]
    assert "note" not in found.reply


def test_structural_recall_filters_by_entity_tag_and_time(world: World) -> None:
    """A9"""
    observe(world, "Old.", "Ana", tags=["x"], observed_at="2025-01-01T00:00:00Z")
    observe(world, "New.", "Ana", tags=["x"], observed_at="2026-01-01T00:00:00Z")
    observe(world, "Other.", "Ben", tags=["x"], observed_at="2026-01-01T00:00:00Z")

    found = mcp_call(
        world,
        "recall_subgraph",
        {"entity": "ana", "tags": ["x"], "observed_from": "2025-06-01T00:00:00Z"},
    )

    assert [one["snippet"] for one in found.reply["observations"]] == ["New."]
    assert [one["name"] for one in found.reply["entities"]] == ["Ana"]


def test_what_was_left_out_is_said(world: World) -> None:
    """A9"""
    names = [f"Thing {letter}" for letter in "abcdefgh"]
    observe(world, "Eight things.", *names)
    mcp_call(world, "create_memory", {"content": "Eight things are enough."})

    found = mcp_call(world, "recall_subgraph", {"limit": 3})

    assert len(found.reply["entities"]) == 3
    assert found.reply["dropped"]["entities"] >= 1
    assert "1 matching memory names no entity" in found.reply["note"]


def test_a_recall_is_in_the_read_log(world: World) -> None:
    """A9, E8: what an agent was shown can be looked up."""
    added = observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])
    found = mcp_call(world, "recall_subgraph", {"query": "Ana"})

    [event] = [
        one for one in rest_of(world).get("activity").json()["events"] if one["kind"] == "search"
    ]
    assert event["id"] == found.reply["recall_id"]
    assert [hit["id"] for hit in event["hits"]] == [added.reply["observation"]["id"]]
    assert event["tool"] == "recall_subgraph"


def test_a_cut_snippet_says_so_and_the_slug_gives_the_rest(world: World) -> None:
    """A10; cut between graphemes."""
    family = "👨‍👩‍👧‍👦"
    added = observe(world, "x" * 298 + family + "y" * 50, "Ana")
    slug = added.reply["observation"]["slug"]

    [snippet] = mcp_call(world, "recall_subgraph", {}).reply["observations"]
    full = mcp_call(world, "read_observation", {"slug": snippet["slug"]}).reply["observation"]

    assert (snippet["slug"], snippet["truncated"], snippet["snippet"]) == (slug, True, "x" * 298)
    assert full["content"].endswith(family + "y" * 50)
    assert [one["name"] for one in full["entities"]] == ["Ana"]


def test_recall_asks_no_language_model(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A11"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])

    def asked(*_given: object, **_named: object) -> None:
        raise AssertionError("a language model was asked")

    monkeypatch.setattr("memory_app.services.judging.get_judge", asked, raising=False)

    found = mcp_call(world, "recall_subgraph", {"query": "Ana"})

    assert found.reply["entities"]


def test_an_update_unites_and_removes_only_what_is_named(world: World) -> None:
    """A12"""
    edges = [ANA_LEADS, ("Ana", "knows", "Ben")]
    slug = observe(world, "Ana.", "Ana", "Billing", "Ben", edges=edges).reply["observation"]["slug"]

    mcp_call(world, "update_observation", {"slug": slug, "entities": described("Cy")})
    united = names_of(world)
    removed = mcp_call(
        world,
        "update_observation",
        {
            "slug": slug,
            "remove_entities": ["ben"],
            "remove_relationships": related(ANA_LEADS),
        },
    )

    assert united == {"Ana", "Billing", "Ben", "Cy"}
    assert (names_of(world), edges_of(world)) == ({"Ana", "Billing", "Cy"}, set())
    assert len(removed.reply["pruned_relationships"]) == 2


def test_the_second_updater_with_the_old_watermark_is_refused(world: World) -> None:
    """A12"""
    seen = observe(world, "Ana.", "Ana").reply["observation"]
    change = {"slug": seen["slug"], "expected_watermark": seen["head_watermark"]}
    mcp_call(world, "update_observation", change | {"title": "First"})

    refused = mcp_call(world, "update_observation", change | {"title": "Second"})

    assert refused.error["code"] == "cas_conflict"


def test_a_changed_description_asks_to_look_at_the_relationships_again(world: World) -> None:
    """A13"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])
    before = edges_of(world)

    added = mcp_call(
        world,
        "add_observation",
        {
            "content": "Ana left.",
            "entities": [{"name": "Ana", "description": "A former colleague."}],
        },
    )

    assert "Ana leads Billing" in added.reply["review_hints"][0]
    assert edges_of(world) == before


def test_deleting_prunes_only_what_nothing_else_backs(world: World) -> None:
    """A14"""
    edges = [ANA_LEADS, ("Ana", "knows", "Ben")]
    first = observe(world, "First.", "Ana", "Billing", "Ben", edges=edges)
    observe(world, "Second.", "Ana", "Billing", edges=[ANA_LEADS])
    slug = first.reply["observation"]["slug"]

    gone = mcp_call(world, "delete_observation", {"slug": slug})
    again = mcp_call(world, "delete_observation", {"slug": slug})

    assert (names_of(world), edges_of(world)) == ({"Ana", "Billing"}, {ANA_LEADS})
    assert gone.reply["deleted"] is True
    assert (len(gone.reply["pruned_entities"]), len(gone.reply["pruned_relationships"])) == (1, 1)
    assert again.error["code"] == "not_found"
    assert mcp_call(world, "read_observation", {"slug": slug}).error["code"] == "not_found"


@pytest.mark.parametrize(
    ("tier", "more"),
    [
        ("read", set()),
        ("read_write", ADDING),
        ("full", ADDING | {"update_observation", "delete_observation"}),
    ],
)
def test_each_tier_has_only_what_it_may_do(tier: str, more: set[str]) -> None:
    """A16"""
    world = graph_world(tier=tier)

    listed = mcp_session(lambda session: session.list_tools(), key=mcp_key(world))

    assert {tool.name for tool in listed.tools} - ESSENTIAL == READING | more


@pytest.mark.parametrize(("method", "body"), [("PATCH", {"title": "T"}), ("DELETE", None)])
def test_update_and_delete_need_the_full_tier(method: str, body: dict[str, str] | None) -> None:
    """A16, A19"""
    world = graph_world(tier="read_write")
    slug = observe(world, "Ana.", "Ana").reply["observation"]["slug"]

    refused = rest_of(world).call(method, f"observations/{slug}", body)

    assert (refused.status_code, refused.json()["code"]) == (403, "tier_insufficient")
