"""Contracts C and D over REST: episodes, notes, facts, causes, saves, audit, queue, provenance."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_app.domain.ids import new_id
from memory_app.providers import clock
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of, session_of

WORKS, MOVED = "Ana works at Acme since May.", "Ana works at Acme as its director."


@pytest.fixture
def world() -> World:
    return make_world(tier="full")


@pytest.fixture
def rest(world: World) -> Rest:
    return rest_of(world)


def episode(text: str = WORKS, **more: Any) -> dict[str, Any]:
    one = {
        "source": "Ana",
        "target": "Acme",
        "relation_type": "works_at",
        "fact": text,
        "confidence": "extracted",
    }
    named = [{"name": "Ana", "type": "person"}, {"name": "Acme", "type": "company"}]
    return {"session_id": "s1", "entities": named, "facts": [one | more]}


def write(rest: Rest, text: str = WORKS, **more: Any) -> dict[str, Any]:
    answer = rest.post("episodes", episode(text, **more))
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def test_an_episode_is_stored_and_its_facts_are_found(rest: Rest) -> None:
    """D1, D3, D4"""
    old = write(rest)["facts"][0]["fact_id"]
    new = write(rest, MOVED)

    found = rest.get("facts?query=where+does+Ana+work").json()["facts"]
    about = rest.get("facts?about=ana&about=ACME").json()["facts"]

    assert new["superseded"] == [{"fact_id": old, "by": new["facts"][0]["fact_id"]}]
    assert [one["fact"] for one in found] == [one["fact"] for one in about] == [MOVED]


def test_an_ambiguous_episode_is_answered_and_not_stored(rest: Rest) -> None:
    """D2"""
    write(rest)
    doubtful = episode(WORKS, source="Anna Bell")
    rest.post("episodes", doubtful | {"entities": [{"name": "Anna Bell"}, {"name": "Acme"}]})

    answer = rest.post(
        "episodes",
        episode(MOVED, source="Anna") | {"entities": [{"name": "Anna"}, {"name": "Acme"}]},
    )

    assert answer.status_code == 200
    assert not answer.json()["stored"]
    assert answer.json()["ambiguous_entities"]["Anna"][0]["name"] == "Anna Bell"


def test_facts_as_of_a_moment(rest: Rest) -> None:
    """D4"""
    start = clock.now() - timedelta(days=3)
    with clock.frozen(start):
        write(rest)
    write(rest, MOVED)
    between = int((start + timedelta(days=1)).timestamp())

    then = rest.get(f"facts?digest=true&as_of={between}").json()["facts"]

    assert [one["fact"] for one in then] == [WORKS]
    assert rest.get("facts?as_of=-1").json()["code"] == "invalid_argument"
    assert rest.get("facts?about=a&about=b&about=c").json()["code"] == "invalid_argument"


def test_search_can_be_narrowed_to_an_entity_too(rest: Rest) -> None:
    """D4"""
    write(rest)
    rest.save("Bo works at Acme too.")

    found = rest.get("search?q=works&about=Ana").json()["memories"]

    assert [one["content"] for one in found] == [WORKS]


def test_causes_over_rest(rest: Rest) -> None:
    """D5"""
    write(rest, "Ana's leave was led to by the strike at Acme.", causal_hint="caused_by")

    reply = rest.get("causes?subject=ana&direction=upstream").json()

    assert [[one["target"] for one in chain] for chain in reply["causes"]] == [["Acme"]]
    assert rest.get("causes?subject=nobody").json()["empty_reason"] == "unknown_subject"
    assert rest.get("causes?subject=ana&max_hops=7").status_code == 400
    assert rest.get("causes").json()["code"] == "invalid_argument"


def test_a_save_over_rest_needs_a_read(rest: Rest, world: World) -> None:
    """D6"""
    written = write(rest)["facts"][0]["fact_id"]
    person = session_of(world)
    early = person.post("saves", {"fact_id": written, "note": "No need to ask."})
    rest.get("facts?query=Ana")

    saved = person.post("saves", {"fact_id": written, "note": "No need to ask."}).json()

    assert early.status_code == 409
    assert saved == {
        "recorded": True,
        "counted": True,
        "writer": world.agent.id,
        "reader": world.owner.id,
    }


def test_the_audit_log_over_rest_is_chronological_and_paged(rest: Rest) -> None:
    """D7"""
    write(rest)
    write(rest, MOVED)

    first = rest.get("audit?limit=2").json()
    rest_of_it = rest.get(f"audit?cursor={first['next_cursor']}").json()

    assert [one["operation"] for one in first["entries"] + rest_of_it["entries"]] == [
        "create",
        "create",
        "supersede",
    ]
    assert rest.get("audit?since=2099-01-01").json()["entries"] == []
    assert rest.get("audit?since=soon").json()["code"] == "invalid_argument"


def test_documents_are_queued_listed_and_closed(rest: Rest) -> None:
    """D8"""
    sent = {"project": "pumps", "documents": [{"path": "a.md", "digest": "1"}, {"path": "b.md"}]}
    queued = rest.post("pending-documents", sent).json()
    page = rest.get("pending-documents?project=pumps&limit=1").json()
    more = rest.get(f"pending-documents?cursor={page['next_cursor']}").json()
    closed = rest.post("pending-documents/close", {"paths": ["a.md", "c.md"]}).json()
    again = rest.post("pending-documents", sent).json()

    assert [one["path"] for one in queued["documents"]] == ["a.md", "b.md"]
    assert [one["path"] for one in page["documents"] + more["documents"]] == ["a.md", "b.md"]
    assert closed == {"closed": ["a.md"], "unknown": ["c.md"]}
    assert again["unchanged"] == ["a.md"]
    broken = rest.post("pending-documents", {"documents": [{"path": ""}]}).json()
    assert broken["field"] == "documents[0].path"


def test_a_viewer_of_the_bank_may_not_queue(world: World) -> None:
    """D8, A16"""
    reader = rest_of(make_world(tier="read"))

    refused = reader.post("pending-documents", {"documents": [{"path": "a.md"}]})

    assert refused.json()["code"] == "tier_insufficient"


def test_why_tells_where_a_fact_comes_from_and_what_became_of_it(rest: Rest, world: World) -> None:
    """D9"""
    answer = rest.post("episodes", episode() | {"project": "pumps"})
    old = answer.json()["facts"][0]["fact_id"]
    rest.get("facts?query=Ana")
    session_of(world).post("saves", {"fact_id": old, "note": "No need to ask."})
    new = write(rest, MOVED)["facts"][0]["fact_id"]

    why = rest.get(f"memories/{old}/why").json()
    successor = rest.get(f"memories/{new}/why").json()

    assert why["written"] | {"at": "", "watermark": 0} == {
        "author": world.agent.id,
        "author_name": "Coder",
        "at": "",
        "watermark": 0,
        "tool": "write_episode",
        "door": "rest",
        "project": "pumps",
        "session": "s1",
    }
    assert [(one["name"], one["resolved"]) for one in why["resolutions"]] == [
        ("Ana", "new"),
        ("Acme", "new"),
    ]
    assert [one["query"] for one in why["recalls"]] == ["Ana"]
    assert [one["note"] for one in why["saves"]] == ["No need to ask."]
    assert why["superseded_by"]["id"] == new
    assert why["superseded_by"]["reason"]
    assert [one["operation"] for one in why["changes"]] == ["supersede", "recall_save", "create"]
    assert [one["id"] for one in successor["supersedes"]] == [old]
    assert [one["resolved"] for one in successor["resolutions"]] == ["existing", "existing"]


def test_a_note_over_rest(rest: Rest) -> None:
    """C1, C3, C6, C7"""
    note = {
        "text": "The pump runs on solar power.",
        "entities": [{"label": "machine", "name": "Pump"}, {"name": "Sun"}],
        "relations": [{"from": "Pump", "type": "runs_on", "to": "Sun"}],
    }
    stored = rest.post("notes", note)
    memory = stored.json()["memory"]

    found = rest.get("notes/recall?entity=pump&hops=2").json()
    newest = rest.get("notes?limit=1").json()["memories"]
    checked = rest.get(f"memories/{memory['id']}/hash").json()

    assert stored.status_code == 201
    assert found["memories"][0]["memory"]["id"] == newest[0]["id"] == memory["id"]
    assert checked["hash_valid"]
    assert checked["stored_hash"] == memory["hash"]
    assert rest.get(f"memories/{new_id('mem')}/hash").status_code == 404
    assert rest.get("notes/recall").json()["code"] == "invalid_argument"


def test_a_link_over_rest(rest: Rest) -> None:
    """C4"""
    first = rest.post(
        "links",
        {"source": {"label": "person", "name": "Ana"}, "type": "knows", "target": {"name": "Bo"}},
    ).json()
    by_id = rest.post(
        "links",
        {"source": {"id": first["nodes"][0]["id"]}, "type": "KNOWS", "target": {"name": "bo"}},
    ).json()

    assert by_id["edge"]["id"] == first["edge"]["id"]
    broken = rest.post("links", {"source": {}, "type": "knows", "target": {"name": "Bo"}})
    assert broken.json()["field"] == "source.name"


def test_deleting_a_note_over_rest_removes_its_edges(rest: Rest) -> None:
    """C5"""
    write(rest)
    fact = rest.get("facts?digest=true").json()["facts"][0]["fact_id"]

    rest.delete(f"memories/{fact}")

    assert rest.get("notes/recall?entity=ana&hops=3").json()["memories"] == []
