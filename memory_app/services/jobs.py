"""Work for later, kept in the database: written with what causes it, leased by whoever does it.

The broker only wakes a worker sooner. A message that is lost, or a worker that is killed, costs at
most a minute: a sweep sends again what is due and not leased. Two deliveries of one job run once,
since the second finds the lease taken or the row gone.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Timer
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Unavailable
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Bank, Job
from memory_app.providers.clock import now
from memory_app.queries.access import Access
from memory_app.queries.insertion import Pending
from memory_app.services import live

logger = logging.getLogger(__name__)

LEASE_SECONDS = 30
RENEW_SECONDS = 8
LONGEST_SECONDS = 3_600
# How long a message may be under way before a sweep sends another.
DELIVERY_SECONDS = 20
ATTEMPTS = 5
BACKOFF_SECONDS = (5, 30, 120, 600)
SWEEP_LIMIT = 100
# Tasks that wait for more of their kind: one job then takes up those of its bank. A look that is
# shared costs a third, and a bank that is written to is not looked at between two writes.
GATHER_SECONDS = {"check_contradictions": 2.0}
GATHER_MOST = 1_000
GIVEN_UP = f"The worker stopped {ATTEMPTS} times before it was done."
# The argument that tells at which of a list workers were lost.
_SUSPECT = "suspect"
# One thread keeps the order; a process that ends waits for what is under way.
messenger = ThreadPoolExecutor(1, thread_name_prefix="messenger")
_WAITING = threading.BoundedSemaphore(100)
_gathering: dict[tuple[str, str], str] = {}
_gathering_lock = threading.Lock()

# What belongs to a bank in the bin waits for its return.
_PRESENT = "EXISTS (SELECT FROM banks WHERE id = %(bank)s AND deleted_at IS NULL)"
_CLAIM = f"""
WITH found AS (
  SELECT id, leased_until IS NOT NULL AS lost FROM jobs
  WHERE bank_id = %(bank)s AND id = %(job)s AND failed_at IS NULL
    AND (leased_until IS NULL OR leased_until < now()) AND {_PRESENT}
  FOR UPDATE SKIP LOCKED)
UPDATE jobs SET leased_until = now() + %(lease)s * interval '1 second', attempts = attempts + 1
FROM found WHERE jobs.bank_id = %(bank)s AND jobs.id = found.id
RETURNING task, arguments, attempts, lost
"""  # noqa: S608 (a constant of our own)
# Only what nobody has tried yet: a part that fails must not take others down with it again.
_GATHER = """
WITH taken AS (
  DELETE FROM jobs WHERE bank_id = %(bank)s AND id IN (
    SELECT id FROM jobs WHERE bank_id = %(bank)s AND task = %(task)s AND id <> %(job)s
      AND attempts = 0 AND failed_at IS NULL AND leased_until IS NULL
    ORDER BY id LIMIT %(most)s FOR UPDATE SKIP LOCKED)
  RETURNING id, arguments)
UPDATE jobs SET arguments = jsonb_set(arguments, ARRAY[%(name)s], (arguments -> %(name)s) || (
  SELECT coalesce(jsonb_agg(item ORDER BY taken.id, place), '[]')
  FROM taken, jsonb_array_elements(taken.arguments -> %(name)s) WITH ORDINALITY AS one (item, place)))
WHERE bank_id = %(bank)s AND id = %(job)s
RETURNING arguments
"""
# A job with a list gives up one of it at a time, when it is claimed.
_GIVE_UP = """
UPDATE jobs SET failed_at = now(), error = %(error)s
WHERE bank_id = %(bank)s AND failed_at IS NULL AND attempts >= %(attempts)s
  AND leased_until < now() AND task <> ALL(%(gathered)s)
