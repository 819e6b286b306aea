"""Contract C over MCP, with the official Python client."""

from __future__ import annotations

import time
from typing import Any

import pytest

from accounts.models import Connection
from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.values import Changes
from memory_app.models import Entity, Memory, Mention, Recall, Relationship
from memory_app.services import memories
from tests.contracts.knowledge import connect, hub
from tests.factories import World
from tests.mcp.client import Called, mcp_call

PUMP, VALVE = "The pump station runs on solar power.", "The valve was replaced in Oslo."


@pytest.fixture(autouse=True)
def connected(world: World) -> None:
    connect(world, tier="full")


def remember(world: World, text: str, **arguments: Any) -> dict[str, Any]:
    called = mcp_call(world, "remember", {"text": text, **arguments})
    assert not called.error, called.text
    return called.reply


def people(*names: str) -> list[dict[str, str]]:
    return [{"label": "person", "name": name} for name in names]


def texts(called: Called) -> list[str]:
    return [one["memory"]["text"] for one in called.reply["memories"]]


def counts(world: World) -> list[int]:
    with acting_as(world.person):
        return [
            model.objects.filter(bank=world.bank).count()
            for model in (Memory, Entity, Relationship, Mention)
        ]


def test_a_note_is_stored_with_its_hash_entities_and_relations(world: World) -> None:
    """C1"""
    reply = remember(
        world,
        PUMP,
        entities=people("Ana", "Ben"),
        relations=[{"from": "Ana", "type": "knows", "to": "Ben", "props": {"since": 2020}}],
        tags=["Power"],
        props={"ticket": 7},
    )

    assert reply["memory"]["text"] == PUMP
    assert reply["memory"]["hash"].startswith("0x")
    assert len(reply["memory"]["hash"]) == 66
    assert reply["memory"]["tags"] == ["power"]
    assert [entity["name"] for entity in reply["entities"]] == ["Ana", "Ben"]
    assert reply["edges"][0]["type"] == "knows"
    assert reply["edges"][0]["from"] == reply["entities"][0]["id"]
    assert reply["edges"][0]["props"] == {"since": 2020}


def test_the_hash_holds_text_graph_and_props_and_no_tags(world: World, stranger: World) -> None:
    """C1"""
    connect(stranger, tier="full")
    here = remember(world, PUMP, tags=["a"], props={"n": 1})["memory"]["hash"]
    same = remember(stranger, PUMP, tags=["b"], props={"n": 1})["memory"]["hash"]
    other = remember(world, PUMP, props={"n": 1}, entities=people("Ana"))["memory"]["hash"]

    assert here == same
    assert here != other


def test_the_same_note_again_is_the_one_that_is_there(world: World) -> None:
    """C1"""
    first = remember(world, PUMP, entities=people("Ana"))
    again = remember(world, PUMP, entities=people("Ana"))

    assert again == first
    assert counts(world)[0] == 1


def test_a_relation_may_end_at_a_known_name_or_an_id(world: World) -> None:
    """C1"""
    ana = remember(world, PUMP, entities=people("Ana"))["entities"][0]["id"]
    reply = remember(
        world,
        VALVE,
        entities=people("Ben"),
        relations=[
            {"from": "Ben", "type": "knows", "to": "ANA"},
            {"from": ana, "type": "leads", "to": "Ben"},
        ],
    )

    assert [edge["type"] for edge in reply["edges"]] == ["knows", "leads"]
    assert {reply["edges"][0]["to"], reply["edges"][1]["from"]} == {ana}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"text": ""}, "invalid_argument"),
        ({"text": "x" * 4_001}, "content_too_long"),
        ({"text": PUMP, "tags": [str(n) for n in range(21)]}, "invalid_argument"),
        ({"text": PUMP, "entities": [{"label": "person"}]}, "invalid_argument"),
        ({"text": PUMP, "entities": [{"label": "person", "name": " "}]}, "invalid_argument"),
        (
            {"text": PUMP, "relations": [{"from": "Nobody", "type": "is", "to": "No one"}]},
            "invalid_argument",
        ),
    ],
)
def test_a_refused_note_leaves_nothing_behind(world: World, arguments: Any, code: str) -> None:
    """C1, C2"""
    refused = mcp_call(world, "remember", arguments)

    assert refused.error["code"] == code
    assert counts(world) == [0, 0, 0, 0]


def test_an_unknown_endpoint_leaves_no_entity_of_the_call_behind(world: World) -> None:
    """C2"""
    refused = mcp_call(
        world,
        "remember",
        {
            "text": PUMP,
            "entities": people("Ana"),
            "relations": [{"from": "Ana", "type": "knows", "to": "Nobody"}],
        },
    )

    assert refused.error["code"] == "invalid_argument"
    assert counts(world) == [0, 0, 0, 0]


