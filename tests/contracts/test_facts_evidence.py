"""Contract D over MCP: causes, saves, audit, documents; and facts through the other toolsets."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.values import Changes
from memory_app.models import Memory, RecallSave
from memory_app.providers import clock
from memory_app.services import memories
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
from tests.factories import World, make_bank
from tests.mcp.client import mcp_call, mcp_key


@pytest.fixture(autouse=True)
def connected(world: World) -> None:
    connect(world)


def write_causes(world: World) -> None:
    write(
        world,
        fact("Outage", "caused_by", "Bad deploy"),
        fact("Skipped review", "led_to", "Bad deploy"),
        fact("Outage", "triggered", "Refunds", causal_hint="led_to"),
        fact("Status page", "denies", "Outage", causal_hint="contradicts"),
        fact("Outage", "seen_by", "Ana"),
    )


@pytest.mark.parametrize(
    ("direction", "causes", "effects"),
    [
        ("upstream", [["Outage caused by Bad deploy.", "Skipped review led to Bad deploy."]], []),
        ("downstream", [], [["Outage triggered Refunds."]]),
        (
            "both",
            [["Outage caused by Bad deploy.", "Skipped review led to Bad deploy."]],
            [["Outage triggered Refunds."]],
        ),
    ],
)
def test_causes_come_as_chains_outwards_from_the_subject(
    world: World, direction: str, causes: list[list[str]], effects: list[list[str]]
) -> None:
    """D5"""
    write_causes(world)

    reply = call(world, "trace_cause", subject="outage", direction=direction).reply

    assert [texts(chain) for chain in reply["causes"]] == causes
    assert [texts(chain) for chain in reply["effects"]] == effects
    assert texts(reply["contradictions"]) == ["Status page denies Outage."]
    assert "empty_reason" not in reply


def test_hops_bound_the_chains_and_are_bounded(world: World) -> None:
    """D5"""
    write_causes(world)

    near = call(world, "trace_cause", subject="Outage", direction="upstream", max_hops=1).reply

    none = call(world, "trace_cause", subject="Outage", max_hops=0)
    seven = call(world, "trace_cause", subject="Outage", max_hops=7)

    assert [len(chain) for chain in near["causes"]] == [1]
    assert none.error["code"] == seven.error["code"] == "invalid_argument"


@pytest.mark.parametrize(
    ("subject", "direction", "reason"),
    [
        ("Nobody", "both", "unknown_subject"),
        ("Ana", "both", "no_causal_links"),
        ("Refunds", "downstream", "none_in_direction"),
    ],
)
def test_an_empty_trace_says_which_kind_it_is(
    world: World, subject: str, direction: str, reason: str
) -> None:
    """D5"""
    write_causes(world)

    reply = call(world, "trace_cause", subject=subject, direction=direction).reply

    assert (reply["causes"], reply["effects"], reply["empty_reason"]) == ([], [], reason)


def test_a_save_needs_a_read_that_returned_the_fact(world: World) -> None:
    """D6"""
    written = write(world, fact("Ana", "works_at", "Acme", WORKS))["facts"][0]["fact_id"]
    secret = second_agent(world)
    note = {"fact_id": written, "note": "Didn't have to ask where Ana works."}

    early = call(world, "record_recall_save", key=secret, **note)
    call(world, "query_memory", key=secret, query="Where does Ana work?")
    saved = call(world, "record_recall_save", key=secret, **note).reply
    again = call(world, "record_recall_save", key=secret, **note).reply
    own = call(world, "record_recall_save", **note).reply

    assert early.error["code"] == "conflict"
    assert (saved["recorded"], saved["counted"]) == (True, True)
    assert (saved["writer"], saved["reader"] != world.agent.id) == (world.agent.id, True)
    assert not again["recorded"]
    assert (own["recorded"], own["counted"]) == (True, False)
    with acting_as(world.person):
        assert RecallSave.objects.filter(bank=world.bank).count() == 2


def test_a_strangers_fact_cannot_be_saved(world: World, stranger: World) -> None:
    """D6"""
    connect(stranger)
    foreign = write(stranger, fact("Ana", "works_at", "Acme"))["facts"][0]["fact_id"]
    query(stranger, digest=True)

    refused = call(world, "record_recall_save", fact_id=foreign, note="x")
    unknown = call(world, "record_recall_save", fact_id=new_id("mem"), note="x")

    assert refused.error == unknown.error
    assert refused.error["code"] == "not_found"


def test_a_read_in_another_scope_is_no_read_in_this_one(world: World) -> None:
    """D6"""
    solo = write(world, fact("Ana", "works_at", "Acme"), scope="solo")["facts"][0]["fact_id"]
    query(world, scope="solo", digest=True)

    assert call(world, "record_recall_save", fact_id=solo, note="x").error["code"] == "not_found"
    assert call(world, "record_recall_save", scope="solo", fact_id=solo, note="x").reply["recorded"]


def test_the_audit_log_tells_what_happened_in_order_and_why(world: World) -> None:
    """D7"""
    old = write(world, fact("Ana", "works_at", "Acme", WORKS))["facts"][0]["fact_id"]
    new = write(world, fact("Ana", "works_at", "Acme", MOVED))["facts"][0]["fact_id"]
    memories.retire(world.person, "main", new, reason="no longer true")

    entries = call(world, "get_audit_log").reply["entries"]

    assert [(one["operation"], one["target"]) for one in entries] == [
        ("create", old),
        ("create", new),
        ("supersede", old),
        ("retire", new),
    ]
    assert [one["at"] for one in entries] == sorted(one["at"] for one in entries)
    assert WORKS in entries[0]["reason"]
    assert "Ana is a new entity" in entries[0]["reason"]
    assert "Ana is the known Ana" in entries[1]["reason"]
    assert new in entries[2]["reason"]
    assert "no longer true" in entries[3]["reason"]


def test_the_audit_log_starts_where_asked_and_comes_in_pages(world: World) -> None:
    """D7"""
    with clock.frozen(clock.now() - timedelta(days=2)):
        write(world, fact("Ana", "works_at", "Acme"))
    since = (clock.now() - timedelta(days=1)).isoformat()
    later = [
        write(world, fact("Ana", f"likes_{n}", "Acme"))["facts"][0]["fact_id"] for n in range(3)
    ]

    first = call(world, "get_audit_log", since=since, limit=2).reply
    rest = call(world, "get_audit_log", since=since, limit=2, cursor=first["next_cursor"]).reply

    assert [one["target"] for one in first["entries"] + rest["entries"]] == later
    assert "next_cursor" not in rest
    assert call(world, "get_audit_log", since="yesterday").error["field"] == "since"
    assert call(world, "get_audit_log", cursor="x").error["field"] == "cursor"


def test_queued_documents_wait_until_they_are_closed(world: World) -> None:
    """D8"""
    queue(world, "a.md", "b.md", project="pumps")
    queue(world, "c.md")

    listed = mcp_call(world, "pending_documents", {"project": "pumps"}).reply["documents"]
    closed = mcp_call(
        world, "mark_ingested", {"paths": ["a.md", "typo.md", "c.md"], "session_id": "s1"}
    ).reply
    left = mcp_call(world, "pending_documents").reply["documents"]

    assert [(one["path"], one["project"]) for one in listed] == [
        ("a.md", "pumps"),
        ("b.md", "pumps"),
    ]
    assert closed == {"closed": ["a.md", "c.md"], "unknown": ["typo.md"]}
    assert [one["path"] for one in left] == ["b.md"]


def test_a_document_waits_once_and_again_only_when_it_has_changed(world: World) -> None:
    """D8"""
    queue(world, "a.md", digest="1")
    queue(world, "a.md", digest="2")
    waiting = mcp_call(world, "pending_documents").reply["documents"]
    mcp_call(world, "mark_ingested", {"paths": ["a.md"]})

    assert len(waiting) == 1
    assert queue(world, "a.md", digest="2") == []
    assert queue(world, "a.md", digest="3") == ["a.md"]


def test_another_organizations_queue_is_its_own(world: World, stranger: World) -> None:
    """D8"""
    connect(stranger)
    queue(stranger, "a.md")

    assert mcp_call(world, "pending_documents").reply["documents"] == []
    assert mcp_call(world, "mark_ingested", {"paths": ["a.md"]}).reply["unknown"] == ["a.md"]


def test_a_fact_is_found_by_search_and_by_recall(world: World) -> None:
    """F1"""
    write(world, fact("Ana", "works_at", "Acme", WORKS))

    searched = mcp_call(world, "search_memory", {"query": "Where does Ana work?"}).reply
    recalled = mcp_call(world, "recall", {"entity": "acme"}).reply
    listed = mcp_call(world, "recent").reply

    assert searched["memories"][0]["content"] == WORKS
    assert recalled["memories"][0]["memory"]["text"] == WORKS
    assert listed["memories"][0]["text"] == WORKS


def test_a_note_is_found_as_a_fact_with_its_ends(world: World) -> None:
    """F1"""
    mcp_call(
        world,
        "remember",
        {
            "text": "Ben leads the pump team.",
            "entities": [{"label": "person", "name": "Ben"}, {"label": "team", "name": "Pumps"}],
            "relations": [{"from": "Ben", "type": "leads", "to": "Pumps"}],
        },
    )

    found = query(world, about=["ben"])

    assert texts(found) == ["Ben leads the pump team."]
    assert (found[0]["source"], found[0]["target"]) == ("Ben", "Pumps")


def test_a_fact_edited_by_a_person_is_found_with_its_new_text(world: World) -> None:
    """F1"""
    written = write(world, fact("Ana", "works_at", "Acme", WORKS))["facts"][0]["fact_id"]
    memories.edit(
        world.person,
        "main",
        written,
        Changes(content="Ana works at Acme in Rome."),
        expected_watermark=None,
    )

    assert texts(query(world, about=["Ana"])) == ["Ana works at Acme in Rome."]


def test_another_bank_of_the_organization_holds_none_of_it(world: World) -> None:
    """D4"""
    make_bank(world, "other")
    write(world, fact("Ana", "works_at", "Acme", WORKS))

    found = mcp_call(
        world,
        "search_memory",
        {"query": "Where does Ana work?"},
        key=mcp_key(world),
        path="/mcp/other",
    )

    assert found.reply["memories"] == []
    with acting_as(world.person):
        assert Memory.objects.filter(bank=world.bank).count() == 1
