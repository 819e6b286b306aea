"""Contract A15: proposals to merge entities, over MCP and REST."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.models import Entity
from memory_app.queries.graph import degrees_of
from tests.contracts.graph_world import (
    described,
    edges_of,
    graph_world,
    names_of,
    observe,
    state_of,
)
from tests.factories import World
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import Rest, rest_of, session_of

# In and out, shared with the canonical, and one between the two.
TANGLE = [
    ("New Castle", "twinned with", "Nantes"),
    ("Rail", "serves", "New Castle"),
    ("New Castle", "lies in", "England"),
    ("Newcastle", "lies in", "England"),
    ("Newcastle", "has", "Bridge"),
    ("Newcastle", "has", "Tower"),
    ("New Castle", "is near", "Newcastle"),
]
NAMES = ("New Castle", "Newcastle", "Nantes", "Rail", "England", "Bridge", "Tower")


@pytest.fixture
def world() -> World:
    return graph_world()


@pytest.fixture
def person(world: World) -> Rest:
    return session_of(world)


def asked(person: Rest, canonical: str, variant: str) -> str:
    body = {"canonical": canonical, "variant": variant}
    answer = person.post("entity-proposals", body)
    assert answer.status_code == 200, answer.content
    return str(answer.json()["proposals"][0]["id"])


def degrees(world: World) -> list[tuple[str, int, int]]:
    """Name, stored degree and counted degree of every live entity."""
    with acting_as(world.person):
        rows = list(Entity.objects.filter(bank=world.bank, until=None))
        counted = degrees_of(world.bank.id, [row.id for row in rows])
        return sorted((row.name, row.degree, counted.get(row.id, 0)) for row in rows)


def proposals(called: Any) -> list[set[str]]:
    return [{one["name"] for one in found["entities"]} for found in called.reply["proposals"]]


def test_consolidation_proposes_variants_and_merges_nothing(world: World) -> None:
    """A15, cases 022 and 024"""
    names = [
        "한빛은행",
        "한빛 은행",
        "이지원",
        "이지훈",
        "BH-7",
        "BH-9",
        "Plan draft",
        "Plan final",
    ]
    observe(world, "Eight names.", *names)
    before = state_of(world)

    found = mcp_call(world, "consolidate")

    assert proposals(found) == [{"한빛은행", "한빛 은행"}]
    assert found.reply["proposals"][0]["kind"] == "merge"
    assert found.reply["proposals"][0]["evidence"]["name"] == "same letters"
    assert 0.7 <= found.reply["proposals"][0]["confidence"] <= 1
    assert state_of(world) == before


def test_looking_again_proposes_nothing_twice(world: World) -> None:
    """A15"""
    observe(world, "Two spellings.", "New Castle", "Newcastle")

    first = mcp_call(world, "consolidate").reply["proposals"]
    second = mcp_call(world, "consolidate").reply["proposals"]

    assert [one["id"] for one in second] == [one["id"] for one in first]


def test_an_accepted_merge_moves_every_edge_once_and_leaves_no_loop(
    world: World, person: Rest
) -> None:
    """A15, case 122"""
    observe(world, "A tangle.", *NAMES, edges=TANGLE)
    observe(world, "Only the variant.", "New Castle")

    accepted = person.post(f"entity-proposals/{asked(person, 'Newcastle', 'New Castle')}/accept")

    assert accepted.status_code == 200
    assert edges_of(world) == {
        ("Newcastle", "twinned with", "Nantes"),
        ("Rail", "serves", "Newcastle"),
        ("Newcastle", "lies in", "England"),
        ("Newcastle", "has", "Bridge"),
        ("Newcastle", "has", "Tower"),
    }
    assert "New Castle" not in names_of(world)
    assert all(stored == counted for _, stored, counted in degrees(world))
    assert ("Newcastle", 5, 5) in degrees(world)
    assert len(state_of(world)["mentions"]) == 7


def test_the_variants_name_leads_to_the_canonical_from_then_on(world: World, person: Rest) -> None:
    """A15"""
    observe(world, "A tangle.", *NAMES, edges=TANGLE)
    person.post(f"entity-proposals/{asked(person, 'Newcastle', 'New Castle')}/accept")

    added = observe(world, "New Castle has a market.", "NEW CASTLE")
    looked = mcp_call(world, "inspect_entity", {"entity": "new castle"})

    assert added.reply["entities"][0]["name"] == "Newcastle"
    assert looked.reply["entity"]["name"] == "Newcastle"


def test_undo_restores_both_entities_exactly(world: World, person: Rest) -> None:
    """A15, case 122: entities, aliases, edges, mentions and degrees."""
    observe(world, "A tangle.", *NAMES, edges=TANGLE)
    observe(world, "Only the variant.", "New Castle")
    before, degrees_before = state_of(world), degrees(world)
    proposal = asked(person, "Newcastle", "New Castle")

    person.post(f"entity-proposals/{proposal}/accept")
    undone = person.post(f"entity-proposals/{proposal}/undo")

    assert (undone.status_code, undone.json()["status"]) == (200, "open")
    assert (state_of(world), degrees(world)) == (before, degrees_before)
    looked = mcp_call(world, "inspect_entity", {"entity": "New Castle"})
    assert looked.reply["entity"]["name"] == "New Castle"


def test_undo_brings_nothing_back_that_was_deleted_meanwhile(world: World, person: Rest) -> None:
    """A15, A14"""
    slug = observe(world, "First.", "New Castle", "Nantes", edges=[TANGLE[0]]).reply["observation"][
        "slug"
    ]
    observe(world, "Second.", "New Castle", "Newcastle")
    proposal = asked(person, "Newcastle", "New Castle")
    person.post(f"entity-proposals/{proposal}/accept")

    person.delete(f"observations/{slug}")
    person.post(f"entity-proposals/{proposal}/undo")

    assert (names_of(world), edges_of(world)) == ({"New Castle", "Newcastle"}, set())
    assert len(state_of(world)["mentions"]) == 2
    restored = person.post(f"memories/{slug}/restore")
    assert restored.status_code == 200
    assert edges_of(world) == {TANGLE[0]}


def test_what_was_written_after_a_merge_stays_with_the_canonical(
    world: World, person: Rest
) -> None:
    """A15"""
    observe(world, "A tangle.", *NAMES, edges=TANGLE)
    proposal = asked(person, "Newcastle", "New Castle")
    person.post(f"entity-proposals/{proposal}/accept")
    observe(world, "Later.", "New Castle", "Oslo", edges=[("New Castle", "trades with", "Oslo")])

    person.post(f"entity-proposals/{proposal}/undo")

    assert edges_of(world) == {*TANGLE, ("Newcastle", "trades with", "Oslo")}
    assert all(stored == counted for _, stored, counted in degrees(world))


def test_a_chain_of_merges_is_taken_back_from_its_end(world: World, person: Rest) -> None:
    """A15"""
    observe(world, "Three.", "Aa Bb", "AaBb", "Aa-Bb", "Cc", edges=[("Aa-Bb", "knows", "Cc")])
    before = state_of(world)
    first = asked(person, "AaBb", "Aa-Bb")
    person.post(f"entity-proposals/{first}/accept")
    second = asked(person, "Aa Bb", "AaBb")
    person.post(f"entity-proposals/{second}/accept")

    too_early = person.post(f"entity-proposals/{first}/undo")
    merged = names_of(world)
    person.post(f"entity-proposals/{second}/undo")
    person.post(f"entity-proposals/{first}/undo")

    assert (too_early.status_code, merged) == (409, {"Aa Bb", "Cc"})
    assert state_of(world) == before


@pytest.mark.parametrize("action", ["accept", "reject", "undo"])
def test_only_a_person_decides(world: World, person: Rest, action: str) -> None:
    """A15: an agent's key is refused, whatever its tier."""
    observe(world, "Two spellings.", "New Castle", "Newcastle")
    proposal = asked(person, "Newcastle", "New Castle")
    before = state_of(world)

    refused = rest_of(world).post(f"entity-proposals/{proposal}/{action}")

    assert (refused.status_code, refused.json()["code"]) == (403, "tier_insufficient")
    assert state_of(world) == before


