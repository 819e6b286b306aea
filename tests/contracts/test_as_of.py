"""What was true at a moment is what anybody saw then: text, graph, degrees and relationships (F3, D4).

Every test changes a bank in steps and keeps what each door answered between them. Afterwards each of
those moments is asked for, and must be answered alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from tests.contracts.facts_world import call, fact, write
from tests.contracts.graph_world import graph_world, observe
from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import Rest, rest_of, session_of

NEAR = ("Crane", "stands near", "Pump")
FEEDS = ("Pump", "feeds", "Tank")
LOOKED_AT = ("Pump", "Tower")
Step = Callable[["Yard"], object]


class Yard:
    """A bank with two observations and a fact, and short ways to change them."""

    def __init__(self) -> None:
        self.world = graph_world()
        connect(self.world, tier="full")
        self.person = session_of(self.world)
        self.ids = {
            "visit": self.told("A visit of the yard.", "Crane", "Pump", "Gate", edges=[NEAR]),
            "pump": self.told("The pump feeds the tank.", "Pump", "Tank", edges=[FEEDS]),
            "fact": write(self.world, fact("Mast", "carries", "Lamp"))["facts"][0]["fact_id"],
        }

    def told(self, content: str, *names: str, **more: Any) -> str:
        return str(observe(self.world, content, *names, **more).reply["observation"]["id"])

    def memory(self, name: str, action: str) -> None:
        if action == "delete":
            done = self.person.delete(f"memories/{self.ids[name]}")
        else:
            done = self.person.post(f"memories/{self.ids[name]}/{action}", {})
        assert done.status_code == 200, done.content

    def entity(self, called: str, action: str = "", **body: Any) -> dict[str, Any]:
        method = "POST" if action else "PATCH"
        done = self.person.call(method, f"entities/{called}{action}", body)
        assert done.status_code == 200, done.content
        return dict(done.json())

    def merge(self, canonical: str, variant: str) -> str:
        return str(self.entity(canonical, "/merge", variant=variant)["id"])

    def part(self, proposal: str) -> None:
        done = self.person.post(f"entity-proposals/{proposal}/undo")
        assert done.status_code == 200, done.content

    def update(self, name: str, **changes: Any) -> None:
        done = mcp_call(self.world, "update_observation", {"slug": self.ids[name], **changes})
        assert not done.error, done.text


def went(name: str, *actions: str) -> list[Step]:
    return [lambda yard, action=action: yard.memory(name, action) for action in actions]


def merged(canonical: str, variant: str, *between: Step) -> list[Step]:
    """A merge, what happens while it stands, and its undoing."""
    kept: list[str] = []
    return [
        lambda yard: kept.append(yard.merge(canonical, variant)),
        *between,
        lambda yard: yard.part(kept.pop()),
    ]


def split() -> list[Step]:
    kept: list[int] = []
    return [
        lambda yard: kept.append(
            yard.entity("Pump", "/split", name="Other pump", memories=[yard.ids["pump"]])[
                "watermark"
            ]
        ),
        lambda yard: yard.entity("Pump", "/undo", watermark=kept.pop()),
    ]


def renamed() -> list[Step]:
    kept: list[int] = []
    return [
        lambda yard: kept.append(yard.entity("Mast", name="Tower", type="building")["watermark"]),
        lambda yard: yard.entity("Tower", description="It is tall."),
        lambda yard: kept.append(yard.entity("Tower", description="It is low.")["watermark"]),
        lambda yard: yard.entity("Tower", "/undo", watermark=kept.pop()),
    ]


STORIES: dict[str, list[Step]] = {
    "a memory goes and comes back": went(
        "visit", "delete", "restore", "retire", "revive", "retire", "delete", "restore", "revive"
    ),
    "a fact goes and comes back": went("fact", "delete", "restore", "retire", "revive"),
    "all of an entity's memories go": [
        *went("visit", "delete"),
        *went("pump", "delete", "restore"),
        *went("visit", "restore"),
    ],
    "merged and taken back twice": [*merged("Pump", "Tank"), *merged("Tank", "Pump")],
    "merged in a row": merged("Pump", "Tank", *merged("Crane", "Pump")),
    "merged for good": [
        lambda yard: yard.merge("Crane", "Tank"),
        *went("pump", "delete", "restore"),
    ],
    "split and taken back": split(),
    "renamed and described": renamed(),
    "edited": [
        lambda yard: yard.update("visit", content="Nobody came.", remove_entities=["Gate"]),
        lambda yard: yard.update(
            "visit", entities=[{"name": "Gate", "description": "A gate, painted green."}]
        ),
        lambda yard: yard.update(
            "visit",
            remove_relationships=[{"source": "Crane", "type": "stands near", "target": "Pump"}],
        ),
        lambda yard: yard.update(
            "visit",
            relationships=[{"source": "Crane", "type": "stands near", "target": "Pump"}],
        ),
    ],
    "a fact that another one ends": [
        lambda yard: write(yard.world, fact("Mast", "carries", "Lamp", "Mast carries a new lamp.")),
        lambda yard: yard.told("Another mast.", "Mast"),
    ],
}


@pytest.mark.parametrize("story", STORIES)
def test_every_moment_is_answered_as_it_was(story: str) -> None:
    """F3, D4, A15: before, within and after, over MCP and REST."""
    yard = Yard()
    rest = rest_of(yard.world)
    moments = [timezone.now()]
    seen = [now_and_then(yard.world, rest, None)]
    for step in STORIES[story]:
        step(yard)
        moments.append(timezone.now())
        seen.append(now_and_then(yard.world, rest, None))

    told = [now_and_then(yard.world, rest, moment) for moment in moments]

    for then, was in zip(told, seen, strict=True):
        assert then == was
    assert len({str(one["names"]) + str(one["recalled"]) for one in seen}) > 1


def now_and_then(world: World, rest: Rest, moment: Any) -> dict[str, Any]:
    """What every door says of the bank, now or at a moment."""
    asked = {} if moment is None else {"as_of": moment.isoformat()}
    seconds = {} if moment is None else {"as_of": moment.timestamp()}
    query = "" if moment is None else f"?as_of={quote(moment.isoformat())}"
    names = rest.get(f"entities{query}").json()["entities"]
    edges = rest.get(f"relationships{query}").json()["relationships"]
    picture = rest.get(f"graph{query}").json()
    recalled = rest.post("graph/recall", asked).json()
    facts = call(world, "query_memory", digest=True, top_k=50, **seconds).reply["facts"]
    found = rest.post("recall", {"query": "pump mast crane tank", "limit": 50, **asked}).json()
    return {
        "names": sorted(described(one) for one in names),
        "edges": sorted(stated(one) for one in edges),
        "picture": sorted((one["name"], one["degree"]) for one in picture["nodes"]),
        "drawn": len(picture["edges"]),
        "recalled": sorted(described(one) for one in recalled["entities"]),
        "related": sorted(stated(one) for one in recalled["relationships"]),
        "snippets": sorted(one["snippet"] for one in recalled["observations"]),
        "facts": sorted(
            (one["fact"], one.get("source", ""), one.get("target", "")) for one in facts
        ),
        "found": sorted((one["content"], one["status"]) for one in found["memories"]),
        "inspected": [
            inspected(rest, one["id"], query) for one in names if one["name"] in LOOKED_AT
        ],
    }


def described(entity: dict[str, Any]) -> tuple[Any, ...]:
    return entity["name"], entity.get("type"), entity.get("description"), entity["degree"]


def stated(edge: dict[str, Any]) -> tuple[str, str, str]:
    return edge["source"], edge["type"], edge["target"]


def inspected(rest: Rest, entity: str, query: str) -> tuple[Any, ...]:
    seen = rest.get(f"entities/{entity}/inspect{query}").json()
    return (
        described(seen["entity"]),
        sorted(stated(one) for one in seen["relationships"]),
        sorted(one["snippet"] for one in seen["observations"]),
    )


def test_an_entity_is_not_there_while_the_only_memory_of_it_is_in_the_bin() -> None:
    """F3, A14: neither in lists nor by name; the same after it came back."""
    yard = Yard()
    yard.memory("visit", "delete")
    gap = quote(timezone.now().isoformat())
    yard.memory("visit", "restore")

    listed = yard.person.get(f"entities?as_of={gap}").json()["entities"]
    inspected = yard.person.get(f"entities/Crane/inspect?as_of={gap}")
    path = yard.person.get(f"graph/path?source=Crane&target=Pump&as_of={gap}")
    page = yard.person.get(f"entities?as_of={gap}&limit=1").json()["next_cursor"]

    assert {one["name"] for one in listed} == {"Pump", "Tank", "Mast", "Lamp"}
    assert (inspected.status_code, path.status_code) == (404, 404)
    assert len(yard.person.get(f"entities?cursor={quote(page)}").json()["entities"]) == 3
    assert yard.person.get("entities/Crane/inspect").status_code == 200


@pytest.mark.parametrize("path", ["entities", "relationships", "graph"])
def test_a_moment_that_cannot_be_read_is_refused_by_every_list(path: str) -> None:
    """R: and one before the first entry is empty, one to come is now."""
    yard = Yard()

    refused = yard.person.get(f"{path}?as_of=soon")
    never = yard.person.get(f"{path}?as_of=2001-01-01").json()
    later = yard.person.get(f"{path}?as_of=2999-01-01").json()
    now = yard.person.get(path).json()

    key = "nodes" if path == "graph" else path
    assert (refused.status_code, refused.json()["field"]) == (400, "as_of")
    assert never[key] == []
    assert [one["id"] for one in later[key]] == [one["id"] for one in now[key]]
