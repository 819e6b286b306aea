"""Worlds whose agent has the `graph` toolset, and short ways to observe and to look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import Connection
from accounts.tenancy import acting_as
from memory_app.models import Assertion, Entity, Mention, Relationship
from tests.factories import World, make_world
from tests.mcp.client import Called, mcp_call

Triple = tuple[str, str, str]


def graph_world(*, tier: str = "full") -> World:
    world = make_world(tier=tier)
    with acting_as(world.person):
        Connection.objects.filter(id=world.connection.id).update(toolsets=["essential", "graph"])
    return world


def described(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "description": f"{name} is known to the team."} for name in names]


def related(*triples: Triple) -> list[dict[str, str]]:
    return [{"source": a, "type": kind, "target": b} for a, kind, b in triples]


def observe(
    world: World, content: str, *names: str, edges: Sequence[Triple] = (), **fields: Any
) -> Called:
    """Add an observation over MCP."""
    arguments = {"content": content, "entities": described(*names), **fields}
    return mcp_call(world, "add_observation", arguments | {"relationships": related(*edges)})


def names_of(world: World) -> set[str]:
    with acting_as(world.person):
        rows = Entity.objects.filter(bank=world.bank, until=None)
        return set(rows.values_list("name", flat=True))


def edges_of(world: World) -> set[Triple]:
    with acting_as(world.person):
        rows = Relationship.objects.filter(bank=world.bank, until=None)
        return {
            (row.source.name, row.type, row.target.name)
            for row in rows.select_related("source", "target")
        }


def state_of(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Every live row of the graph, to compare before and after."""
    live = {"bank": world.bank, "until": None}
    with acting_as(world.person):
        return {
            "entities": sorted(
                Entity.objects.filter(**live).values_list("id", "name", "degree", "declared")
            ),
            "relationships": sorted(
                Relationship.objects.filter(**live).values_list("id", "source_id", "target_id")
            ),
            "mentions": sorted(
                Mention.objects.filter(**live).values_list("memory_id", "entity_id", "name")
            ),
            "assertions": sorted(
                Assertion.objects.filter(**live).values_list("memory_id", "relationship_id")
            ),
        }
