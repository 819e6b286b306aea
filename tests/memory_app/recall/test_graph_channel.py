"""The channel through the graph: what a walk from the query's entities brings up."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.queries.access import resolve
from memory_app.recall.channels import graph
from memory_app.recall.scope import scope_of
from memory_app.recall.values import Filters, Query
from memory_app.services.memories import retire
from memory_app.services.recalling import search
from tests.contracts.graph_world import graph_world, observe
from tests.contracts.knowledge import hub
from tests.factories import World


@pytest.fixture
def world() -> World:
    return graph_world()


def test_a_walk_stands_most_often_near_its_start() -> None:
    edges = [("a", "seed"), ("b", "seed"), ("b", "x"), ("c", "x"), ("d", "y")]

    found = graph.walk(edges, {"seed": 1.0})

    assert found["seed"] > found["a"] > found["x"] > found["c"] > found["d"] == 0
    assert found["a"] > found["b"] / 2
    assert sum(found.values()) == pytest.approx(1)


def test_a_memory_is_found_through_what_it_shares(world: World) -> None:
    """Off unless asked for; then a memory without any word of the query is an answer too."""
    observe(world, "Ana leads the billing team.", "Ana", "Billing")
    observe(world, "Invoices leave on the first.", "Billing")
    observe(world, "The gate is green.", "Gate")

    without = search(world.caller, "main", Query(text="Ana", min_score=None))
    found = search(world.caller, "main", Query(text="Ana's day", graph=True))

    assert not any("graph" in hit.matched for hit in without.result.hits)
    through = [hit.memory.content for hit in found.result.hits if "graph" in hit.matched]
    assert through == ["Ana leads the billing team.", "Invoices leave on the first."]


def test_filters_and_retired_memories_hold_in_the_graph_too(world: World) -> None:
    kept = observe(world, "Ana leads the billing team.", "Ana", tags=["team"])
    gone = observe(world, "Ana is away.", "Ana", tags=["team"]).reply["observation"]
    observe(world, "Ana likes tea.", "Ana")
    retire(world.person, "main", gone["id"])

    asked = Query(text="Ana", graph=True, filters=Filters(tags=("team",)))
    hits = search(world.caller, "main", asked).result.hits

    assert [hit.memory.slug for hit in hits] == [kept.reply["observation"]["slug"]]


def test_a_hub_starts_no_walk_and_costs_two_statements(world: World) -> None:
    hub(world, edges=500)

    with acting_as(world.person), CaptureQueriesContext(connection) as seen:
        scope = scope_of(resolve(world.person, "main"), Query(text="Hub"))
        before = len(seen)
        found = graph.search(scope, "What is at the hub?", depth=200, vector=None)

    assert found == []
    assert len(seen) - before <= 3
