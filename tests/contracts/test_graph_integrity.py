"""What is left of the graph after memories went and came back in every order (family R, A14, A15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cases.graph_door import orphans_of
from tests.contracts.facts_world import fact, write
from tests.contracts.graph_world import edges_of, graph_world, names_of, observe
from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import Rest, session_of

NEAR = ("Crane", "stands near", "Pump")
NOTHING: dict[str, int] = {}
Change = Callable[[Rest, dict[str, Any], str], None]


def one_by_one(person: Rest, memory: dict[str, Any], action: str) -> None:
    if action == "delete":
        person.delete(f"memories/{memory['id']}")
    else:
        person.post(f"memories/{memory['id']}/{action}", {})


def in_bulk(person: Rest, memory: dict[str, Any], action: str) -> None:
    reason = {"reason": "It is over."} if action == "retire" else {}
    person.post("bulk", {"action": action, "ids": [memory["id"]], **reason})


@pytest.fixture
def world() -> World:
    found = graph_world()
    connect(found, tier="full")
    return found


@pytest.fixture
def person(world: World) -> Rest:
    return session_of(world)


@pytest.fixture(params=[one_by_one, in_bulk])
def change(request: pytest.FixtureRequest) -> Change:
    done: Change = request.param
    return done


def visit(world: World) -> dict[str, Any]:
    told = observe(world, "A visit of the yard.", "Crane", "Pump", "Gate", edges=[NEAR])
    return dict(told.reply["observation"])


def test_a_retired_memory_takes_its_entities_to_the_bin_and_back(
    world: World, person: Rest, change: Change
) -> None:
    """A14, R: in the bin it names nothing, however it got there; out of it, it names them again."""
    memory = visit(world)

    change(person, memory, "retire")
    retired = names_of(world)
    change(person, memory, "delete")
    binned, left = names_of(world), orphans_of(world)
    change(person, memory, "restore")
    restored = names_of(world), edges_of(world)
    change(person, memory, "revive")

    assert (retired, binned, left) == ({"Crane", "Pump", "Gate"}, set(), NOTHING)
    assert restored == ({"Crane", "Pump", "Gate"}, set())
    assert (names_of(world), edges_of(world)) == ({"Crane", "Pump", "Gate"}, {NEAR})
    assert orphans_of(world) == NOTHING


def test_deleting_a_retired_observation_says_what_it_pruned(world: World, person: Rest) -> None:
    """A14"""
    memory = visit(world)
    one_by_one(person, memory, "retire")

    gone = mcp_call(world, "delete_observation", {"slug": memory["slug"]})

    assert len(gone.reply["pruned_entities"]) == 3


def test_an_edit_of_a_retired_memory_costs_it_nothing_of_its_graph(
    world: World, person: Rest, change: Change
) -> None:
    """A12, R: what it stated is there again after its revival."""
    memory = visit(world)
    stated = write(world, fact("Crane", "lifts", "Crate"))["facts"][0]["fact_id"]
    before = names_of(world), edges_of(world)

    for one in (memory, {"id": stated}):
        change(person, one, "retire")
        person.patch(f"memories/{one['id']}", {"content": f"Reworded {one['id']}."})
        change(person, one, "revive")

    assert (names_of(world), edges_of(world)) == before
    assert orphans_of(world) == NOTHING


def test_what_was_removed_before_the_last_retirement_stays_removed(
    world: World, person: Rest
) -> None:
    """A12"""
    memory = visit(world)
    one_by_one(person, memory, "retire")
    one_by_one(person, memory, "revive")
    removed = {"slug": memory["slug"], "remove_entities": ["Crane", "Pump", "Gate"]}
    mcp_call(world, "update_observation", removed)

    one_by_one(person, memory, "retire")
    one_by_one(person, memory, "revive")

    assert (names_of(world), edges_of(world)) == (set(), set())


def test_a_retired_observation_states_nothing_new(world: World, person: Rest) -> None:
    """A12, R: its labels may change, its part of the graph not."""
    memory = visit(world)
    one_by_one(person, memory, "retire")
    entities = [{"name": "Well", "description": "A well."}]

    refused = mcp_call(world, "update_observation", {"slug": memory["slug"], "entities": entities})
    titled = mcp_call(world, "update_observation", {"slug": memory["slug"], "title": "Yard"})

    assert (refused.error["code"], "Revive" in refused.error["hint"]) == ("conflict", True)
    assert titled.reply["observation"]["title"] == "Yard"
    assert orphans_of(world) == NOTHING


def test_a_memory_in_the_bin_replaces_nothing(world: World, person: Rest) -> None:
    """B6, R: no link leads to what is in the bin."""
    kept = visit(world)
    binned = observe(world, "Another visit.", "Gate").reply["observation"]
    one_by_one(person, binned, "delete")

    refused = person.post(f"memories/{kept['id']}/retire", {"superseded_by": binned["id"]})

    assert (refused.status_code, refused.json()["field"]) == (409, "superseded_by")
    assert orphans_of(world) == NOTHING


def test_the_undo_of_a_merge_brings_back_nothing_that_only_binned_memories_named(
    world: World, person: Rest
) -> None:
    """A14, A15, case 122: it comes back with the memory."""
    observe(world, "First.", "Ana", "Yard", edges=[("Ana", "runs", "Yard")])
    second = observe(world, "Second.", "Anna", "Yard", edges=[("Anna", "runs", "Yard")])
    before = names_of(world), edges_of(world)
    asked = person.post("entity-proposals", {"canonical": "Ana", "variant": "Anna"}).json()
    proposal = asked["proposals"][0]["id"]

    person.post(f"entity-proposals/{proposal}/accept")
    one_by_one(person, second.reply["observation"], "delete")
    person.post(f"entity-proposals/{proposal}/undo")
    undone, left = names_of(world), orphans_of(world)
    one_by_one(person, second.reply["observation"], "restore")

    assert (undone, left) == ({"Ana", "Yard"}, NOTHING)
    assert (names_of(world), edges_of(world)) == before


def test_a_relationship_of_an_entity_with_itself_counts_once(world: World, person: Rest) -> None:
    """A2: the degree is the number of its relationships, now and then, on every page."""
    edges = [("Ana", "trusts", "Ana"), ("Ana", "knows", "Ben")]
    observe(world, "Ana trusts.", "Ana", "Ben", edges=edges)
    then = person.get("memories").json()["memories"][0]["created_at"]
    observe(world, "Later.", "Ana", "Cy", edges=[("Ana", "knows", "Cy")])

    shown = mcp_call(world, "inspect_entity", {"entity": "Ana"}).reply
    past = mcp_call(world, "inspect_entity", {"entity": "Ana", "as_of": then}).reply
    graph = person.get(f"graph?as_of={then.replace('+', '%2B')}").json()

    assert (shown["entity"]["degree"], len(shown["relationships"])) == (3, 3)
    assert (past["entity"]["degree"], len(past["relationships"])) == (2, 2)
    assert {one["name"]: one["degree"] for one in graph["nodes"]} == {"Ana": 2, "Ben": 1}
    assert orphans_of(world) == NOTHING
