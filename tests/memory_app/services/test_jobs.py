from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from celery.signals import worker_ready
from django.db import connection
from django.db.models.functions import Now
from pytest_django import Settings

from accounts.actor import CONSOLIDATION, Actor, system_actor
from accounts.tenancy import acting_as
from memory_app.config import celery
from memory_app.domain.errors import Unavailable
from memory_app.models import Job
from memory_app.queries import jobs as queries
from memory_app.queries.access import resolve
from memory_app.services import jobs
from tests.factories import World


def system(world: World) -> Actor:
    return system_actor(world.organization.id, CONSOLIDATION)


def enqueued(world: World, task: str = "index_memories", **arguments: Any) -> str:
    with acting_as(world.caller):
        return jobs.enqueue(resolve(world.caller, "main"), task, **arguments).id


def shift(world: World, job_id: str, **fields: Any) -> None:
    with acting_as(world.person):
        Job.objects.filter(bank=world.bank, id=job_id).update(**fields)


def row(world: World, job_id: str) -> Job | None:
    with acting_as(world.person):
        return Job.objects.filter(bank=world.bank, id=job_id).first()


def perform(world: World, job_id: str, work: Callable[[jobs.Lease], None]) -> str:
    return jobs.perform(system(world), world.bank.id, job_id, work)


def test_a_job_is_done_once_and_then_gone(world: World) -> None:
    """Case 098: a second delivery of the same message does nothing."""
    job_id = enqueued(world, memory_ids=["mem_1"])
    seen: list[Any] = []

    outcomes = [
        perform(world, job_id, lambda lease: seen.append(dict(lease.arguments))) for _ in range(2)
    ]

    assert outcomes == ["done", "absent"]
    assert seen == [{"memory_ids": ["mem_1"]}]
    assert row(world, job_id) is None


def test_sixteen_workers_with_one_message_do_it_once(world: World) -> None:
    """Case 098: the database arbitrates, not the broker."""
    job_id = enqueued(world)
    release, seen, outcomes = threading.Event(), [], []

    def work(lease: jobs.Lease) -> None:
        seen.append(lease.attempt)
        release.wait(10)

    def worker() -> None:
        outcomes.append(perform(world, job_id, work))
        connection.close()

    threads = [threading.Thread(target=worker) for _ in range(16)]
    [thread.start() for thread in threads]
    [thread.join(0.5) for thread in threads]
    release.set()
    [thread.join(10) for thread in threads]

    assert seen == [1]
    assert sorted(outcomes) == ["absent"] * 15 + ["done"]


def test_a_killed_workers_job_is_sent_again_when_its_lease_has_run_out(world: World) -> None:
    job_id = enqueued(world)
    shift(world, job_id, not_before=Now())
    lease = jobs.claim(system(world), world.bank.id, job_id)
    while_leased = jobs.sweep(system(world), world.bank.id)
    shift(world, job_id, leased_until=Now() - timedelta(seconds=1))

    after = jobs.sweep(system(world), world.bank.id)
    again = jobs.sweep(system(world), world.bank.id)

    assert lease is not None
    assert (while_leased, after, again) == ([], [job_id], [])
    assert perform(world, job_id, lambda lease: None) == "done"


def test_the_longest_wait_for_a_killed_workers_job_is_under_a_minute() -> None:
    """Lease, then at most one round of the sweep."""
    from memory_app.config.schedule import SCHEDULE

    assert jobs.LEASE_SECONDS + SCHEDULE["sweep"]["schedule"] < 60
    assert jobs.DELIVERY_SECONDS <= jobs.LEASE_SECONDS


def test_a_new_worker_purges_at_once_what_a_killed_one_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(celery.app, "send_task", lambda name, **_: sent.append(name))
    monkeypatch.setattr("memory_app.config.heartbeat.start_beating", lambda: None)
    monkeypatch.delenv("COMMONPLACE_BEAT", raising=False)

    worker_ready.send(sender=None)

    assert sent == ["memory_app.purge"]


def test_a_worker_that_lost_its_lease_neither_renews_nor_deletes(world: World) -> None:
    job_id = enqueued(world)
    first = jobs.claim(system(world), world.bank.id, job_id)
    shift(world, job_id, leased_until=Now() - timedelta(seconds=1))
    second = jobs.claim(system(world), world.bank.id, job_id)

    assert first is not None
    assert second is not None
    with pytest.raises(jobs.LeaseLost):
        first.renew()
    second.renew()


def test_a_failure_is_kept_and_tried_again_until_the_fifth(world: World) -> None:
    job_id = enqueued(world)

    def fail(lease: jobs.Lease) -> None:
        raise ValueError("no such luck")

    outcomes = [perform(world, job_id, fail) for _ in range(6)]

    kept = row(world, job_id)
    assert outcomes == ["failed"] * 5 + ["absent"]
    assert kept is not None
    assert kept.error == "ValueError: no such luck"
    assert kept.failed_at is not None
    with acting_as(world.person):
        waiting = queries.waiting(resolve(world.person, "main"))
    assert (waiting.waiting, waiting.failed, waiting.failures[0].id) == (0, 1, job_id)


def test_a_part_that_is_only_down_never_uses_up_the_attempts(world: World) -> None:
    job_id = enqueued(world)

    def down(lease: jobs.Lease) -> None:
        raise Unavailable("The embedder is down.")

    outcomes = [perform(world, job_id, down) for _ in range(8)]

    kept = row(world, job_id)
    assert outcomes == ["failed"] * 8
    assert kept is not None
    assert kept.failed_at is None


