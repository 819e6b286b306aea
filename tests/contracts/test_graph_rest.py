"""Contract A over REST: the same objects as over MCP, lists, and the picture's data."""

from __future__ import annotations

import pytest

from memory_app.services import pictures
from tests.contracts.graph_world import (
    described,
    edges_of,
    graph_world,
    names_of,
    observe,
    related,
    state_of,
)
from tests.factories import World
from tests.memory_app.rest.client import Rest, rest_of

ANA_LEADS = ("Ana", "leads", "Billing")


@pytest.fixture
def world() -> World:
    return graph_world()


@pytest.fixture
def rest(world: World) -> Rest:
    return rest_of(world)


def test_an_observation_lives_through_create_read_change_and_delete(rest: Rest) -> None:
    """A1, A12, A14"""
    body = {"content": "Ana leads Billing.", "entities": described("Ana", "Billing")}
    created = rest.post("observations", body | {"relationships": related(ANA_LEADS)})
    slug = created.json()["observation"]["slug"]

    changed = rest.patch(f"observations/{slug}", {"remove_entities": ["Ana"], "title": "T"})
    read = rest.get(f"observations/{slug}")
    gone = rest.delete(f"observations/{slug}")

    assert (created.status_code, changed.status_code) == (201, 200)
    assert len(changed.json()["pruned_relationships"]) == 1
    assert [one["name"] for one in read.json()["observation"]["entities"]] == ["Billing"]
    assert len(gone.json()["pruned_entities"]) == 1
    assert rest.get(f"observations/{slug}").status_code == 404


@pytest.mark.parametrize("name", ["CI/CD", "a/b/c", "1/2 inch"])
def test_a_name_with_a_slash_is_an_address_too(rest: Rest, world: World, name: str) -> None:
    """A2, case 038's sibling: what is accepted on write is found on every path."""
    observe(world, f"{name} is in use.", name)
    place = f"entities/{name.replace('/', '%2F')}"

    found = {path: rest.get(f"{place}{path}").json() for path in ("", "/", "/inspect")}
    renamed = rest.patch(place, {"type": "practice"})

    assert [found[""]["name"], found["/"]["name"]] == [name, name]
    assert found["/inspect"]["entity"]["name"] == name
    assert renamed.status_code == 200


def test_a_recall_answers_with_the_shapes_of_mcp(rest: Rest, world: World) -> None:
    """A9"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])

    found = rest.post("graph/recall", {"query": "Ana"}).json()

    assert found["entities"][0]["name"] == "Ana"
    assert [one["snippet"] for one in found["observations"]] == ["Ana leads Billing."]


def test_entities_are_paged_and_found_by_name(rest: Rest, world: World) -> None:
    """A2"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", "Cy", edges=[ANA_LEADS])

    first = rest.get("entities?limit=2").json()
    second = rest.get(f"entities?cursor={first['next_cursor']}").json()
    inspected = rest.get("entities/ana/inspect").json()

    assert [one["name"] for one in first["entities"] + second["entities"]] == [
        "Cy",
        "Billing",
        "Ana",
    ]
    assert rest.get("entities/ANA").json()["degree"] == 1
    assert [one["type"] for one in inspected["relationships"]] == ["leads"]


def test_relationships_are_listed_by_end_and_type(rest: Rest, world: World) -> None:
    """A3"""
    edges = [ANA_LEADS, ("Ben", "knows", "Ana")]
    observe(world, "They work.", "Ana", "Billing", "Ben", edges=edges)

    of_ben = rest.get("relationships?entity=ben").json()["relationships"]
    leading = rest.get("relationships?type=LEADS").json()["relationships"]

    assert [(one["source"], one["target"]) for one in of_ben] == [("Ben", "Ana")]
    assert [one["source"] for one in leading] == ["Ana"]


def test_the_picture_says_how_much_of_the_graph_it_shows(rest: Rest, world: World) -> None:
    """D11"""
    edges = [ANA_LEADS, ("Ben", "knows", "Ana")]
    observe(world, "They work.", "Ana", "Billing", "Ben", "Roof", edges=edges)

    whole = rest.get("graph").json()
    part = rest.get("graph?limit=2").json()

    assert (whole["nodes"][0]["name"], whole["nodes"][0]["degree"]) == ("Ana", 2)
    assert (len(whole["edges"]), whole["truncated"], whole["components"]) == (2, False, 2)
    assert whole["clusters"][0] == {"name": "Ana", "size": 3}
    assert (len(part["nodes"]), part["total_entities"], part["truncated"]) == (2, 4, True)


def test_the_picture_of_an_earlier_instant_has_what_stood_then(rest: Rest, world: World) -> None:
    """D11, F3"""
    first = observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])
    seen = first.reply["observation"]
    observe(world, "Ben came.", "Ben")
    rest.delete(f"observations/{seen['slug']}")

    then = rest.get(f"graph?as_of={seen['created_at'].replace('+', '%2B')}").json()
    now = rest.get("graph").json()

    assert {(one["name"], one["degree"]) for one in then["nodes"]} == {("Ana", 1), ("Billing", 1)}
    assert [one["type"] for one in then["edges"]] == ["leads"]
    assert [one["name"] for one in now["nodes"]] == ["Ben"]


def test_kept_clusters_answer_while_the_graph_stands(rest: Rest, world: World) -> None:
    """D11"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", edges=[ANA_LEADS])

    kept = pictures.refresh(world.person, "main")
    shown = rest.get("graph").json()

    assert shown["clusters_watermark"] == kept.watermark == shown["watermark"]


def test_a_picture_of_nothing_is_empty(rest: Rest) -> None:
    """D11"""
    shown = rest.get("graph").json()

    assert (shown["nodes"], shown["edges"], shown["clusters"]) == ([], [], [])


def test_undoing_an_import_leaves_no_orphans_in_the_graph(rest: Rest, world: World) -> None:
    """A14, case 118: a bulk path ends what a single deletion ends."""
    report = rest.post("imports", {"text": "Ana leads Billing.\nThe roof is new."}).json()
    slug = report["lines"][0]["memory_id"]
    graph = {"entities": described("Ana", "Billing"), "relationships": related(ANA_LEADS)}
    rest.patch(f"observations/{slug}", graph)
    before = (names_of(world), edges_of(world))

    undone = rest.post(f"imports/{report['import_id']}/undo")

    assert before == ({"Ana", "Billing"}, {ANA_LEADS})
    assert undone.status_code == 200
    assert (names_of(world), edges_of(world)) == (set(), set())
    assert state_of(world)["mentions"] == []