def test_words_rank_before_distance(world: World) -> None:
    """C3"""
    remember(world, PUMP, entities=people("Ana"))
    remember(world, VALVE, entities=people("Ana"))
    remember(world, "The pump leaks.")

    found = mcp_call(world, "recall", {"query": "pump solar", "hops": 2})

    assert texts(found) == [PUMP, "The pump leaks.", VALVE]
    assert [one["score"] for one in found.reply["memories"]] == [5.0, 3.0, 0.333333]
    assert [one["distance"] for one in found.reply["memories"]] == [0, 0, 2]
    assert not found.reply["context_truncated"]
    assert all("cosine" in one for one in found.reply["memories"])


@pytest.mark.parametrize(("hops", "found"), [(0, []), (1, [PUMP]), (2, [PUMP]), (3, [PUMP, VALVE])])
def test_expansion_goes_as_many_edges_as_asked(world: World, hops: int, found: list[str]) -> None:
    """C3"""
    remember(world, PUMP, entities=people("Ana", "Ben"))
    remember(world, VALVE, entities=people("Ben", "Cleo"))

    called = mcp_call(world, "recall", {"entity": "ana", "hops": hops})

    assert texts(called) == found


def test_relationships_without_a_text_are_walked_too(world: World) -> None:
    """C3"""
    remember(world, PUMP, entities=people("Ben"))
    mcp_call(world, "link", {"from": people("Ana")[0], "type": "knows", "to": people("Ben")[0]})

    called = mcp_call(world, "recall", {"entity": "Ana", "hops": 2})
    context = called.reply["context"]

    assert texts(called) == [PUMP]
    assert {node.get("name") for node in context["nodes"]} == {"Ana", "Ben", None}
    assert {edge["type"] for edge in context["edges"]} == {"knows", "mentions"}


@pytest.mark.parametrize(
    "arguments",
    [{}, {"query": "x", "hops": 4}, {"query": "x", "hops": -1}, {"query": "x", "limit": 51}],
)
def test_a_recall_out_of_bounds_is_refused(world: World, arguments: Any) -> None:
    """C3"""
    assert mcp_call(world, "recall", arguments).error["code"] == "invalid_argument"


def test_an_unknown_entity_finds_nothing(world: World) -> None:
    """C3"""
    remember(world, PUMP, entities=people("Ana"))

    called = mcp_call(world, "recall", {"entity": "An"})

    assert called.reply["memories"] == []
    assert called.reply["context"] == {"nodes": [], "edges": []}


def test_a_recall_is_logged_with_what_it_returned(world: World) -> None:
    """C3"""
    note = remember(world, PUMP)["memory"]["id"]
    mcp_call(world, "recall", {"query": "pump"})

    with acting_as(world.person):
        logged = Recall.objects.get(bank=world.bank, tool="recall")
    assert [hit["id"] for hit in logged.hits] == [note]
    assert logged.query == "pump"


def test_a_hub_is_cut_at_three_hundred_nodes_and_says_so(world: World) -> None:
    """C3: a hub of 5,000 edges stays under 150 ms."""
    hub(world, edges=5_000)
    mcp_call(world, "recall", {"entity": "Hub", "hops": 3})

    started = time.perf_counter()
    found = mcp_call(world, "recall", {"entity": "Hub", "hops": 3})
    spent = time.perf_counter() - started

    assert found.reply["context_truncated"]
    assert len(found.reply["context"]["nodes"]) == 300
    assert spent < 1.5


def test_link_makes_both_ends_and_one_relationship(world: World) -> None:
    """C4"""
    ends = {"from": people("Ana")[0], "type": "knows", "to": people("Ben")[0]}
    first = mcp_call(world, "link", ends)
    again = mcp_call(world, "link", ends | {"props": {"since": 2020}})
    by_id = mcp_call(world, "link", {**ends, "from": first.reply["nodes"][0]["id"]})

    assert [node["name"] for node in first.reply["nodes"]] == ["Ana", "Ben"]
    assert first.reply["nodes"][0]["label"] == "person"
    assert again.reply["edge"] == first.reply["edge"] | {"props": {"since": 2020}}
    assert by_id.reply["edge"]["id"] == first.reply["edge"]["id"]
    assert counts(world) == [0, 2, 1, 0]


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("forget", "id"),
        ("verify_hash", "id"),
        ("read_observation", "slug"),
        ("record_recall_save", "fact_id"),
    ],
)
def test_an_id_of_another_kind_is_refused_at_once(world: World, tool: str, argument: str) -> None:
    """B1, C5, C7, D6: never answered as if it were merely unknown."""
    ana = remember(world, PUMP, entities=people("Ana"))["entities"][0]["id"]
    more = {"scope": "shared", "note": "It helped."} if tool == "record_recall_save" else {}

    refused = mcp_call(world, tool, {argument: ana, **more})

    assert refused.error["code"] == "wrong_id_prefix"


def test_the_id_of_a_memory_is_no_name_of_an_entity(world: World) -> None:
    """B1"""
    memory = remember(world, PUMP)["memory"]["id"]

    refused = mcp_call(world, "inspect_entity", {"entity": memory})

    assert refused.error["code"] == "wrong_id_prefix"