def test_a_rejected_pair_is_never_proposed_again(world: World, person: Rest) -> None:
    """A15"""
    observe(world, "Two spellings.", "New Castle", "Newcastle")
    [proposal] = mcp_call(world, "consolidate").reply["proposals"]

    person.post(f"entity-proposals/{proposal['id']}/reject")

    assert mcp_call(world, "consolidate").reply["proposals"] == []
    again = person.post("entity-proposals", {"canonical": "Newcastle", "variant": "New Castle"})
    assert again.status_code == 409


def test_an_entity_is_not_merged_into_itself(world: World, person: Rest) -> None:
    """A15, case 122; nor through an alias."""
    observe(world, "Two spellings.", "New Castle", "Newcastle")
    person.post(f"entity-proposals/{asked(person, 'Newcastle', 'New Castle')}/accept")

    itself = person.post("entity-proposals", {"canonical": "Newcastle", "variant": "newcastle"})
    alias = person.post("entity-proposals", {"canonical": "Newcastle", "variant": "New Castle"})

    assert (itself.status_code, alias.status_code) == (400, 400)
    assert itself.json()["field"] == "variant"


def test_the_past_before_a_merge_is_answered_as_it_was(world: World, person: Rest) -> None:
    """A15, F3"""
    seen = observe(world, "A tangle.", *NAMES, edges=TANGLE).reply["observation"]
    person.post(f"entity-proposals/{asked(person, 'Newcastle', 'New Castle')}/accept")

    then = mcp_call(world, "inspect_entity", {"entity": "New Castle", "as_of": seen["created_at"]})

    assert then.reply["entity"]["name"] == "New Castle"
    assert len(then.reply["relationships"]) == 4


