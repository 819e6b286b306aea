"""Contract D over MCP, with the official Python client."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.models import Bank, Entity, EntityAlias
from memory_app.providers import clock
from memory_app.services import usage
from tests.contracts.facts_world import (
    MOVED,
    WORKS,
    call,
    fact,
    query,
    queue,
    second_agent,
    texts,
    write,
)
from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_call


@pytest.fixture(autouse=True)
def connected(world: World) -> None:
    connect(world)


def test_an_episode_is_stored_with_its_entities_and_facts(world: World) -> None:
    """D1"""
    reply = write(world, fact("Ana", "works_at", "Acme", WORKS))

    assert reply["stored"]
    assert reply["facts"][0]["fact"] == WORKS
    assert reply["facts"][0]["fact_id"].startswith("mem_")
    assert [(one["name"], one["resolved"]) for one in reply["entities"]] == [
        ("Ana", "new"),
        ("Acme", "new"),
    ]
    assert "not_stored" not in reply


@pytest.mark.parametrize(
    "broken",
    [
        {"confidence": "0.9"},
        {"confidence": 0.9},
        {"confidence": "Extracted"},
        {"causal_hint": "because"},
        {"source": "Nobody"},
        {"fact": " "},
        {"relation_type": ""},
    ],
)
def test_one_broken_fact_refuses_the_whole_call(world: World, broken: Any) -> None:
    """D1"""
    refused = call(
        world,
        "write_episode",
        session_id="s1",
        entities=[{"name": "Ana"}, {"name": "Acme"}],
        facts=[fact("Ana", "knows", "Acme"), fact("Ana", "works_at", "Acme") | broken],
    )

    assert refused.error["code"] == "invalid_argument"
    assert query(world, digest=True) == []


@pytest.mark.parametrize("names", [["Ana", "ANA"], ["Ana", ""]])
def test_names_of_a_call_are_unique_and_not_empty(world: World, names: list[str]) -> None:
    """D1"""
    refused = call(
        world,
        "write_episode",
        session_id="s1",
        entities=[{"name": name} for name in names],
        facts=[],
    )

    assert refused.error["code"] == "invalid_argument"


def test_a_near_match_is_offered_with_its_reason_and_nothing_is_stored(world: World) -> None:
    """D2"""
    write(world, fact("Ana Souza", "owns", "Site"))

    reply = write(world, fact("Ana", "likes", "Site"), fact("Site", "lies_in", "Oslo"))

    assert (reply["stored"], reply["not_stored"], reply["retryable"]) == (False, 2, True)
    assert reply["ambiguous_entities"]["Ana"][0]["name"] == "Ana Souza"
    assert reply["ambiguous_entities"]["Ana"][0]["reason"]
    assert reply["facts"] == []
    assert texts(query(world, digest=True)) == ["Ana Souza owns Site."]


@pytest.mark.parametrize("resolved", ["id", "new", "bare"])
def test_a_repeat_with_a_resolution_stores_the_call(world: World, resolved: str) -> None:
    """D2: an explicit choice wins over assume_new."""
    write(world, fact("Ana Souza", "owns", "Site"))
    doubt = write(world, fact("Ana", "likes", "Site"))
    candidate = doubt["ambiguous_entities"]["Ana"][0]["id"]
    choices = {"id": {"resolved_to": candidate}, "new": {"resolved_to": "new"}, "bare": candidate}

    reply = write(
        world,
        fact("Ana", "likes", "Site"),
        entity_resolutions={"Ana": choices[resolved]},
        assume_new=True,
    )

    assert reply["stored"]
    assert (reply["entities"][0]["id"] == candidate) is (resolved != "new")


def test_assume_new_stores_and_names_in_use_are_told(world: World) -> None:
    """D2"""
    write(world, fact("Site", "lies_in", "Oslo"))

    reply = write(world, fact("Ana", "likes", "Site"), assume_new=True)

    assert reply["stored"]
    assert [one["resolved"] for one in reply["entities"]] == ["new", "existing"]
    assert "Oslo" in reply["related_entities"]


def test_the_same_relation_with_another_text_takes_over(world: World) -> None:
    """D3"""
    old = write(world, fact("Ana", "works_at", "Acme", WORKS))["facts"][0]["fact_id"]
    again = write(world, fact("ana", "works at", "ACME", WORKS))
    new = write(world, fact("Ana", "works_at", "Acme", MOVED))

    assert again["facts"][0]["fact_id"] == old
    assert again["facts"][0]["status"] == "known"
    assert new["superseded"] == [{"fact_id": old, "by": new["facts"][0]["fact_id"]}]
    assert texts(query(world, query="Where does Ana work?")) == [MOVED]


def test_a_note_with_a_relation_keeps_no_fact_from_being_outdated(world: World) -> None:
    """D3, F1: what another toolset has related in the bank plays no part."""
    stated = [{"from": "Ana", "type": "works_at", "to": "Acme"}]
    people = [{"name": "Ana"}, {"name": "Acme"}]
    note = {"text": "Ana and Acme.", "entities": people, "relations": stated}
    kept = mcp_call(world, "remember", note).reply["memory"]["id"]
    old = write(world, fact("Ana", "works_at", "Acme", WORKS))["facts"][0]["fact_id"]

    new = write(world, fact("Ana", "works_at", "Acme", MOVED))

    assert [one["fact_id"] for one in new["superseded"]] == [old]
    assert mcp_call(world, "verify_hash", {"id": kept}).reply["hash_valid"]
    assert texts(query(world, about=["Ana", "Acme"])) == [MOVED, "Ana and Acme."]


def test_each_fact_says_how_it_was_found(world: World) -> None:
    """D4"""
    write(world, fact("Ana", "works_at", "Acme", WORKS), fact("Pump", "runs_on", "Solar"))

    found = query(world, query="Where does Ana work?", top_k=2)

    assert [one["rank"] for one in found] == [1, 2]
    assert found[0]["fact"] == WORKS
    assert (found[0]["source"], found[0]["relation_type"], found[0]["target"]) == (
        "Ana",
        "works_at",
        "Acme",
    )
    assert (found[0]["confidence"], found[0]["author"]) == ("extracted", world.agent.id)
    assert all(isinstance(one["score"], float) for one in found)
    assert set(found[0]["matched"]) <= {"dense", "lexical", "session"}


def test_a_plain_statement_is_a_fact_without_ends(world: World) -> None:
    """D4, F1"""
    mcp_call(world, "create_memory", {"content": "The gate is red."})

    found = query(world, query="gate")

    assert texts(found) == ["The gate is red."]
    assert not {"source", "target", "relation_type"} & set(found[0])


def test_a_digest_is_the_newest_active_facts_whatever_the_query(world: World) -> None:
    """D4: it counts against no cap."""
    write(world, fact("Ana", "works_at", "Acme", WORKS), fact("Pump", "runs_on", "Solar"))
    write(world, fact("Ana", "works_at", "Acme", MOVED))
    before = usage.today(world.caller).operations

    found = query(world, query="solar", digest=True)

    assert texts(found) == [MOVED, "Pump runs on Solar."]
    assert found[0]["matched"] == ["recent"]
    assert "score" not in found[0]
    assert usage.today(world.caller).operations == before


@pytest.fixture
def instants(world: World) -> list[float]:
    """A moment before, between and after two versions of a fact."""
    start = clock.now() - timedelta(days=3)
    with clock.frozen(start):
        write(world, fact("Ana", "works_at", "Acme", WORKS))
    with clock.frozen(start + timedelta(days=2)):
        write(world, fact("Ana", "works_at", "Acme", MOVED))
    return [(start + timedelta(days=day)).timestamp() for day in (-1, 1, 3)]


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "Where does Ana work?"},
        {"digest": True},
        {"about": ["Ana"]},
        {"about": ["acme", "ana"]},
    ],
)
def test_as_of_answers_with_what_was_believed_then(
    world: World, instants: list[float], asked: dict[str, Any]
) -> None:
    """D4"""
    answers = [texts(query(world, as_of=instant, **asked)) for instant in instants]

    assert answers == [[], [WORKS], [MOVED]]


def test_about_is_exact_and_knows_aliases(world: World) -> None:
    """D4"""
    write(
        world,
        fact("Ana", "works_at", "Acme", WORKS),
        fact("Ana", "lives_in", "Oslo"),
        fact("Oslo", "has", "Acme"),
        fact("Ana Maria", "lives_in", "Rome"),
        assume_new=True,
    )
    with acting_as(world.person):
        ana = Entity.objects.get(bank=world.bank, name="Ana")
        EntityAlias.objects.create(
            bank=world.bank,
            organization=world.organization,
            name="A. Souza",
            name_key="a. souza",
            entity_id=ana.id,
            created_by="user",
        )

    assert set(texts(query(world, about=["ANA"]))) == {WORKS, "Ana lives in Oslo."}
    assert set(texts(query(world, about=["A. Souza"]))) == {WORKS, "Ana lives in Oslo."}
    assert texts(query(world, about=["Acme", "Ana"])) == [WORKS]
    assert texts(query(world, about=["ana", "acme"], query="work")) == [WORKS]
    assert query(world, about=["An"]) == []
    assert query(world, about=["Ana", "Rome"]) == []
    assert query(world, about=["Nobody"], query="Where does Ana work?") == []
    refused = call(world, "query_memory", about=["Ana", "Acme", "Oslo"])
    assert refused.error["code"] == "invalid_argument"


def test_solo_facts_are_the_agents_own(world: World) -> None:
    """D4"""
    secret = second_agent(world)
    write(world, fact("Ana", "works_at", "Acme", WORKS), scope="solo")

    assert query(world, digest=True) == []
    assert texts(query(world, scope="solo", digest=True)) == [WORKS]
    assert call(world, "query_memory", key=secret, scope="solo").reply["facts"] == []
    with acting_as(world.person):
        own = Bank.objects.get(organization=world.organization, created_by=world.agent.id)
    assert (own.visibility, own.slug) == ("private", "solo-coder")
    assert mcp_call(world, "search_memory").reply["profile"]


def test_an_agents_own_bank_is_hidden_from_other_agents(world: World) -> None:
    """D4"""
    secret = second_agent(world)
    write(world, fact("Ana", "works_at", "Acme", WORKS), scope="solo")

    with pytest.raises(Exception, match=r"404|not_found|no such bank"):
        mcp_call(world, "search_memory", {}, key=secret, path="/mcp/solo-coder")
    assert mcp_call(world, "search_memory", {}, path="/mcp/solo-coder").reply["memories"]


def test_waiting_documents_are_told_with_an_answer(world: World) -> None:
    """D4, D8"""
    silent = call(world, "query_memory", query="x").reply
    queue(world, "notes/a.md")

    told = call(world, "query_memory", query="x").reply

    assert "pending_ingest" not in silent
    assert [one["path"] for one in told["pending_ingest"]] == ["notes/a.md"]
