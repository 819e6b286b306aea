from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection as database

from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, IdempotencyMismatch, InvalidArgument
from memory_app.models import IdempotencyKey
from memory_app.providers.clock import frozen, now
from memory_app.services import idempotency
from memory_app.services.idempotency import (
    LOCKED,
    Reply,
    forget_old_keys,
    request_digest,
    with_idempotency,
)
from tests.factories import World

DIGEST = request_digest("POST", "/memories", {"content": "Tea is at four."})
OTHER = request_digest("POST", "/memories", {"content": "Tea is at five."})


def answering(calls: list[int]) -> Callable[[], Reply]:
    """Work that answers with the number of times it ran."""

    def work() -> Reply:
        calls.append(1)
        return Reply(status=201, body={"run": len(calls)})

    return work


def failing() -> Reply:
    raise Conflict("Not now.")


def crash(world: World, key: str) -> None:
    """A first request that never came to an end: its lock stands, its answer doesn't."""
    with acting_as(world.caller):
        IdempotencyKey.objects.create(
            organization_id=world.organization.id,
            actor=world.caller.id,
            key=key,
            request_digest=DIGEST,
            created_at=now(),
            locked_until=now() + LOCKED,
        )


def test_the_first_answer_is_given_again(world: World) -> None:
    calls: list[int] = []

    first = with_idempotency(world.caller, "k-1", DIGEST, answering(calls))
    second = with_idempotency(world.caller, "k-1", DIGEST, answering(calls))

    assert (first.body, first.replayed) == ({"run": 1}, False)
    assert (second.body, second.status, second.replayed) == ({"run": 1}, 201, True)


def test_another_request_under_the_same_key_is_refused(world: World) -> None:
    calls: list[int] = []
    with_idempotency(world.caller, "k-1", DIGEST, answering(calls))

    with pytest.raises(IdempotencyMismatch) as caught:
        with_idempotency(world.caller, "k-1", OTHER, answering(calls))

    assert (caught.value.status, len(calls)) == (422, 1)


def test_without_a_key_every_request_runs(world: World) -> None:
    calls: list[int] = []

    with_idempotency(world.caller, None, DIGEST, answering(calls))
    with_idempotency(world.caller, None, DIGEST, answering(calls))

    assert len(calls) == 2


def test_a_key_is_one_actors_in_one_organization(world: World, stranger: World) -> None:
    calls: list[int] = []

    for actor in (world.caller, world.person, stranger.caller):
        with_idempotency(actor, "same", DIGEST, answering(calls))

    assert len(calls) == 3


def test_a_refused_request_may_be_sent_again(world: World) -> None:
    calls: list[int] = []
    with pytest.raises(Conflict):
        with_idempotency(world.caller, "k-1", DIGEST, failing)

    reply = with_idempotency(world.caller, "k-1", OTHER, answering(calls))

    assert reply.body == {"run": 1}


def test_a_key_is_free_again_after_a_day(world: World) -> None:
    calls: list[int] = []
    with frozen(now() - timedelta(hours=24, seconds=1)):
        with_idempotency(world.caller, "k-1", DIGEST, answering(calls))

    reply = with_idempotency(world.caller, "k-1", OTHER, answering(calls))

    assert (reply.body, reply.replayed) == ({"run": 2}, False)


def test_the_second_of_two_at_once_gets_the_first_ones_answer(world: World) -> None:
    started, finish = threading.Event(), threading.Event()
    replies: list[Reply] = []
    calls: list[int] = []

    def slow() -> Reply:
        started.set()
        finish.wait(5)
        return answering(calls)()

    def ask(work: Callable[[], Reply]) -> None:
        replies.append(with_idempotency(world.caller, "k-1", DIGEST, work))
        database.close()

    first = threading.Thread(target=ask, args=(slow,))
    first.start()
    started.wait(5)
    second = threading.Thread(target=ask, args=(answering(calls),))
    second.start()
    finish.set()
    first.join()
    second.join()

    assert [reply.body for reply in replies] == [{"run": 1}, {"run": 1}]
    assert sorted(reply.replayed for reply in replies) == [False, True]


def test_a_first_request_that_takes_too_long_is_a_conflict_with_a_hint(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash(world, "k-1")
    monkeypatch.setattr(idempotency, "WAIT_SECONDS", 0.0)

    with pytest.raises(Conflict) as caught:
        with_idempotency(world.caller, "k-1", DIGEST, failing)

    assert caught.value.code == "conflict"
    assert caught.value.details == {"retry_after": 5}


def test_the_lock_of_a_crashed_request_runs_out(world: World) -> None:
    crash(world, "k-1")
    calls: list[int] = []

    with frozen(now() + LOCKED):
        reply = with_idempotency(world.caller, "k-1", DIGEST, answering(calls))

    assert (reply.body, reply.replayed) == ({"run": 1}, False)


def test_a_secret_is_not_kept(world: World) -> None:
    def work() -> Reply:
        return Reply(status=201, body={"secret": "cpl_x"}, kept={"secret": None})

    first = with_idempotency(world.caller, "k-1", DIGEST, work)
    second = with_idempotency(world.caller, "k-1", DIGEST, work)

    assert (first.body, second.body) == ({"secret": "cpl_x"}, {"secret": None})


@pytest.mark.parametrize("key", ["x" * 201, "a\nb", "a\x00", 5, ["k"], "\ud800"])
def test_a_key_that_cannot_be_kept_is_refused(world: World, key: Any) -> None:
    with pytest.raises(InvalidArgument) as caught:
        with_idempotency(world.caller, key, DIGEST, failing)

    assert caught.value.field == "Idempotency-Key"


def test_old_keys_are_forgotten(world: World) -> None:
    calls: list[int] = []
    with frozen(now() - timedelta(hours=25)):
        with_idempotency(world.caller, "old", DIGEST, answering(calls))
    with_idempotency(world.caller, "new", DIGEST, answering(calls))

    assert forget_old_keys(world.person) == 1
