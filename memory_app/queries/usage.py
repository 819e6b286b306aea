"""What an organization has used up; call inside `acting_as`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings

from accounts.actor import Actor
from accounts.questions import Question, Row
from accounts.tenancy import ask_inside
from memory_app.domain.ids import to_uuid
from memory_app.domain.times import day_start, next_day_start
from memory_app.models import DailyUsage

# The share of a day's cap that an import which is spread over days leaves alone: one part in five.
RESERVED = 5

_TODAY = """
SELECT coalesce(organizations.daily_operation_cap, %(cap)s), coalesce(used.operations, 0),
  coalesce(used.writes, 0), coalesce(used.searches, 0)
FROM organizations LEFT JOIN daily_usage AS used
  ON used.organization_id = organizations.id AND used.day = %(day)s
WHERE organizations.id = %(organization)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageToday:
    """The UTC day so far, against the cap."""

    day: date
    operations: int
    writes: int
    searches: int
    cap: int
    resets_at: datetime

    @property
    def remaining(self) -> int:
        return max(0, self.cap - self.operations)

    @property
    def spare(self) -> int:
        """What work that nobody waits for may still take: a fifth of the cap stays for the others."""
        return max(0, self.remaining - self.cap // RESERVED)


def today_question(actor: Actor, moment: datetime) -> Question:
    """What `today_from` reads: the organization's cap and the day's row, in one statement."""
    return Question(
        sql=_TODAY,
        values={
            "organization": to_uuid("org", actor.organization_id),
            "day": day_start(moment).date(),
            "cap": settings.DAILY_OPERATION_CAP,
        },
        repeats=True,
    )


def today_from(rows: Sequence[Row], moment: datetime) -> UsageToday:
    cap, operations, writes, searches = rows[0]
    return UsageToday(
        day=day_start(moment).date(),
        operations=operations,
        writes=writes,
        searches=searches,
        cap=cap,
        resets_at=next_day_start(moment),
    )


def today(actor: Actor, moment: datetime) -> UsageToday:
    """One query."""
    (rows,) = ask_inside(today_question(actor, moment))
    return today_from(rows, moment)


def days(actor: Actor, moment: datetime, *, back: int) -> list[DailyUsage]:
    """The days with any use among the last `back`, oldest first."""
    first = day_start(moment).date() - timedelta(days=back - 1)
    rows = DailyUsage.objects.filter(organization_id=actor.organization_id, day__gte=first)
    return list(rows.order_by("day"))
