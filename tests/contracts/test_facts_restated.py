"""D3 over MCP: what becomes of a fact that is stated again, in other words, by other names, in turns."""

from __future__ import annotations

import pytest

from tests.cases.graph_door import orphans_of
from tests.contracts.facts_world import call, fact, query, texts, write
from tests.contracts.graph_world import names_of
from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import rest_of, session_of

OPEN, SHUT, AJAR = (f"The valve is {state}." for state in ("open", "shut", "ajar"))


@pytest.fixture(autouse=True)
def connected(world: World) -> None:
    connect(world, tier="full")


def state(world: World, text: str) -> dict[str, object]:
    return write(world, fact("Valve", "is", "State", text))


def believed(world: World) -> list[str]:
    return texts(query(world, about=["Valve", "State"]))


def test_a_state_that_comes_back_is_believed_again(world: World) -> None:
    """D3, E6: open, shut, ajar, open: the first fact stands again and the last one has ended."""
    ids = [state(world, text)["facts"][0]["fact_id"] for text in (OPEN, SHUT, AJAR)]  # type: ignore[index]

    back = state(world, OPEN)

    [stated] = back["facts"]  # type: ignore[misc]
    assert (stated["fact_id"], stated["status"]) == (ids[0], "revived")
    assert back["superseded"] == [{"fact_id": ids[2], "by": ids[0]}]
    assert believed(world) == [OPEN]
    assert orphans_of(world) == {}


def test_a_statement_saved_again_ends_whatever_stands_in_its_place(world: World) -> None:
    """E6: also where its replacement was replaced."""
    rest = rest_of(world)
    ids = [rest.save(f"The gate code is {code}.")["id"] for code in ("1", "2", "3")]
    for old, new in ((0, 1), (1, 2)):
        rest.post(f"memories/{ids[old]}/retire", {"superseded_by": ids[new]})

    saved = rest.post("memories", {"content": "The gate code is 1."}).json()

    assert (saved["status"], saved["memory"]["id"]) == ("revived", ids[0])
    assert [one["id"] for one in saved["replaced"]] == [ids[2]]


@pytest.mark.parametrize("way", ["choice", "alias", "rename"])
def test_the_same_fact_by_another_name_of_its_entity_is_known(world: World, way: str) -> None:
    """D2, D3"""
    first = state(world, OPEN)
    person = session_of(world)
    more: dict[str, object] = {}
    if way == "choice":
        entity = first["entities"][0]["id"]  # type: ignore[index]
        more = {"entity_resolutions": {"Gate 9": {"resolved_to": entity}}}
    elif way == "alias":
        person.post("entities/Valve/aliases", {"name": "Gate 9"})
    else:
        person.patch("entities/Valve", {"name": "Gate 9"})

    again = write(world, fact("Gate 9", "is", "State", OPEN), **more)

    assert again["facts"][0]["fact_id"] == first["facts"][0]["fact_id"]  # type: ignore[index]
    assert (again["facts"][0]["status"], again["superseded"]) == ("known", [])


def test_the_last_of_a_call_that_states_one_thing_twice_is_believed(world: World) -> None:
    """D3: as when it comes in two calls."""
    told = write(world, fact("Valve", "is", "State", OPEN), fact("Valve", "is", "State", SHUT))

    first, second = (one["fact_id"] for one in told["facts"])
    assert told["superseded"] == [{"fact_id": first, "by": second}]
    assert believed(world) == [SHUT]


def test_what_a_call_names_beside_a_known_fact_is_named_by_that_fact(world: World) -> None:
    """D1, R: no entity without a memory that names it, and the reply tells which ones are new."""
    state(world, OPEN)
    names = [{"name": name} for name in ("Valve", "State", "Plumber")]

    told = call(
        world,
        "write_episode",
        session_id="s1",
        entities=names,
        facts=[fact("Valve", "is", "State", OPEN)],
    ).reply

    assert told["facts"][0]["status"] == "known"
    assert [(one["name"], one["resolved"]) for one in told["entities"]] == [
        ("Valve", "existing"),
        ("State", "existing"),
        ("Plumber", "new"),
    ]
    assert names_of(world) == {"Valve", "State", "Plumber"}
    shown = mcp_call(world, "inspect_entity", {"entity": "Plumber"}).reply
    assert [one["snippet"] for one in shown["observations"]] == [OPEN]
    assert orphans_of(world) == {}
    assert rest_of(world).get("ledger/verify").json()["valid"]