"""
_DUE = f"""
UPDATE jobs SET not_before = now() + %(delivery)s * interval '1 second'
WHERE bank_id = %(bank)s AND id IN (
  SELECT id FROM jobs WHERE bank_id = %(bank)s AND failed_at IS NULL AND not_before <= now()
    AND (leased_until IS NULL OR leased_until < now()) AND {_PRESENT}
  ORDER BY not_before, id LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
RETURNING id, task
"""  # noqa: S608 (a constant of our own)


class LeaseLost(Exception):
    """Another worker has taken the job up, since this one was silent for too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A job in this worker's hands; `attempt` tells its hold from every earlier one.

    `lost` says that the hold before ended without a word: its worker may have died of the job.
    """

    actor: Actor
    bank_id: str
    job_id: str
    task: str
    arguments: Mapping[str, Any]
    attempt: int
    lost: bool = False

    def leave(self, name: str, items: Sequence[str]) -> None:
        """Keep only these of a list among the arguments: whoever does the job after us begins there.

        The first counts as the one that was under way. Raises `LeaseLost`.
        """
        with acting_as(self.actor):
            held = Job.objects.filter(bank_id=self.bank_id, id=self.job_id, attempts=self.attempt)
            if not held.update(arguments={**self.arguments, name: list(items)}):
                raise LeaseLost(self.job_id)

    def renew(self) -> None:
        """Keep the job for another 30 seconds. Raises `LeaseLost`."""
        with acting_as(self.actor):
            held = Job.objects.filter(bank_id=self.bank_id, id=self.job_id, attempts=self.attempt)
            if not held.update(leased_until=Now() + timedelta(seconds=LEASE_SECONDS)):
                raise LeaseLost(self.job_id)


def enqueue(
    access: Access,
    task: str,
    *,
    into: Pending | None = None,
    wake: bool = True,
    at: datetime | None = None,
    **arguments: Any,
) -> Job:
    """Write a job inside the open transaction and wake a worker once that has committed.

    With `into` the row goes with the others that wait there, in their statement. `arguments` are
    JSON: ids and numbers, never content. A broker that is down costs nothing here. With `wake=False`
    the caller performs the job itself; should it die first, a sweep finds the job. With `at` nobody is
    woken: the sweep that comes after that instant sends it, within 15 seconds.
    """
    job = Job(
        organization_id=access.bank.organization_id,
        bank_id=access.bank.id,
        task=task,
        arguments=arguments,
        not_before=at or now() + timedelta(seconds=DELIVERY_SECONDS),
    )
    if into is None:
        job.save(force_insert=True)
    else:
        into.add(job)
    organization_id, bank_id, job_id = access.bank.organization_id, access.bank.id, job.id
    if wake and at is None:
        transaction.on_commit(lambda: _tell(task, organization_id, bank_id, job_id), robust=True)
    live.announce(bank_id, "job", job_id)
    return job


def perform(
    actor: Actor,
    bank_id: str,
    job_id: str,
    work: Callable[[Lease], None],
    *,
    gathering: str | None = None,
) -> str:
    """Do a job once: `done`, `absent` (gone, leased elsewhere or failed for good) or `failed`.

    A failure is kept with its error and tried again after a pause; the fifth is the last, unless a
    part was only unavailable. With `gathering`, the name of a list among the arguments, the job also
    takes up what waits in the bank under its task.
    """
    lease = claim(actor, bank_id, job_id, gathering=gathering)
    if lease is None:
        return "absent"
    try:
        with _kept(lease):
            work(lease)
    except Exception as error:  # the edge of a worker: the row keeps what went wrong
        logger.warning("job_failed", extra={"job": job_id, "task": lease.task}, exc_info=True)
        _record_failure(lease, error)
        return "failed"
    with acting_as(actor):
        Job.objects.filter(bank_id=bank_id, id=job_id, attempts=lease.attempt).delete()
    live.announce(bank_id, "job", job_id)
    return "done"


def claim(actor: Actor, bank_id: str, job_id: str, *, gathering: str | None = None) -> Lease | None:
    """Lease a job for 30 seconds, unless somebody holds it. One statement.

    With `gathering` one more, which moves that list of up to 1,000 waiting jobs into this one. Where
    workers have died five times of the first in that list, that one is given up, and only that.
    """
    values: dict[str, Any] = {
        "bank": to_uuid("bank", bank_id),
        "job": to_uuid("job", job_id),
        "lease": LEASE_SECONDS,
        "name": gathering,
        "most": GATHER_MOST,
    }
    with acting_as(actor), connection.cursor() as cursor:
        cursor.execute(_CLAIM, values)
        row = cursor.fetchone()
        if row is None:
            return None
        task, arguments, attempt, lost = row
        if gathering is not None:
            cursor.execute(_GATHER, {**values, "task": task})
            (arguments,) = cursor.fetchone()
    lease = Lease(
        actor=actor,
        bank_id=bank_id,
        job_id=job_id,
        task=task,
        arguments=_parsed(arguments),
        attempt=attempt,
        lost=lost,
    )
    return _suspecting(lease, gathering) if lost and gathering is not None else lease


def _suspecting(lease: Lease, name: str) -> Lease:
    """The lease with a count of the workers that were lost at the first of its list; the fifth
    leaves that one to a failed job of its own.
    """
    plain = {key: value for key, value in lease.arguments.items() if key != _SUSPECT}
    items = list(plain[name])
    if not items:
        return lease
    before = lease.arguments.get(_SUSPECT, {})
    deaths = before.get("deaths", 0) + 1 if before.get("id") == items[0] else 1
    suspect: dict[str, Any] = {"id": items[0], "deaths": deaths}
    with acting_as(lease.actor):
        row = Job.objects.get(bank_id=lease.bank_id, id=lease.job_id)
        if deaths >= ATTEMPTS:
            Job.objects.create(
                organization_id=row.organization_id,
                bank_id=row.bank_id,
                task=row.task,
                arguments={**plain, name: items[:1]},
                attempts=deaths,
                failed_at=Now(),
                error=GIVEN_UP,
            )
            items, suspect = items[1:], {}
        row.arguments = {**plain, name: items, _SUSPECT: suspect}
        row.save(update_fields=["arguments"])
    return replace(lease, arguments={**plain, name: items})


def sweep(actor: Actor, bank_id: str) -> list[str]:
    """Send every due job of a bank that nobody holds; give up those whose workers kept dying.

    Returns the ids that were sent. Two statements, at most 100 jobs.
    """
    values: dict[str, Any] = {
        "bank": to_uuid("bank", bank_id),
        "delivery": DELIVERY_SECONDS,
        "limit": SWEEP_LIMIT,
        "attempts": ATTEMPTS,
        "error": GIVEN_UP,
        "gathered": list(GATHER_SECONDS),
    }
    with acting_as(actor), connection.cursor() as cursor:
        cursor.execute(_GIVE_UP, values)
        cursor.execute(_DUE, values)
        due = [(from_uuid("job", job), str(task)) for job, task in cursor.fetchall()]
    for job_id, task in due:
        _send(task, actor.organization_id, bank_id, job_id)
    return [job_id for job_id, _ in due]


@contextmanager
def _kept(lease: Lease) -> Iterator[None]:
    """Renew the lease from a thread of this process while the work goes on.

    A killed process stops renewing, so its job is free 30 seconds later, however long the work is.
    Work that hangs is let go after an hour.
    """
    over = threading.Event()

    def keep() -> None:
        try:
            for _ in range(int(LONGEST_SECONDS / RENEW_SECONDS)):
                if over.wait(RENEW_SECONDS):
                    return
                lease.renew()
        except (LeaseLost, DatabaseError):
            logger.warning("lease_not_renewed", extra={"job": lease.job_id})
        finally:
            connection.close()

    keeper = threading.Thread(target=keep, name="lease", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()


def is_away(actor: Actor, bank_id: str) -> bool:
    """Whether the bank is in the bin: what fails there then is no failure, and goes on later."""
    with acting_as(actor):
        return Bank.objects.filter(id=bank_id, deleted_at__isnull=False).exists()


def _record_failure(lease: Lease, error: Exception) -> None:
    away = is_away(lease.actor, lease.bank_id)
    final = lease.attempt >= ATTEMPTS and not isinstance(error, Unavailable) and not away
    pause = 0 if away else BACKOFF_SECONDS[min(lease.attempt, len(BACKOFF_SECONDS)) - 1]
    with acting_as(lease.actor):
        Job.objects.filter(bank_id=lease.bank_id, id=lease.job_id, attempts=lease.attempt).update(
            leased_until=None,
            not_before=Now() + timedelta(seconds=pause),
            failed_at=Now() if final else None,
            error=f"{type(error).__name__}: {error}"[:500],
        )
    live.announce(lease.bank_id, "job", lease.job_id)


def _tell(task: str, organization_id: str, bank_id: str, job_id: str) -> None:
    """Send beside the request, which answers meanwhile. While a broker hangs, messages are dropped
    rather than heaped up.
    """
    if task in GATHER_SECONDS:
        _tell_later(task, organization_id, bank_id, job_id)
        return
    if not _WAITING.acquire(blocking=False):
        return
    sent = messenger.submit(_send, task, organization_id, bank_id, job_id)
    sent.add_done_callback(lambda _: _WAITING.release())


def _tell_later(task: str, organization_id: str, bank_id: str, job_id: str) -> None:
    """One message for all jobs of the kind that this process writes meanwhile, about the newest:
    whoever has taken that one up has the others too.
    """
    key = (task, bank_id)

    def send() -> None:
        with _gathering_lock:
            newest = _gathering.pop(key)
        _send(task, organization_id, bank_id, newest)

    with _gathering_lock:
        gathers = key in _gathering
        _gathering[key] = job_id
    if not gathers:
        timer = Timer(GATHER_SECONDS[task], send)
        timer.daemon = True
        timer.start()


def _send(task: str, organization_id: str, bank_id: str, job_id: str) -> None:
    """Tell a worker by the task's name. Never raises: the sweep sends again what got lost.

    A process of its own (a command, a test) has no broker; its jobs wait for the next sweep.
    """
    if settings.CELERY_BROKER_URL.startswith("memory://"):
        return
    try:
        current_app.send_task(
            f"memory_app.{task}",
            kwargs={"organization_id": organization_id, "bank_id": bank_id, "job_id": job_id},
            retry=False,
            ignore_result=True,
        )
    except Exception:  # each transport has errors of its own, and none may fail a write
        logger.warning("job_not_sent", extra={"job": job_id, "task": task}, exc_info=True)


def _parsed(value: Any) -> Mapping[str, Any]:
    """The arguments as the driver or Django's JSON loader hands them over."""
    if isinstance(value, str):
        loaded: Mapping[str, Any] = json.loads(value)
        return loaded
    found: Mapping[str, Any] = value
    return found
