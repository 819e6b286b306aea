"""The recall lab, receipts, gaps and memory tests over REST."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.models import LedgerEntry
from tests.factories import World
from tests.memory_app.rest.client import Rest, session_of

QUESTION = "When is the staging database reset?"


@pytest.fixture
def person(world: World) -> Rest:
    return session_of(world)


def test_the_lab_answers_with_every_figure(rest: Rest, person: Rest, world: World) -> None:
    """F5: every channel's rank and score explained, as the connection that would ask."""
    memory = rest.save("The staging database is reset on Monday.", tags=["ops"])
    other = rest.save("Ada prefers window seats.")
    asked = {"query": QUESTION, "agent": world.agent.id, "why": other["id"], "tags": ["ops"]}

    answer = person.post("lab", asked)

    body = answer.json()
    assert answer.status_code == 200
    assert body["asked_as"] == {
        "actor": world.agent.id,
        "tier": "full",
        "toolsets": ["essential"],
    }
    hit = body["memories"][0]
    assert hit["id"] == memory["id"]
    assert hit["channels"]["lexical"]["rank"] == 1
    assert body["why"]["stage"] == "filter:tags"
    assert [reason["memory"]["id"] for reason in body["hidden"]] == [other["id"]]
    assert set(body["timings"]) >= {"embedding", "dense", "lexical", "load"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": QUESTION, "limit": 51}, "limit"),
        ({"query": QUESTION, "mode": "guess"}, "mode"),
        ({"query": QUESTION, "min_score": 2}, "min_score"),
        ({"query": QUESTION, "explain": True}, "explain"),
    ],
)
def test_what_recall_refuses_the_lab_refuses(rest: Rest, body: dict[str, Any], field: str) -> None:
    answer = rest.post("lab", body)

    assert answer.status_code == 400
    assert answer.json()["field"] == field


def test_a_recall_has_a_receipt_and_can_be_replayed(rest: Rest) -> None:
    """F5: what was served then, and the difference to today."""
    memory = rest.save("The staging database is reset on Monday.")
    recall = rest.post("search", {"query": QUESTION}).json()["recall_id"]
    rest.post(f"memories/{memory['id']}/retire", {"reason": "moved"})

    receipt = rest.get(f"recalls/{recall}").json()
    today = rest.get(f"recalls/{recall}/replay").json()
    then = rest.get(f"recalls/{recall}/replay?at=then").json()

    assert receipt["query"] == QUESTION
    assert receipt["served"][0]["memory"]["content"] == "The staging database is reset on Monday."
    assert [each["kind"] for each in today["differences"]] == ["lost"]
    assert today["differences"][0]["reason"]["stage"] == "retired"
    assert [each["kind"] for each in then["differences"]] == ["same"]


def test_a_gap_is_answered_undone_and_put_aside(rest: Rest) -> None:
    rest.post("search", {"query": "How long do we keep invoices?"})
    gap = rest.get("gaps").json()["gaps"][0]

    answered = rest.post(f"gaps/{gap['key']}/answer", {"content": "Invoices are kept ten years."})
    after = rest.get("gaps").json()["gaps"]
    decision = answered.json()["decision"]
    undone = rest.post(f"gap-decisions/{decision['id']}/undo")
    snoozed = rest.post(f"gaps/{gap['key']}/snooze", {"days": 3})
    listed = rest.get("gaps?status=snoozed").json()["decisions"]

    assert (gap["asked"], gap["wordings"]) == (1, ["How long do we keep invoices?"])
    assert answered.status_code == 200
    assert after == []
    assert undone.json()["undone_at"]
    assert [row["id"] for row in listed] == [snoozed.json()["id"]]


def test_a_memory_test_lives_and_leaves_its_traces(rest: Rest, world: World) -> None:
    memory = rest.save("The staging database is reset on Monday.", tags=["ops"])
    asked = {"query": QUESTION, "memory": memory["id"], "within": 3, "tags": ["ops"]}

    made = rest.post("memory-tests", asked)
    path = f"memory-tests/{made.json()['id']}"
    rest.patch(path, {"must_appear": False})
    red = rest.post(f"{path}/run").json()
    story = rest.get(path).json()
    tally = rest.post("memory-test-runs").json()
    rest.delete(path)
    gone = rest.get("memory-tests").json()["tests"]
    rest.post(f"{path}/restore")

    assert made.status_code == 201
    assert (made.json()["status"], made.json()["options"]) == ("green", {"tags": ["ops"]})
    assert (red["status"], red["last_place"]) == ("red", 1)
    assert [run["status"] for run in story["runs"]] == ["red", "green"]
    assert tally == {"green": 0, "red": 1, "turned_red": 0}
    assert gone == []
    assert len(rest.get("memory-tests?status=red").json()["tests"]) == 1
    with acting_as(world.person):
        entries = LedgerEntry.objects.filter(bank=world.bank, target=made.json()["id"])
        operations = list(entries.order_by("seq").values_list("operation", flat=True))
    assert operations == ["create_test", "change_test", "delete_test", "restore_test"]


def test_an_unknown_question_is_not_found(rest: Rest) -> None:
    rest.post("search", {"query": "How long do we keep invoices?"})

    answer = rest.post(f"gaps/{new_id('gap')}/dismiss")

    assert answer.status_code == 404
