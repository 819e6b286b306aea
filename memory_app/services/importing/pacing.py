"""An import that is larger than what is left of the day's cap: what fits, and when the rest goes on.

Spread over days it takes what is left of each but a fifth of the cap, which stays for everyone who
waits for an answer. The rest is a job for the reset at 00:00 UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.actor import Actor
from memory_app.domain.errors import DailyCapReached
from memory_app.domain.times import iso
from memory_app.models import ImportJob
from memory_app.providers.clock import now
from memory_app.queries import usage
from memory_app.queries.access import Access
from memory_app.queries.usage import RESERVED, UsageToday
from memory_app.services import jobs, live
from memory_app.services.usage import cap_reached

OVER_DAYS = "over_days"
GOES_ON_AT = "goes_on_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """`lines` that are still to be stored, against the day as it stands."""

    lines: int
    used: UsageToday

    @property
    def fits(self) -> bool:
        """Whether today has room for all of them at once."""
        return self.lines <= self.used.remaining

    @property
    def today(self) -> int:
        """How many of them are stored today when they are spread over days."""
        return min(self.lines, self.used.spare)

    @property
    def days(self) -> int:
        """On how many days something is stored then; 0 where the cap never has room."""
        each = a_day(self.used.cap)
        if not each:
            return 0
        return (self.today > 0) + -(-(self.lines - self.today) // each)


def a_day(cap: int) -> int:
    """What a spread import takes of a whole day."""
    return cap - cap // RESERVED


def pace_of(actor: Actor, *, lines: int) -> Pace:
    """One query, inside `acting_as`."""
    return Pace(lines=lines, used=usage.today(actor, now()))


def share(actor: Actor, most: int) -> int:
    """How many lines of a spread import may be stored now, up to `most`.

    One query, inside `acting_as`. Raises `DailyCapReached` for none.
    """
    if actor.kind == "system":
        return most
    used = usage.today(actor, now())
    if not used.spare:
        raise cap_reached(used, 1)
    return min(most, used.spare)


def goes_on_at(job: ImportJob) -> datetime | None:
    """When a paused import goes on by itself; None for one that waits for somebody."""
    kept = job.options.get(GOES_ON_AT)
    waits = kept and job.status == ImportJob.Status.PAUSED
    return datetime.fromisoformat(kept) if waits else None


def postpone(job: ImportJob, access: Access, task: str, moment: datetime) -> None:
    """Pause until that moment, and write the job that goes on then. Inside `acting_as`."""
    until = iso(moment)
    moved = ImportJob.objects.filter(bank_id=job.bank_id, id=job.id, status=job.status)
    changed = moved.update(
        status=ImportJob.Status.PAUSED,
        phase=job.status,
        error="",
        options=job.options | {GOES_ON_AT: until},
        updated_at=now(),
    )
    if changed:
        jobs.enqueue(access, task, at=moment, import_id=job.id, goes_on_at=until)
        live.announce(job.bank_id, "import", job.id)


def wake(job: ImportJob, access: Access, task: str, due: Any) -> None:
    """Let a fresh job go on with an import that was postponed to `due`. Inside `acting_as`.

    One that somebody stopped, undid or went on with meanwhile stays as it is.
    """
    waiting = ImportJob.objects.select_for_update().filter(
        bank_id=job.bank_id, id=job.id, status=ImportJob.Status.PAUSED
    )
    fresh = waiting.first()
    if fresh is None or fresh.options.get(GOES_ON_AT) != due:
        return
    fresh.status, fresh.updated_at = fresh.phase, now()
    fresh.options = without_appointment(fresh.options)
    fresh.save(update_fields=["status", "updated_at", "options"])
    jobs.enqueue(access, task, import_id=job.id)
    live.announce(job.bank_id, "import", job.id)


def without_appointment(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != GOES_ON_AT}


def refuse_without_room(used: UsageToday, lines: int) -> None:
    """Raises `DailyCapReached` where a cap is so low that a spread import would never go on."""
    if not a_day(used.cap):
        raise DailyCapReached(
            f"The organization's daily cap is {used.cap:,} operations; an import never fits.",
            hint="An owner can raise the cap.",
            details={"cap": used.cap, "needed": lines},
        )
