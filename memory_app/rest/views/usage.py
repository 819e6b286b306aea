"""What the organization has used today, and how a bank stands."""

from __future__ import annotations

from typing import Any

from memory_app.domain.times import iso
from memory_app.models import DailyUsage
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.logs import HealthOut, UsageIn, UsageOut
from memory_app.services import health, usage


class Usage(Endpoint):
    @operation(
        "get_usage",
        "Operations of this UTC day against the cap, and of the days before",
        query=UsageIn,
        answer=UsageOut,
        group="usage",
    )
    def get(self, call: Call) -> Body:
        today = usage.today(call.actor)
        before = usage.last_days(call.actor, back=call.where.get("days", 30))
        return {
            "day": today.day.isoformat(),
            "operations": today.operations,
            "writes": today.writes,
            "searches": today.searches,
            "cap": today.cap,
            "remaining": today.remaining,
            "resets_at": iso(today.resets_at),
            "days": [_day(day) for day in before],
        }


class BankHealth(Endpoint):
    @operation("get_health", "How the bank stands", answer=HealthOut, group="banks")
    def get(self, call: Call, bank: str) -> Body:
        return health.of_bank(call.actor, bank).reply()


def _day(day: DailyUsage) -> dict[str, Any]:
    return {
        "day": day.day.isoformat(),
        "operations": day.operations,
        "writes": day.writes,
        "searches": day.searches,
    }
