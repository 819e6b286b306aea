from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connections

from accounts.services.api_keys import issue_key
from tests.factories import World
from tests.memory_app.rest.client import Rest, session_of

KEY = {"Idempotency-Key": "one"}


def test_repeated_write_gets_its_first_answer(rest: Rest) -> None:
    """Case 114."""
    first = rest.post("memories", {"content": "Sent twice."}, **KEY)
    second = rest.post("memories", {"content": "Sent twice."}, **KEY)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first


def test_another_request_under_the_same_key_is_refused(rest: Rest) -> None:
    rest.post("memories", {"content": "The first."}, **KEY)

    other = rest.post("memories", {"content": "Another."}, **KEY)

    assert other.status_code == 422
    assert other.json()["code"] == "idempotency_key_reused"
    assert len(rest.get("memories").json()["memories"]) == 1


def test_refused_write_does_not_use_its_key_up(rest: Rest) -> None:
    refused = rest.post("memories", {"content": ""}, **KEY)

    accepted = rest.post("memories", {"content": "Now with a text."}, **KEY)

    assert (refused.status_code, accepted.status_code) == (400, 201)


def test_keys_of_two_callers_are_independent(rest: Rest, world: World) -> None:
    person = session_of(world)

    first = rest.post("memories", {"content": "From the agent."}, **KEY)
    second = person.post("memories", {"content": "From the person."}, **KEY)

    assert (first.status_code, second.status_code) == (201, 201)


def test_parallel_repeats_have_one_effect(rest: Rest) -> None:
    """Case 114: the others wait for the answer or are told that it is still to come."""

    def send(_: int) -> Any:
        try:
            return Rest(rest.secret).post("memories", {"content": "Sent at once."}, **KEY)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(16)))

    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len(rest.get("memories").json()["memories"]) == 1
    assert len(rest.get("ledger?operation=create").json()["entries"]) == 1


def test_replayed_key_does_not_show_the_secret_again(world: World) -> None:
    person = session_of(world)

    first = person.post("/api/v1/keys", {"agent": "coder"}, **KEY).json()
    second = person.post("/api/v1/keys", {"agent": "coder"}, **KEY).json()

    assert first["secret"].startswith("cpl_")
    assert second == {name: value for name, value in first.items() if name != "secret"}


def test_wrong_idempotency_key_is_refused(world: World) -> None:
    rest = Rest(issue_key(world.person, agent="coder").secret)

    answer = rest.post("memories", {"content": "x"}, **{"Idempotency-Key": "k" * 201})

    assert answer.status_code == 400
    assert answer.json()["field"] == "Idempotency-Key"


def test_an_empty_key_protects_nothing_and_is_refused(rest: Rest) -> None:
    refused = rest.post("memories", {"content": "Once."}, Idempotency_Key="")

    assert (refused.status_code, refused.json()["field"]) == (400, "Idempotency-Key")
    assert rest.get("memories").json()["memories"] == []
