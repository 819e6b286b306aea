"""Families R and T: what is left after deleting, merging, and going out and in again."""

from __future__ import annotations

from typing import Any

from accounts.tenancy import acting_as
from memory_app.domain.stated import parse_entities
from memory_app.domain.values import Draft
from memory_app.models import Entity
from memory_app.services.evaluation.scratch import scratch_bank, scratch_organization
from memory_app.services.importing import undo_import
from memory_app.services.observations import add_observation
from tests.cases.doors import RestDoor
from tests.cases.graph_door import (
    ask,
    delete,
    entities,
    inspect,
    observe,
    open_graph,
    orphans,
)
from tests.cases.stage import Stage
from tests.factories import make_bank
from tests.memory_app.rest.client import session_of
from tests.memory_app.rest.test_transfer import JSONL, file_of


def every_way_of_deleting_leaves_no_orphan(stage: Stage) -> None:
    """118: by tag, by date, by agent, by import, and the whole organization."""
    open_graph(stage)
    edges = [("Crane", "stands beside", "Pump"), ("Pump", "feeds", "Tank")]
    selections: list[dict[str, Any]] = [
        {"tags": "yard"},
        {"created_to": "2099-01-01T00:00:00Z"},
        {"author": stage.world.agent.id},
    ]
    report = stage.rest.ask("POST", "imports", {"text": "Crate 1 is red.\nCrate 2 is blue."}).body
    for turn, selection in enumerate(selections):
        for number in range(2):
            only = f"Only {turn}.{number}"
            names = ("Crane", "Pump", "Tank", only)
            tags = ["yard"] if number else []
            observe(stage, f"Visit {turn}.{number}.", *names, edges=edges, tags=tags)
        for memory in stage.listed(**selection):
            assert not delete(stage, memory).code
        assert orphans(stage) == {}
    undo_import(stage.world.person, "main", report["import_id"])

    assert stage.listed() == []
    assert entities(stage) == {}
    assert orphans(stage) == {}
    closed_organization_leaves_nothing()


def every_door_deletes_alike(stage: Stage) -> None:
    """120: an agent over either door and a person reach the same state, table by table."""
    open_graph(stage)
    person = RestDoor(session_of(stage.world))
    states = []

    for number in range(3):
        told = observe(
            stage,
            f"Visit {number} of the yard.",
            *(f"Crane {number}", f"Pump {number}"),
            edges=[(f"Crane {number}", "feeds", f"Pump {number}")],
        ).body
        memory = told["observation"]
        if number == 0:
            delete(stage, memory)
        elif number == 1:
            person.ask("DELETE", f"memories/{memory['id']}")
        else:
            person.ask("DELETE", f"observations/{memory['slug']}")
        states.append(left_of(stage, told))

    assert states[0] == states[1] == states[2]
    assert orphans(stage) == {}


def merging_moves_every_edge(stage: Stage) -> None:
    """122: in and out, a shared one and one between the two; undone exactly; never with itself."""
    open_graph(stage)
    person = RestDoor(session_of(stage.world))
    edges = [
        ("B", "leads to", "Out"),
        ("In", "leads to", "B"),
        ("A", "lies in", "Shared"),
        ("B", "lies in", "Shared"),
        ("A", "is near", "B"),
    ]
    observe(stage, "A tangle.", "A", "B", "Out", "In", "Shared", edges=edges)
    before = triples(stage)
    pair = {"canonical": "A", "variant": "B"}
    asked = stage.rest.ask("POST", "entity-proposals", pair).body
    proposal = asked["proposals"][0]["id"]

    refused = stage.rest.ask("POST", f"entity-proposals/{proposal}/accept")
    person.ask("POST", f"entity-proposals/{proposal}/accept")
    merged, left = triples(stage), orphans(stage)
    itself = stage.rest.ask("POST", "entity-proposals", pair | {"variant": "A"})
    person.ask("POST", f"entity-proposals/{proposal}/undo")

    assert refused.code == "tier_insufficient"
    assert merged == [
        ("A", "leads to", "Out"),
        ("A", "lies in", "Shared"),
        ("In", "leads to", "A"),
    ]
    assert left == {}
    assert itself.code == "invalid_argument"
    assert triples(stage) == before == sorted(edges)
    assert orphans(stage) == {}


def round_trip_is_equal_field_by_field(stage: Stage) -> None:
    """138: tags, source, confidence, pin, category, appendix files, direction and weight."""
    open_graph(stage)
    person = RestDoor(session_of(stage.world))
    told = observe(
        stage,
        "The crane feeds the pump.",
        *("Crane", "Pump"),
        edges=[("Pump", "is fed by", "Crane")],
        title="Yard",
        tags=["yard"],
        source="notebook",
        category="visits",
        confidence="sure",
        observed_at="2026-06-01T19:00:00-05:00",
    ).body["observation"]
    stage.rest.ask("POST", f"memories/{told['id']}/pin")
    old = stage.door.save("The gate opens at seven.").memory
    person.ask("POST", f"memories/{old['id']}/retire", {"reason": "over"})
    files = {"path": "yard/plan.txt", "content": "cGxhbg==", "description": "The plan."}
    ask(stage, "store_file", "files", files)
    make_bank(stage.world, "copy")

    imported = session_of(stage.world).post(
        "/api/v1/banks/copy/import/", file_of(person.client), **JSONL
    )

    assert imported.status_code == 201, imported.content
    for path in ("memories?state=all", "entities", "relationships", "files"):
        here = person.ask("GET", path).body
        there = person.ask("GET", f"/api/v1/banks/copy/{path}").body
        assert there == here, path
    shown = next(row for row in stage.listed() if row["id"] == told["id"])
    assert (shown["pinned"], shown["category"], shown["source"]) == (True, "visits", "notebook")


def triples(stage: Stage) -> list[tuple[str, str, str]]:
    rows = stage.rest.ask("GET", "relationships", limit=100).body["relationships"]
    return sorted((row["source"], row["type"], row["target"]) for row in rows)


def left_of(stage: Stage, told: dict[str, Any]) -> list[object]:
    """What every table says of a deleted observation, without its ids."""
    memory = told["observation"]
    shown = stage.rest.ask("GET", f"memories/{memory['id']}")
    gone = [inspect(stage, one["name"]).code for one in told["entities"]]
    why = stage.rest.ask("GET", f"memories/{memory['id']}/why")
    return [
        shown.code,
        gone,
        why.code,
        [row["operation"] for row in ledger_of(stage, memory["id"])],
    ]


def ledger_of(stage: Stage, target: str) -> list[dict[str, Any]]:
    entries = stage.rest.ask("GET", "ledger", limit=200).body["entries"]
    return [entry for entry in entries if entry["target"] == target]


def closed_organization_leaves_nothing() -> None:
    """Everything below it goes with it, or the removal itself fails on a key."""
    with scratch_organization() as operator, scratch_bank(operator, "Main") as bank:
        named = [{"name": "Crane", "description": "A crane."}]
        draft = Draft(
            content="The crane.",
            entities=parse_entities(named, field="entities", kind="type", described=True),
            identity=None,
            compared=False,
        )
        add_observation(operator, bank.id, draft)
    with acting_as(operator):
        assert not Entity.objects.filter(bank_id=bank.id).exists()


REPLAYS = {
    118: every_way_of_deleting_leaves_no_orphan,
    120: every_door_deletes_alike,
    122: merging_moves_every_edge,
    138: round_trip_is_equal_field_by_field,
}
