"""Characters that become many when they are folded: what a door accepts the columns hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import rest_of

LONG = "\ufdfa" * 100  # eighteen characters each
TAG = "\ufb01" * 64  # two

OBSERVED = {
    "content": "It stands.",
    "entities": [
        {"name": LONG, "description": "A name."},
        {"name": "Hall", "description": "A hall."},
    ],
    "relationships": [{"source": LONG, "type": LONG, "target": "Hall"}],
}
NOTED = {
    "text": "It stands.",
    "entities": [{"name": LONG}, {"name": "Hall"}],
    "relations": [{"from": LONG, "type": LONG, "to": "Hall"}],
}
EPISODE = {
    "scope": "shared",
    "session_id": "s",
    "entities": [{"name": LONG}, {"name": "Hall"}],
    "facts": [
        {
            "source": LONG,
            "target": "Hall",
            "relation_type": LONG,
            "fact": "It stands.",
            "confidence": "extracted",
        }
    ],
}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_observation", OBSERVED),
        ("remember", NOTED),
        ("write_episode", EPISODE),
        ("link", {"from": {"name": LONG}, "type": LONG, "to": {"name": "Hall"}}),
    ],
)
def test_an_entity_whose_name_grows_is_stored_and_found(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    """A2, C1, D1"""
    connect(world)

    written = mcp_call(world, tool, arguments)
    found = mcp_call(world, "inspect_entity", {"entity": LONG})

    assert written.error == {}
    assert found.reply["entity"]["name"] == LONG
    assert [edge["type"] for edge in found.reply["relationships"]] == [LONG]


def test_names_that_grow_are_given_by_hand_too(world: World) -> None:
    """A8"""
    connect(world, tier="full")
    rest = rest_of(world)
    rest.post(
        "observations", {**OBSERVED, "entities": OBSERVED["entities"][1:], "relationships": []}
    )

    added = rest.post("entities/Hall/aliases", {"name": LONG})
    renamed = rest.patch("entities/Hall", {"name": LONG + "x"})

    assert (added.status_code, renamed.status_code) == (200, 200)


def test_a_tag_that_grows_over_the_limit_is_refused_on_every_door(world: World) -> None:
    """J050: and costs an import that line alone."""
    saved = mcp_call(world, "create_memory", {"content": "It stands.", "tags": [TAG]})
    rest = rest_of(world)
    posted = rest.post("memories", {"content": "It stands.", "tags": [TAG]})
    items = [{"content": "It stands.", "tags": [TAG]}, "It fell."]
    imported = rest.post("imports", {"items": items})

    assert (saved.error["code"], posted.status_code) == ("content_too_long", 400)
    assert imported.json()["counts"] == {"created": 1, "refused": 1}
