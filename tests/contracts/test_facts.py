"""Contract D over MCP, with the official Python client."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.connections import connect as connect_agent
from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.values import Changes
from memory_app.models import Bank, Entity, EntityAlias, Memory, RecallSave
from memory_app.providers import clock
from memory_app.services import documents_queue, memories, usage
from tests.contracts.knowledge import connect
from tests.factories import World, make_bank
from tests.mcp.client import Called, mcp_call, mcp_key

WORKS = "Ana works at Acme since May."
MOVED = "Ana works at Acme as its director."


@pytest.fixture(autouse=True)
def connected(world: World) -> None:
    connect(world)


def fact(source: str, relation: str, target: str, text: str = "", **more: str) -> dict[str, str]:
    return {
        "source": source,
        "target": target,
        "relation_type": relation,
        "fact": text or f"{source} {relation.replace('_', ' ')} {target}.",
        "confidence": "extracted",
        **more,
    }


def call(world: World, tool: str, *, key: str | None = None, **arguments: Any) -> Called:
    return mcp_call(world, tool, {"scope": "shared", **arguments}, key=key)


def write(world: World, *facts: dict[str, str], **more: Any) -> dict[str, Any]:
    names = dict.fromkeys(end for one in facts for end in (one["source"], one["target"]))
    written = call(
        world,
        "write_episode",
        session_id="s1",
        facts=list(facts),
        entities=[{"name": name, "type": "thing"} for name in names],
        **more,
    )
    assert not written.error, written.text
    return written.reply


def query(world: World, **arguments: Any) -> list[dict[str, Any]]:
    found = call(world, "query_memory", **arguments)
    assert not found.error, found.text
    return list(found.reply["facts"])


def texts(facts: list[dict[str, Any]]) -> list[str]:
    return [one["fact"] for one in facts]


def second_agent(world: World) -> str:
    """The key of another agent in the same bank."""
    agent = create_agent(world.person, name="Second")
    connect_agent(world.person, agent=agent.id, bank="main", toolsets="facts")
    return issue_key(world.person, agent=agent.id).secret


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


def queue(world: World, *paths: str, project: str = "", digest: str = "") -> list[str]:
    given = [{"path": path, "digest": digest} for path in paths]
    found = documents_queue.queue(
        world.caller, "main", documents_queue.parse_queueing(given), project=project
    )
    return [row.path for row in found.queued]


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