def test_a_job_whose_workers_keep_dying_is_given_up(world: World) -> None:
    job_id = enqueued(world)
    shift(world, job_id, attempts=5, not_before=Now(), leased_until=Now() - timedelta(seconds=1))

    sent = jobs.sweep(system(world), world.bank.id)

    kept = row(world, job_id)
    assert sent == []
    assert kept is not None
    assert "stopped 5 times" in kept.error


def test_a_rolled_back_write_leaves_no_job(world: World) -> None:
    with contextlib.suppress(RuntimeError), acting_as(world.caller):
        job_id = jobs.enqueue(resolve(world.caller, "main"), "index_memories").id
        raise RuntimeError("stop")

    assert row(world, job_id) is None


def test_a_dead_broker_fails_no_write(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL = "redis://localhost:1/0"

    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(current_app, "send_task", refuse)

    job = enqueued(world)
    jobs.messenger.submit(str).result()

    assert row(world, job) is not None


def test_a_hanging_broker_holds_up_no_write(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL = "redis://localhost:1/0"
    hanging = threading.Event()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: hanging.wait(30))

    waiting = [enqueued(world) for _ in range(3)]
    kept = [row(world, job) for job in waiting]
    hanging.set()
    jobs.messenger.submit(str).result()

    assert None not in kept


def test_the_message_names_the_task_and_goes_out_after_the_commit(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL = "redis://localhost:1/0"
    sent: list[tuple[str, Any]] = []
    monkeypatch.setattr(
        current_app, "send_task", lambda name, kwargs, **_: sent.append((name, kwargs))
    )

    with acting_as(world.caller):
        job = jobs.enqueue(resolve(world.caller, "main"), "index_memories")
        before = list(sent)
    jobs.messenger.submit(str).result()

    expected = {
        "organization_id": world.organization.id,
        "bank_id": world.bank.id,
        "job_id": job.id,
    }
    assert before == []
    assert sent == [("memory_app.index_memories", expected)]


def test_looks_at_one_bank_are_told_of_once_by_the_newest(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL = "redis://localhost:1/0"
    timers: list[Callable[[], None]] = []
    sent: list[str] = []

    def timer(_seconds: float, send: Callable[[], None]) -> Any:
        timers.append(send)
        return SimpleNamespace(start=lambda: None)

    monkeypatch.setattr(jobs, "Timer", timer)
    monkeypatch.setattr(
        current_app, "send_task", lambda name, kwargs, **_: sent.append(kwargs["job_id"])
    )

    ids = [enqueued(world, "check_contradictions") for _ in range(3)]
    [send() for send in timers]
    later = enqueued(world, "check_contradictions")
    timers[-1]()

    assert sent == [ids[-1], later]
    assert len(timers) == 2


def test_a_job_takes_up_neither_what_is_held_nor_what_failed_before(world: World) -> None:
    held = enqueued(world, "check_contradictions", memory_ids=["held"])
    failed = enqueued(world, "check_contradictions", memory_ids=["failed"])
    other = enqueued(world, "index_memories", memory_ids=["other"])
    own = enqueued(world, "check_contradictions", memory_ids=["own"])
    shift(world, held, leased_until=Now() + timedelta(seconds=30), attempts=1)
    shift(world, failed, attempts=1)
    fresh = enqueued(world, "check_contradictions", memory_ids=["fresh"])
    seen: list[Any] = []

    outcome = jobs.perform(
        system(world),
        world.bank.id,
        own,
        lambda lease: seen.append(lease.arguments["memory_ids"]),
        gathering="memory_ids",
    )

    assert outcome == "done"
    assert seen == [["own", "fresh"]]
    assert row(world, fresh) is None
    assert all(row(world, job_id) for job_id in (held, failed, other))


def test_what_a_job_took_up_stays_with_it_when_its_worker_dies(world: World) -> None:
    own = enqueued(world, "check_contradictions", memory_ids=["own"])
    enqueued(world, "check_contradictions", memory_ids=["fresh"])

    lease = jobs.claim(system(world), world.bank.id, own, gathering="memory_ids")
    shift(world, own, leased_until=Now() - timedelta(seconds=1))
    again = jobs.claim(system(world), world.bank.id, own, gathering="memory_ids")

    assert lease is not None
    assert again is not None
    assert again.arguments == lease.arguments == {"memory_ids": ["own", "fresh"]}


def test_a_strangers_worker_sees_no_job(world: World, stranger: World) -> None:
    job_id = enqueued(world)

    outcome = jobs.perform(system(stranger), world.bank.id, job_id, lambda lease: None)

    assert outcome == "absent"
    assert row(world, job_id) is not None


def test_the_round_of_banks_reaches_every_organization(world: World, stranger: World) -> None:
    banks = queries.every_bank()

    assert (world.organization.id, world.bank.id) in banks
    assert (stranger.organization.id, stranger.bank.id) in banks


def test_long_work_keeps_its_lease_and_a_killed_process_does_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(jobs, "LONGEST_SECONDS", 10)
    job_id = enqueued(world)
    shift(world, job_id, not_before=Now())

    def work(lease: jobs.Lease) -> None:
        shift(world, job_id, leased_until=Now() - timedelta(seconds=1))
        time.sleep(0.5)
        assert jobs.sweep(system(world), world.bank.id) == []

    assert perform(world, job_id, work) == "done"
