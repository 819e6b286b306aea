"""What an organization has used up; call inside `acting_as`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings

from accounts.actor import Actor
from accounts.models import Organization
from memory_app.domain.times import day_start, next_day_start
from memory_app.models import DailyUsage


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


def cap_of(actor: Actor) -> int:
    """The organization's own daily cap, or the server's. One query."""
    own = Organization.objects.values_list("daily_operation_cap").get(id=actor.organization_id)[0]
    return int(settings.DAILY_OPERATION_CAP) if own is None else own


def today(actor: Actor, moment: datetime) -> UsageToday:
    """Two queries."""
    day = day_start(moment).date()
    row = DailyUsage.objects.filter(organization_id=actor.organization_id, day=day).first()
    row = row or DailyUsage(organization_id=actor.organization_id, day=day)
    return UsageToday(
        day=day,
        operations=row.operations,
        writes=row.writes,
        searches=row.searches,
        cap=cap_of(actor),
        resets_at=next_day_start(moment),
    )


def days(actor: Actor, moment: datetime, *, back: int) -> list[DailyUsage]:
    """The days with any use among the last `back`, oldest first."""
    first = day_start(moment).date() - timedelta(days=back - 1)
    rows = DailyUsage.objects.filter(organization_id=actor.organization_id, day__gte=first)
    return list(rows.order_by("day"))