@pytest.mark.parametrize("end", [{}, {"name": ""}, {"id": "mem_01"}, {"id": "unknown"}])
def test_a_link_with_a_broken_end_makes_nothing(world: World, end: Any) -> None:
    """C4"""
    refused = mcp_call(world, "link", {"from": end, "type": "knows", "to": people("Ben")[0]})

    assert refused.error["code"] in ("invalid_argument", "wrong_id_prefix")
    assert counts(world) == [0, 0, 0, 0]


def test_a_strangers_entity_cannot_be_linked(world: World, stranger: World) -> None:
    """C4"""
    connect(stranger, tier="full")
    foreign = remember(stranger, PUMP, entities=people("Ana"))["entities"][0]["id"]

    refused = mcp_call(world, "link", {"from": foreign, "type": "is", "to": people("Ben")[0]})

    assert refused.error["code"] == "invalid_argument"
    assert counts(world) == [0, 0, 0, 0]


def test_forgetting_deletes_the_memory_and_its_edges(world: World) -> None:
    """C5"""
    note = remember(
        world,
        PUMP,
        entities=people("Ana", "Ben"),
        relations=[{"from": "Ana", "type": "knows", "to": "Ben"}],
    )["memory"]["id"]

    assert mcp_call(world, "forget", {"id": note}).reply == {"deleted": True}
    assert mcp_call(world, "forget", {"id": note}).reply == {"deleted": False}
    assert mcp_call(world, "recall", {"entity": "Ana", "hops": 3}).reply["memories"] == []
    with acting_as(world.person):
        assert not Relationship.objects.filter(bank=world.bank, until=None).exists()


def test_forgetting_an_unknown_memory_is_false_and_another_kind_of_id_an_error(
    world: World, stranger: World
) -> None:
    """C5"""
    connect(stranger, tier="full")
    foreign = remember(stranger, PUMP)["memory"]["id"]

    assert mcp_call(world, "forget", {"id": new_id("mem")}).reply == {"deleted": False}
    assert mcp_call(world, "forget", {"id": foreign}).reply == {"deleted": False}
    assert mcp_call(world, "forget", {"id": new_id("ent")}).error["code"] == "wrong_id_prefix"
    assert mcp_call(stranger, "recall", {"query": "pump"}).reply["memories"]


def test_a_connection_that_may_only_add_has_no_forget(world: World) -> None:
    """C5, A19"""
    with acting_as(world.person):
        Connection.objects.filter(id=world.connection.id).update(tier="read_write")

    with pytest.raises(Exception, match="Unknown tool"):
        mcp_call(world, "forget", {"id": new_id("mem")})


def test_recent_lists_the_newest_first_whoever_wrote_them(world: World) -> None:
    """C6, F1"""
    for number in range(12):
        mcp_call(world, "create_memory", {"content": f"Gate {number} is painted."})
    remember(world, PUMP)

    ten = mcp_call(world, "recent").reply["memories"]
    two = mcp_call(world, "recent", {"limit": 2}).reply["memories"]

    assert [note["text"] for note in two] == [PUMP, "Gate 11 is painted."]
    assert len(ten) == 10
    assert mcp_call(world, "recent", {"limit": 201}).error["code"] == "invalid_argument"


def test_the_hash_of_an_untouched_note_holds_and_an_edit_makes_a_new_one(world: World) -> None:
    """C7, C1"""
    note = remember(world, PUMP, entities=people("Ana"), props={"n": 1})["memory"]
    before = mcp_call(world, "verify_hash", {"id": note["id"]}).reply
    memories.edit(world.person, "main", note["id"], Changes(content=VALVE), expected_watermark=None)
    after = mcp_call(world, "verify_hash", {"id": note["id"]}).reply

    assert before == {
        "id": note["id"],
        "hash_valid": True,
        "stored_hash": note["hash"],
        "computed_hash": note["hash"],
    }
    assert after["hash_valid"]
    assert after["stored_hash"] != note["hash"]


def test_a_note_changed_past_the_product_no_longer_holds(world: World) -> None:
    """C7"""
    note = remember(world, PUMP)["memory"]["id"]
    with acting_as(world.person):
        Memory.objects.filter(bank=world.bank, id=note).update(content="Something else.")

    checked = mcp_call(world, "verify_hash", {"id": note}).reply

    assert not checked["hash_valid"]
    assert checked["stored_hash"] != checked["computed_hash"]


def test_no_hash_where_there_is_no_memory(world: World) -> None:
    """C7"""
    assert mcp_call(world, "verify_hash", {"id": new_id("mem")}).reply == {"found": False}


def test_a_note_is_found_by_search_and_a_statement_by_recall(world: World) -> None:
    """F1"""
    remember(world, PUMP)
    mcp_call(world, "create_memory", {"content": VALVE})

    searched = mcp_call(world, "search_memory", {"query": "pump station"}).reply["memories"]

    assert PUMP in [hit["content"] for hit in searched]
    assert texts(mcp_call(world, "recall", {"query": "valve"})) == [VALVE]
