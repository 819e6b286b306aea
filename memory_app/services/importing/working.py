"""An import that takes longer than a request: its phases, who does them, how it goes on.

Each phase is a job of the queue, so it survives any process. Small ones are done within the request
by the same job. What a phase has done is committed with its cursor, so it is done once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from accounts.actor import COMMAND, CONSOLIDATION, Actor, system_actor
from accounts.models import Agent, Membership
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, DailyCapReached, ProductError, Unavailable
from memory_app.domain.times import next_day_start
from memory_app.models import ImportJob, Job
from memory_app.providers.clock import now
from memory_app.queries import imports
from memory_app.queries.access import Access, resolve
from memory_app.services import jobs, live
from memory_app.services.importing import pacing
from memory_app.services.importing.lines import shown

TASK = "work_import"
# Files up to this size and imports up to this many lines are done while the person waits.
AT_ONCE_BYTES = 1024 * 1024
AT_ONCE_LINES = 500


class Phase:
    """What an import is doing; each is also the status it has meanwhile."""

    READING = "reading"
    CHECKING = "checking"
    RUNNING = "running"
    UNDOING = "undoing"


MOVING = frozenset({Phase.READING, Phase.CHECKING, Phase.RUNNING, Phase.UNDOING})
STALE_SECONDS = 90
Work = Callable[[Actor, ImportJob], None]
_PHASES: dict[str, Work] = {}


class Stopped(Exception):
    """Somebody cancelled the import, or another worker went on with it."""


def phase(name: str) -> Callable[[Work], Work]:
    """Say what does a phase; one place then runs them all."""

    def register(work: Work) -> Work:
        _PHASES[name] = work
        return work

    return register


def schedule(access: Access, job: ImportJob) -> Job | None:
    """Write the job of the import's phase, inside the transaction that sets its status. Answers it
    where the caller is to do it itself (`go_on`).
    """
    at_once = _is_small(job)
    waiting = jobs.enqueue(access, TASK, wake=not at_once, import_id=job.id)
    return waiting if at_once else None


def go_on(actor: Actor, job: ImportJob, waiting: Job | None) -> ImportJob:
    """Do what was scheduled, if it is small, and answer the import as it stands then.

    Raises what the phase refuses; the import keeps that as its error as well.
    """
    if waiting is not None:
        perform(actor.organization_id, job.bank_id, waiting.id)
    with acting_as(actor):
        return imports.find_job(resolve(actor, job.bank_id), job.id)


def perform(organization_id: str, bank_id: str, job_id: str) -> str:
    """Do one job of the queue: the phase its import is in."""
    system = system_actor(organization_id, CONSOLIDATION, request_id=job_id)

    def work(lease: jobs.Lease) -> None:
        import_id = str(lease.arguments["import_id"])
        with acting_as(system):
            job = ImportJob.objects.filter(bank_id=bank_id, id=import_id).first()
            if job is not None and "goes_on_at" in lease.arguments:
                access = resolve(system, bank_id)
                pacing.wake(job, access, TASK, lease.arguments["goes_on_at"])
                return
        if job is None or job.status not in MOVING:
            return
        try:
            _PHASES[job.status](_owner(system, job), job)
        except Stopped:
            return
        except DailyCapReached as error:
            _rest(system, job, error)
        except Unavailable:
            raise
        except ProductError as error:
            if jobs.is_away(system, bank_id):  # it goes on when the bank comes back from the bin
                raise
            settle(system, job, ImportJob.Status.FAILED, error)
        except Exception as error:
            if lease.attempt >= jobs.ATTEMPTS and not jobs.is_away(system, bank_id):
                settle(system, job, ImportJob.Status.FAILED, error)
            raise

    return jobs.perform(system, bank_id, job_id, work)


def hand_over(actor: Actor, job: ImportJob) -> None:
    """Let a fresh job go on with the import, so that a long one shares its worker with others."""
    with acting_as(actor):
        jobs.enqueue(resolve(actor, job.bank_id), TASK, import_id=job.id)


def _rest(actor: Actor, job: ImportJob, error: DailyCapReached) -> None:
    """Pause at the day's cap: until it resets where the import is spread over days."""
    if not job.options.get(pacing.OVER_DAYS):
        settle(actor, job, ImportJob.Status.PAUSED, error)
        return
    with acting_as(actor):
        access = resolve(actor, job.bank_id)
        pacing.postpone(job, access, TASK, next_day_start(now()))


def settle(actor: Actor, job: ImportJob, status: str, error: Exception) -> None:
    """Stop with what went wrong; `resume` goes on from there."""
    told = f"{error.message} {error.hint}" if isinstance(error, ProductError) else ""
    with acting_as(actor):
        moved = ImportJob.objects.filter(bank_id=job.bank_id, id=job.id, status=job.status)
        moved.update(
            status=status,
            phase=job.status,
            error=shown((told or f"It stopped: {type(error).__name__}.").strip(), 500),
            updated_at=now(),
        )
        live.announce(job.bank_id, "import", job.id)


def move(
    actor: Actor,
    bank: str | None,
    import_id: str,
    *,
    of: frozenset[str],
    to: str,
    tier: str = "read_write",
    prepare: Callable[[Access, ImportJob], dict[str, Any]] | None = None,
) -> ImportJob:
    """Put an import from one of some statuses into a phase, and begin it.

    Raises `Conflict` when it is in none of them. `prepare` refuses, or says what else to set.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require(tier)  # type: ignore[arg-type]
        job = imports.find_job(access, import_id, lock=True)
        refuse_unless(job, of)
        job.status, job.phase, job.error, job.updated_at = to, to, "", now()
        for name, value in (prepare(access, job) if prepare else {}).items():
            setattr(job, name, value)
        job.save()
        waiting = schedule(access, job)
    return go_on(actor, job, waiting)


def refuse_unless(job: ImportJob, statuses: frozenset[str]) -> None:
    """Raises `Conflict` that says in which state the import is."""
    if job.status not in statuses:
        raise Conflict(
            f"This import is {job.status}.",
            hint="Wait until it is done, or look at what it says.",
            details={"status": job.status},
        )


def is_stale(job: ImportJob) -> bool:
    """Whether nothing has moved for so long that its worker must be gone."""
    return job.status in MOVING and (now() - job.updated_at).total_seconds() > STALE_SECONDS


def _is_small(job: ImportJob) -> bool:
    if job.status == Phase.READING:
        return int(job.options.get("bytes", 0)) <= AT_ONCE_BYTES
    return job.total <= AT_ONCE_LINES


def _owner(system: Actor, job: ImportJob) -> Actor:
    """Who started it, with the role it has now: a demotion ends the import at the next batch."""
    by = job.options.get("by", {})
    common: dict[str, Any] = {
        "organization_id": job.organization_id,
        "id": job.actor,
        "name": by.get("name", ""),
        "door": by.get("door", ""),
        "client": by.get("client", ""),
        "tool": "run_import",
    }
    if job.actor == COMMAND or job.actor.startswith("agent_system"):
        return Actor(kind="system", **common)
    with acting_as(system):
        if job.actor.startswith("user_"):
            member = Membership.objects.filter(
                organization_id=job.organization_id, user_id=job.actor
            ).first()
            role: Any = member.role if member else None
            return Actor(kind="user", role=role, **common)
        agent = Agent.objects.filter(organization_id=job.organization_id, id=job.actor).first()
        if agent is None or agent.paused_at is not None:
            raise Conflict("The agent that started this import is paused or gone.")
    return Actor(kind="agent", **common)
