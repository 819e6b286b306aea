"""Curating entities over REST: rename, aliases, merge at once, split, and their exact undoing."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.models import Entity, EntityAlias, LedgerEntry
from memory_app.queries.graph import degrees_of
from memory_app.services.ledger import verify
from tests.contracts.graph_world import edges_of, graph_world, names_of, observe, state_of
from tests.factories import World
from tests.memory_app.rest.client import Rest, rest_of, session_of


@pytest.fixture
def world() -> World:
    return graph_world()


@pytest.fixture
def person(world: World) -> Rest:
    return session_of(world)


def whole_state(world: World) -> dict[str, Any]:
    """Every live row, every alias, and that each stored degree is the counted one."""
    with acting_as(world.person):
        aliases = EntityAlias.objects.filter(bank=world.bank)
        rows = list(Entity.objects.filter(bank=world.bank, until=None))
        counted = degrees_of(world.bank.id, [row.id for row in rows])
        assert [row.degree for row in rows] == [counted.get(row.id, 0) for row in rows]
        known = sorted(aliases.values_list("name_key", "name", "entity_id"))
    return state_of(world) | {"aliases": known}


def two_alices(world: World) -> list[str]:
    """Three memories of one entity; the second is about somebody else. Their ids."""
    said = [
        observe(
            world, "Alice builds the pump.", "Alice", "Pump", edges=[("Alice", "builds", "Pump")]
        ),
        observe(
            world,
            "Alice sings in Oslo.",
            "Alice",
            "Oslo",
            edges=[("Alice", "sings in", "Oslo"), ("Alice", "knows", "Alice")],
        ),
        observe(
            world, "Alice oils the pump.", "Alice", "Pump", edges=[("Alice", "builds", "Pump")]
        ),
    ]
    return [one.reply["observation"]["id"] for one in said]


def test_a_renamed_entity_answers_to_both_names(world: World, person: Rest) -> None:
    two_alices(world)

    renamed = person.patch("entities/Alice", {"name": "Alice Ng", "type": "person"})

    assert renamed.status_code == 200, renamed.content
    assert renamed.json()["aliases"] == ["Alice"]
    assert person.get("entities/alice").json()["name"] == "Alice Ng"
    observe(world, "Alice paints.", "ALICE")
    assert names_of(world) == {"Alice Ng", "Pump", "Oslo"}


def test_a_rename_is_taken_back_exactly_once(world: World, person: Rest) -> None:
    two_alices(world)
    before = whole_state(world)
    changed = person.patch("entities/Alice", {"name": "Bob", "description": "Sings."}).json()

    undone = person.post("entities/Bob/undo", {"watermark": changed["watermark"]})
    again = person.post("entities/Alice/undo", {"watermark": changed["watermark"]})

    assert (undone.status_code, again.status_code) == (200, 409)
    assert whole_state(world) == before
    assert verify(world.person, "main").valid


def test_renaming_to_an_own_alias_swaps_the_two(world: World, person: Rest) -> None:
    two_alices(world)
    person.post("entities/Alice/aliases", {"name": "Ali"})
    before = whole_state(world)

    changed = person.patch("entities/Alice", {"name": "Ali"}).json()

    assert changed["aliases"] == ["Alice"]
    person.post("entities/Ali/undo", {"watermark": changed["watermark"]})
    assert whole_state(world) == before


@pytest.mark.parametrize("name", ["Pump", "pump ", "P."])
def test_a_name_that_leads_elsewhere_is_refused(world: World, person: Rest, name: str) -> None:
    two_alices(world)
    person.post("entities/Pump/aliases", {"name": "P"})
    before = whole_state(world)

    refused = [
        person.patch("entities/Alice", {"name": name}),
        person.post("entities/Alice/aliases", {"name": name}),
    ]

    assert [one.status_code for one in refused] == [409, 409]
    assert whole_state(world) == before


def test_aliases_come_and_go_and_come_back(world: World, person: Rest) -> None:
    two_alices(world)
    added = person.post("entities/Alice/aliases", {"name": "Liz"}).json()
    removed = person.post("entities/Alice/aliases/remove", {"name": "liz"}).json()
    unknown = person.post("entities/Alice/aliases/remove", {"name": "liz"})

    back = person.post("entities/Alice/undo", {"watermark": removed["watermark"]}).json()
    gone = person.post("entities/Alice/undo", {"watermark": added["watermark"]}).json()

    assert (added["aliases"], removed["aliases"], unknown.status_code) == (["Liz"], [], 404)
    assert (back["aliases"], gone["aliases"]) == (["Liz"], [])


def test_a_split_moves_what_the_memories_say(world: World, person: Rest) -> None:
    memories = two_alices(world)

    parted = person.post("entities/Alice/split", {"name": "Alice B.", "memories": [memories[1]]})

    assert parted.status_code == 200, parted.content
    assert parted.json()["other"]["name"] == "Alice B."
    assert edges_of(world) == {
        ("Alice", "builds", "Pump"),
        ("Alice B.", "sings in", "Oslo"),
        ("Alice B.", "knows", "Alice B."),
    }
    inspected = person.get("entities/Alice/inspect").json()
    assert {one["id"] for one in inspected["observations"]} == {memories[0], memories[2]}
    whole_state(world)


def test_a_split_is_taken_back_exactly(world: World, person: Rest) -> None:
    memories = two_alices(world)
    before = whole_state(world)
    parted = person.post("entities/Alice/split", {"name": "Al", "memories": memories[:2]}).json()

    undone = person.post("entities/Alice/undo", {"watermark": parted["watermark"]})
    again = person.post("entities/Alice/undo", {"watermark": parted["watermark"]})

    assert (undone.status_code, again.status_code) == (200, 409)
    assert whole_state(world) == before
    assert verify(world.person, "main").valid


def test_the_past_answers_as_before_a_split(world: World, person: Rest) -> None:
    memories = two_alices(world)
    with acting_as(world.person):
        moment = LedgerEntry.objects.filter(bank=world.bank).latest("seq").created_at.isoformat()
    person.post("entities/Alice/split", {"name": "Al", "memories": [memories[1]]})

    then = person.get(f"entities/Alice/inspect?as_of={moment.replace('+', '%2B')}").json()

    assert len(then["observations"]) == 3


def test_memories_can_join_an_entity_that_stands(world: World, person: Rest) -> None:
    memories = two_alices(world)
    observe(world, "Ann hums.", "Ann", "Oslo", edges=[("Ann", "sings in", "Oslo")])
    before = whole_state(world)
    asked = {"name": "ann", "memories": [memories[1]]}

    refused = person.post("entities/Alice/split", asked)
    joined = person.post("entities/Alice/split", asked | {"join": True})

    assert (refused.status_code, joined.status_code) == (409, 200)
    assert ("Ann", "sings in", "Oslo") in edges_of(world)
    assert ("Alice", "sings in", "Oslo") not in edges_of(world)
    whole_state(world)
    person.post("entities/Alice/undo", {"watermark": joined.json()["watermark"]})
    assert whole_state(world) == before


def test_a_split_that_was_built_upon_is_merged_instead(world: World, person: Rest) -> None:
    memories = two_alices(world)
    parted = person.post("entities/Alice/split", {"name": "Al", "memories": [memories[1]]}).json()
    observe(world, "Al paints.", "Al")
    before = whole_state(world)

    refused = person.post("entities/Alice/undo", {"watermark": parted["watermark"]})
    unchanged = whole_state(world)
    merged = person.post("entities/Alice/merge", {"variant": "Al"})

    assert (refused.status_code, unchanged) == (409, before)
    assert merged.status_code == 200
    assert ("Alice", "sings in", "Oslo") in edges_of(world)


def test_a_split_survives_its_memory_being_deleted_before_undo(world: World, person: Rest) -> None:
    memories = two_alices(world)
    parted = person.post("entities/Alice/split", {"name": "Al", "memories": [memories[1]]}).json()
    person.delete(f"memories/{memories[1]}")

    undone = person.post("entities/Alice/undo", {"watermark": parted["watermark"]})

    assert undone.status_code in {200, 409}
    whole_state(world)
    assert ("Alice", "builds", "Pump") in edges_of(world)
    assert verify(world.person, "main").valid


@pytest.mark.parametrize(
    ("memories", "status"),
    [([], 400), (["mem_x"], 400), (["other"], 400), (["all"], 400)],
)
def test_unfit_splits_change_nothing(
    world: World, person: Rest, memories: list[str], status: int
) -> None:
    known = two_alices(world)
    other = observe(world, "Nobody.", "Nobody").reply["observation"]["id"]
    given = {"other": [other], "all": known}.get("".join(memories), memories)
    before = whole_state(world)

    refused = person.post("entities/Alice/split", {"name": "Al", "memories": given})

    assert refused.status_code == status, refused.content
    assert whole_state(world) == before


def test_undoing_a_merge_takes_no_name_from_a_third_entity(world: World, person: Rest) -> None:
    """A15"""
    two_alices(world)
    person.post("entities/Pump/aliases", {"name": "Engine"})
    merged = person.post("entities/Alice/merge", {"variant": "Pump"}).json()
    for name in ("Pump", "Engine"):
        person.post("entities/Alice/aliases/remove", {"name": name})
        person.post("entities/Oslo/aliases", {"name": name})

    refused = person.post(f"entity-proposals/{merged['id']}/undo")
    person.post("entities/Oslo/aliases/remove", {"name": "Pump"})
    undone = person.post(f"entity-proposals/{merged['id']}/undo")

    assert (refused.status_code, undone.status_code) == (409, 200)
    assert person.get("entities/Engine").json()["name"] == "Oslo"
    assert person.get("entities/Pump").json()["name"] == "Pump"


@pytest.mark.parametrize("name", ["\x00", "Pump\x00"])
def test_a_name_that_cant_be_stored_names_nothing(world: World, person: Rest, name: str) -> None:
    two_alices(world)

    answer = person.post("entities/Alice/merge", {"variant": name})

    assert answer.status_code in {400, 404}


def test_a_merge_at_once_is_undone_to_what_was_decided_before(world: World, person: Rest) -> None:
    """A15, case 122"""
    two_alices(world)
    asked = person.post("entity-proposals", {"canonical": "Alice", "variant": "Pump"}).json()
    proposal = asked["proposals"][0]["id"]
    person.post(f"entity-proposals/{proposal}/reject")
    before = whole_state(world)

    merged = person.post("entities/Alice/merge", {"variant": "Pump"})
    itself = person.post("entities/Alice/merge", {"variant": "pump"})
    undone = person.post(f"entity-proposals/{proposal}/undo")

    assert (merged.json()["status"], itself.status_code) == ("accepted", 400)
    assert undone.json()["status"] == "rejected"
    assert whole_state(world) == before


def test_who_may_only_write_changes_no_entity(world: World) -> None:
    """A19"""
    narrow = graph_world(tier="read_write")
    memories = two_alices(narrow)
    agent = rest_of(narrow)
    before = whole_state(narrow)

    refused = [
        agent.patch("entities/Alice", {"name": "Bob"}),
        agent.post("entities/Alice/aliases", {"name": "Bob"}),
        agent.post("entities/Alice/split", {"name": "Bob", "memories": [memories[0]]}),
        agent.post("entities/Alice/merge", {"variant": "Pump"}),
        agent.post("entities/Alice/undo", {"watermark": 1}),
    ]

    assert {one.status_code for one in refused} == {403}
    assert whole_state(narrow) == before


def test_the_shortest_path_goes_over_edges_in_either_direction(world: World, person: Rest) -> None:
    edges = [("A1", "to", "B1"), ("C1", "to", "B1"), ("C1", "to", "D1"), ("E1", "to", "F1")]
    observe(world, "A chain.", "A1", "B1", "C1", "D1", "E1", "F1", edges=edges)

    found = person.get("graph/path?source=a1&target=D1").json()
    none = person.get("graph/path?source=A1&target=F1").json()
    unknown = person.get("graph/path?source=A1&target=Nobody")

    steps = [(one["source"], one["target"]) for one in found["relationships"]]
    assert steps == [("A1", "B1"), ("C1", "B1"), ("C1", "D1")]
    assert len(found["entities"]) == 4
    assert (none["found"], none["relationships"]) == (False, [])
    assert unknown.status_code == 404


def test_a_picture_starts_from_one_entity_and_takes_filters(world: World, person: Rest) -> None:
    """D11"""
    two_alices(world)
    observe(world, "Far away.", "Rome", "Nile", edges=[("Rome", "trades with", "Nile")])
    author = world.agent.id

    shown = {
        query: {node["name"] for node in person.get(f"graph?{query}").json()["nodes"]}
        for query in (
            "focus=Oslo",
            "focus=Oslo&depth=2",
            "relation=SINGS_IN",
            f"author={author}&relation=trades+with",
            "author=agent_unknown",
            "created_from=2100-01-01",
            "focus=Alice&limit=1",
        )
    }

    assert shown == {
        "focus=Oslo": {"Oslo", "Alice"},
        "focus=Oslo&depth=2": {"Oslo", "Alice", "Pump"},
        "relation=SINGS_IN": {"Oslo", "Alice"},
        f"author={author}&relation=trades+with": {"Rome", "Nile"},
        "author=agent_unknown": set(),
        "created_from=2100-01-01": set(),
        "focus=Alice&limit=1": {"Alice"},
    }