def test_a_connection_that_only_reads_cannot_ask(world: World) -> None:
    """A15, A16"""
    reader = graph_world(tier="read")

    refused = rest_of(reader).post("entity-proposals", {})

    assert (refused.status_code, refused.json()["code"]) == (403, "tier_insufficient")


def test_open_proposals_are_listed_by_state(world: World, person: Rest) -> None:
    """A15"""
    observe(world, "Two spellings.", "New Castle", "Newcastle")
    proposal = asked(person, "Newcastle", "New Castle")
    open_before = person.get("entity-proposals").json()["proposals"]
    person.post(f"entity-proposals/{proposal}/accept")

    assert [one["id"] for one in open_before] == [proposal]
    assert person.get("entity-proposals").json()["proposals"] == []
    assert [
        one["id"] for one in person.get("entity-proposals?status=accepted").json()["proposals"]
    ] == [proposal]


def test_the_ledger_keeps_a_merge_and_its_undoing(world: World, person: Rest) -> None:
    """A15, B13: and the chain still holds."""
    observe(world, "Two spellings.", "New Castle", "Newcastle")
    proposal = asked(person, "Newcastle", "New Castle")
    person.post(f"entity-proposals/{proposal}/accept")
    person.post(f"entity-proposals/{proposal}/undo")

    entries = [one["operation"] for one in person.get("ledger").json()["entries"]]

    assert {"merge_entities", "undo_merge", "consolidate"} <= set(entries)
    assert person.get("ledger/verify").json()["valid"] is True


def test_a_described_entity_keeps_what_it_was_found_by(world: World, person: Rest) -> None:
    """A15, A7: the canonical is found by the variant's retrieval queries, until that is undone."""
    entities = [
        {**described("New Castle")[0], "queries": ["Where is the market?"]},
        *described("Newcastle"),
    ]
    mcp_call(world, "add_observation", {"content": "Two.", "entities": entities})
    proposal = asked(person, "Newcastle", "New Castle")

    person.post(f"entity-proposals/{proposal}/accept")
    merged = person.get("entities/newcastle").json()
    person.post(f"entity-proposals/{proposal}/undo")
    split = person.get("entities/newcastle").json()

    assert merged["queries"] == ["Where is the market?"]
    assert "queries" not in split


def test_two_names_of_one_entity_are_named_and_restored_once(world: World, person: Rest) -> None:
    """A8, A15: a call that says both names after a merge, and a memory that said both before it."""
    observe(world, "Two spellings.", "New Castle", "Newcastle")
    gone = observe(world, "A tangle.", *NAMES, edges=TANGLE).reply["observation"]
    person.delete(f"memories/{gone['id']}")
    person.post(f"entity-proposals/{asked(person, 'Newcastle', 'New Castle')}/accept")

    written = observe(world, "Said twice.", "New Castle", "Newcastle")
    described = mcp_call(
        world,
        "add_observation",
        {
            "content": "Described by one of its names.",
            "entities": [
                {"name": "Newcastle", "description": "It lies on the Tyne."},
                {"name": "New Castle", "description": "x", "queries": ["Which city?"]},
            ],
        },
    )
    restored = person.post(f"memories/{gone['id']}/restore")

    assert (written.error, described.error, restored.status_code) == ({}, {}, 200)
    assert state_of(world)["mentions"] == sorted(set(state_of(world)["mentions"]))
    assert names_of(world) >= {"Newcastle"}
    assert "New Castle" not in names_of(world)


def test_of_merges_that_moved_the_same_the_later_is_taken_back_first(
    world: World, person: Rest
) -> None:
    """A15"""
    observe(world, "One end.", "Quay", "Pier", edges=[("Quay", "holds", "Pier")])
    observe(world, "The other.", "Key", "Peer", edges=[("Key", "keeps", "Peer")])
    made = [asked(person, "Quay", "Key"), asked(person, "Pier", "Peer")]
    for one in made:
        assert person.post(f"entity-proposals/{one}/accept").status_code == 200

    statuses = [
        person.post(f"entity-proposals/{one}/undo").status_code
        for one in (made[0], made[1], made[0])
    ]

    assert statuses == [409, 200, 200]
    assert edges_of(world) == {("Quay", "holds", "Pier"), ("Key", "keeps", "Peer")}
    assert [(name, 1, 1) for name in ("Key", "Peer", "Pier", "Quay")] == degrees(world)
