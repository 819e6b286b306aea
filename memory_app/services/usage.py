"""The daily cap of an organization and the rate limit of a key: each one atomic statement.

What counts: a memory handed in to be written (also one that turns out to be known already) and a
search with a query. What doesn't: the profile, reading, editing, and anything refused, since the
count is rolled back with the transaction that it is part of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.conf import settings

from accounts.actor import Actor
from accounts.questions import Question, Row
from accounts.tenancy import acting_as, ask, ask_inside
from memory_app.domain.errors import DailyCapReached, RateLimited
from memory_app.domain.ids import to_uuid
from memory_app.domain.times import day_start, iso
from memory_app.models import DailyUsage, RateWindow
from memory_app.providers.clock import now
from memory_app.queries import usage
from memory_app.queries.usage import UsageToday

_WINDOWS_KEPT = timedelta(hours=1)
_DAYS_KEPT = timedelta(days=400)

_COUNT = """
INSERT INTO daily_usage AS used (organization_id, day, operations, writes, searches)
SELECT id, %(day)s, %(n)s, %(writes)s, %(searches)s FROM organizations
WHERE id = %(organization)s AND %(n)s <= coalesce(daily_operation_cap, %(cap)s)
ON CONFLICT (organization_id, day) DO UPDATE SET
  operations = used.operations + excluded.operations,
  writes = used.writes + excluded.writes,
  searches = used.searches + excluded.searches
WHERE used.operations + excluded.operations <= (
  SELECT coalesce(daily_operation_cap, %(cap)s) FROM organizations
  WHERE id = used.organization_id)
RETURNING operations
"""

_TAKE_REQUEST = """
INSERT INTO rate_windows AS used (organization_id, key_id, "window", requests)
VALUES (%(organization)s, %(key)s, %(window)s, 1)
ON CONFLICT (key_id, "window") DO UPDATE SET requests = used.requests + 1
WHERE used.requests < (
  SELECT coalesce(requests_per_minute, %(limit)s) FROM api_keys WHERE id = %(key_uuid)s)
RETURNING requests,
  (SELECT coalesce(requests_per_minute, %(limit)s) FROM api_keys WHERE id = %(key_uuid)s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A key's requests of this minute: how many it may send, how many are left, until when."""

    limit: int
    remaining: int
    seconds: int


def count_operations(
    actor: Actor,
    n: int,
    kind: Literal["write", "search"],
    *,
    through: Callable[[Question], list[Row]] | None = None,
) -> None:
    """Take `n` operations from today's cap, all or none. Call it inside `acting_as`.

    `through` asks the question with a statement of the caller's own, for one round trip less.
    Raises `DailyCapReached`; the caller's transaction then rolls back, so nothing is half-done. The
    organization's row of the day stays locked until that transaction ends: call it late, after the
    bank's lock, with nothing slow behind it. A no-op for the product's own actors.
    """
    if n <= 0 or actor.kind == "system":
        return
    moment = now()
    counting = Question(
        sql=_COUNT,
        values={
            "organization": to_uuid("org", actor.organization_id),
            "day": day_start(moment).date(),
            "n": n,
            "writes": n if kind == "write" else 0,
            "searches": n if kind == "search" else 0,
            "cap": settings.DAILY_OPERATION_CAP,
        },
        repeats=True,
    )
    counted = through(counting) if through is not None else ask_inside(counting)[0]
    if not counted:
        raise cap_reached(usage.today(actor, moment), n)


def require_room(actor: Actor, n: int, used: UsageToday | None = None) -> None:
    """Refuse early what `count_operations` would refuse later, before anything costly is computed.

    Reads only, locks nothing and promises nothing. Without `used` one query, inside `acting_as`.
    """
    if actor.kind == "system":
        return
    used = used or usage.today(actor, now())
    if n > used.remaining:
        raise cap_reached(used, n)


def rate_question(actor: Actor) -> Question:
    """Counts one request of the actor's key in this minute; what `check_rate` reads."""
    return Question(
        sql=_TAKE_REQUEST,
        values={
            "organization": to_uuid("org", actor.organization_id),
            "key": actor.key_id,
            "key_uuid": to_uuid("key", str(actor.key_id)),
            "window": now().replace(second=0, microsecond=0),
            "limit": settings.KEY_REQUESTS_PER_MINUTE,
        },
        repeats=True,
    )


def check_rate(actor: Actor, counted: list[Row] | None = None) -> Rate | None:
    """Count one request of the actor's key in this minute. Raises `RateLimited`.

    `counted` are the rows of a `rate_question` that was asked already; without them a short
    transaction of its own in one round trip, so never inside `acting_as`. None for people, who have
    no rate. The limit is the key's, else the server's `KEY_REQUESTS_PER_MINUTE`.
    """
    if actor.key_id is None:
        return None
    if counted is None:
        (counted,) = ask(actor, rate_question(actor))
    wait = 60 - now().second
    if not counted:
        raise _limited(wait)
    requests, allowed = counted[0]
    return Rate(limit=allowed, remaining=max(0, allowed - requests), seconds=wait)


def today(actor: Actor) -> UsageToday:
    """The organization's use of this UTC day against its cap."""
    with acting_as(actor):
        return usage.today(actor, now())


def last_days(actor: Actor, *, back: int = 30) -> list[DailyUsage]:
    """The days with any use among the last `back`, oldest first."""
    with acting_as(actor):
        return usage.days(actor, now(), back=back)


def forget_old_usage(actor: Actor) -> int:
    """Delete minutes older than an hour and days older than 400; how many rows went."""
    moment = now()
    with acting_as(actor):
        windows = RateWindow.objects.filter(
            organization_id=actor.organization_id, window__lt=moment - _WINDOWS_KEPT
        )
        old_days = DailyUsage.objects.filter(
            organization_id=actor.organization_id, day__lt=(moment - _DAYS_KEPT).date()
        )
        return windows.delete()[0] + old_days.delete()[0]


def cap_reached(used: UsageToday, n: int) -> DailyCapReached:
    """The refusal of `n` operations, with what is left and when the day ends."""
    return DailyCapReached(
        f"The organization's daily cap is {used.cap:,} operations; {used.remaining:,} are left and "
        f"this needs {n:,}.",
        hint=f"It resets at {iso(used.resets_at)}. An owner can raise the cap.",
        details={
            "cap": used.cap,
            "used": used.operations,
            "needed": n,
            "resets_at": iso(used.resets_at),
            "retry_after": max(1, round((used.resets_at - now()).total_seconds())),
        },
    )


def _limited(wait: int) -> RateLimited:
    return RateLimited(
        "This key has used up its requests of this minute.",
        hint=f"Wait {wait} seconds and send the request again.",
        details={"retry_after": wait},
    )
