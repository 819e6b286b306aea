"""Contract E over REST: correcting, importing, the cap, tiers, the ledger, recall explained."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.models import Organization
from accounts.tenancy import acting_as
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of, session_of

RED, BLUE = "The garden gate is red.", "The kitchen window is blue."


@pytest.fixture
def world() -> World:
    return make_world(tier="full")


@pytest.fixture
def rest(world: World) -> Rest:
    return rest_of(world)


@pytest.fixture
def real(minilm: None) -> Rest:
    """A client of a bank with the real default embedder."""
    return rest_of(make_world(tier="full"))


def found(answer: Any) -> list[str]:
    """The contents a search answered with, in order."""
    assert answer.status_code == 200, answer.content
    return [hit["content"] for hit in answer.json()["memories"]]


def test_outdated_text_saved_again_comes_back_and_retires_its_replacement(rest: Rest) -> None:
    """E6"""
    old, new = rest.save("The office is in Leeds."), rest.save("The office is in York.")
    retired = rest.post(f"memories/{old['id']}/retire", {"superseded_by": new["id"]}).json()

    again = rest.post("memories", {"content": "The office is in Leeds."})

    assert (retired["status"], retired["superseded_by"]) == ("retired", new["id"])
    assert (again.status_code, again.json()["status"]) == (200, "revived")
    assert again.json()["replaced"] == [{"id": new["id"], "content": new["content"]}]
    assert rest.get(f"memories/{new['id']}").json()["status"] == "retired"


def test_retired_memory_is_gone_from_search_and_profile_unless_asked_for(rest: Rest) -> None:
    """E6, case 014"""
    memory = rest.save(RED)
    rest.post(f"memories/{memory['id']}/retire", {"reason": "painted over"})

    shown = rest.get("search?q=garden gate&include_retired=true").json()["memories"]

    assert found(rest.get("search?q=garden gate")) == []
    assert found(rest.get("profile")) == []
    assert [hit["status"] for hit in shown] == ["retired"]
    assert rest.get("memories?state=retired").json()["memories"][0]["id"] == memory["id"]
    assert rest.get(f"memories/{memory['id']}/history").status_code == 200


def test_edit_needs_the_version_it_is_based_on(rest: Rest) -> None:
    """E8, B4: the second of two editors is refused, and is told what stands there now."""
    memory = rest.save(RED)
    watermark = memory["head_watermark"]

    first = rest.patch(
        f"memories/{memory['id']}",
        {"content": "The gate is green.", "expected_watermark": watermark},
    )
    second = rest.patch(
        f"memories/{memory['id']}", {"content": "It is black."}, **{"If-Match": f'"{watermark}"'}
    )

    assert first.json()["content"] == "The gate is green."
    assert (second.status_code, second.json()["code"]) == (412, "cas_conflict")
    assert second.json()["head_watermark"] == first.json()["head_watermark"]
    assert rest.get(f"memories/{memory['id']}").json() == first.json()


def test_edited_words_are_found_and_the_old_ones_stay_in_the_history(rest: Rest) -> None:
    """E8"""
    memory = rest.save(RED)

    rest.patch(f"memories/{memory['slug']}", {"content": "The barn has a tin roof."})

    history = rest.get(f"memories/{memory['id']}/history").json()["versions"]
    assert found(rest.get("search?q=tin roof"))[0] == "The barn has a tin roof."
    assert [version["content"] for version in history] == ["The barn has a tin roof.", RED]
    past = rest.get(f"memories/{memory['id']}/versions/{memory['created_watermark']}")
    assert past.json()["content"] == RED


def test_deleted_memory_can_be_restored(rest: Rest) -> None:
    """E8"""
    memory = rest.save(RED)

    deleted = rest.delete(f"memories/{memory['id']}")
    listed = rest.get("memories").json()["memories"]
    restored = rest.post(f"memories/{memory['id']}/restore")

    assert deleted.json()["status"] == "deleted"
    assert listed == []
    assert restored.json()["status"] == "active"
    assert found(rest.get("search?q=garden gate")) == [RED]


def test_activity_shows_what_was_searched_for_and_saved(rest: Rest, world: World) -> None:
    """E8"""
    memory = rest.save(RED)
    rest.get("search?q=garden gate")

    search, change = rest.get("activity").json()["events"][:2]

    assert (search["kind"], search["query"], search["actor"]) == (
        "search",
        "garden gate",
        world.agent.id,
    )
    assert [hit["id"] for hit in search["hits"]] == [memory["id"]]
    assert (change["kind"], change["operation"], change["target"]) == (
        "change",
        "create",
        memory["id"],
    )


def test_import_reports_the_fate_of_every_line(rest: Rest) -> None:
    """E9: bullets and quotes stripped, repeats folded, nothing stored is retired."""
    rest.save(BLUE)
    text = f'- {RED}\n1. "{BLUE}"\n\n* {RED}\n'

    answer = rest.post("imports", {"text": text})

    report = answer.json()
    assert answer.status_code == 201
    assert [line["outcome"] for line in report["lines"]] == ["created", "known", "known"]
    assert report["counts"] == {"created": 1, "known": 2}
    assert sorted(found(rest.get("profile"))) == sorted([RED, BLUE])
    assert rest.get(f"imports/{report['import_id']}").json() == report


def test_import_takes_a_list_of_texts_and_objects(rest: Rest) -> None:
    """E9"""
    items = [RED, {"content": "A."}, {"text": "B."}, {"memory": "C."}, {"value": "D."}]

    report = rest.post("imports", {"items": items}).json()

    assert report["counts"] == {"created": 5}


def test_import_of_501_is_refused_and_stores_nothing(rest: Rest) -> None:
    """E9"""
    answer = rest.post("imports", {"text": "\n".join(f"Fact {n}." for n in range(501))})

    assert answer.status_code == 400
    assert answer.json()["limit"] == 500
    assert rest.get("memories").json()["memories"] == []


def test_import_can_be_undone(rest: Rest) -> None:
    """E9, case 134"""
    kept = rest.save(BLUE)
    report = rest.post("imports", {"text": f"{RED}\n{BLUE}"}).json()

    undone = rest.post(f"imports/{report['import_id']}/undo").json()

    assert undone["status"] == "undone"
    assert [row["id"] for row in rest.get("memories").json()["memories"]] == [kept["id"]]
    assert rest.get("imports").json()["imports"][0]["status"] == "undone"


def test_over_the_daily_cap_nothing_is_half_done(rest: Rest, world: World) -> None:
    """E10: a clear refusal that says when it resets; the profile still answers."""
    rest.save(RED)
    with acting_as(world.person):
        Organization.objects.filter(id=world.organization.id).update(daily_operation_cap=3)

    many = rest.post("memories", {"memories": [{"content": f"Fact {n}."} for n in range(3)]})
    imported = rest.post("imports", {"text": "One.\nTwo.\nThree."})

    resets = datetime.fromisoformat(many.json()["resets_at"])
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    assert (many.status_code, many.json()["code"]) == (429, "daily_cap_reached")
    assert imported.status_code == 429
    assert (resets.date(), resets.hour, resets.utcoffset()) == (tomorrow, 0, timedelta(0))
    assert int(many["Retry-After"]) > 0
    assert found(rest.get("profile")) == [RED]
    assert rest.get("/api/v1/usage").json()["operations"] == 1
    assert rest.get("imports").json()["imports"] == []


def test_writes_and_searches_are_counted_one_each(rest: Rest) -> None:
    """E10"""
    rest.save(RED)
    rest.save(RED)
    rest.get("search?q=gate")
    rest.get("profile")

    usage = rest.get("/api/v1/usage").json()

    assert (usage["writes"], usage["searches"], usage["operations"]) == (2, 1, 3)


def test_agent_with_read_only_reads_and_nothing_else() -> None:
    """A16"""
    world = make_world(tier="read")
    memory = session_of(world).save(RED)
    reader = rest_of(world)

    refused = [
        reader.post("memories", {"content": BLUE}),
        reader.post("imports", {"text": BLUE}),
        reader.delete(f"memories/{memory['id']}"),
        reader.post(f"memories/{memory['id']}/pin"),
        reader.patch(f"memories/{memory['id']}", {"content": BLUE}),
    ]

    assert [answer.status_code for answer in refused] == [403] * 5
    assert {answer.json()["code"] for answer in refused} == {"tier_insufficient"}
    assert found(reader.get("search?q=gate")) == [RED]


def test_agent_with_read_write_adds_and_changes_nothing() -> None:
    """A16, A19"""
    writer = rest_of(make_world(tier="read_write"))
    memory = writer.save(RED)

    refused = [
        writer.delete(f"memories/{memory['id']}"),
        writer.post(f"memories/{memory['id']}/retire"),
        writer.post(f"memories/{memory['id']}/pin"),
        writer.patch(f"memories/{memory['id']}", {"content": BLUE}),
    ]

    assert [answer.status_code for answer in refused] == [403] * 4


def test_fixed_setting_is_refused_with_the_reason(world: World) -> None:
    """A18"""
    answer = session_of(world).patch("/api/v1/banks/main", {"text_search": "german"})

    assert (answer.status_code, answer.json()["code"]) == (409, "fixed_at_creation")
    assert "language" in answer.json()["detail"]


def test_ledger_is_whole_after_all_kinds_of_changes(rest: Rest) -> None:
    """B13, F2"""
    memory = rest.save(RED)
    rest.patch(f"memories/{memory['id']}", {"tags": ["x"]})
    rest.post(f"memories/{memory['id']}/pin")
    rest.delete(f"memories/{memory['id']}")

    verified = rest.get("ledger/verify").json()
    entries = rest.get("ledger").json()["entries"]

    assert verified["valid"] is True
    assert verified["entries"] == len(entries) == 4
    assert [entry["operation"] for entry in entries] == ["forget", "pin", "update", "create"]


def test_recall_explains_every_channel(rest: Rest) -> None:
    """F5, F6"""
    rest.save(RED)

    body = rest.post("recall", {"query": "garden gate", "explain": True, "max_tokens": 500}).json()

    hit = body["memories"][0]
    assert hit["channels"].keys() == set(hit["matched"])
    assert all(channel["rank"] >= 1 for channel in hit["channels"].values())
    assert body["timings"]
    assert body["recall_id"].startswith("rec_")


def test_recall_as_of_an_instant_answers_with_what_was_believed_then(rest: Rest) -> None:
    """F3"""
    memory = rest.save(RED)
    then = datetime.now(UTC).isoformat()
    rest.patch(f"memories/{memory['id']}", {"content": "The garden gate is green."})

    past = rest.post("recall", {"query": "garden gate", "as_of": then})

    assert found(past) == [RED]
    assert found(rest.post("recall", {"query": "garden gate"})) == ["The garden gate is green."]
