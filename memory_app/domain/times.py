"""Instants: always aware, shown as ISO 8601 with offset, read from any usual way of writing
them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from dateutil import parser

from memory_app.domain.errors import InvalidArgument

# What PostgreSQL refuses as "time zone displacement out of range".
_OFFSET_LIMIT = timedelta(hours=16)
# What stands in for a year that a text doesn't name; any 29 February is in both.
_LEAP_YEARS = (1996, 2000)


def iso(moment: datetime) -> str:
    """ISO 8601 with the offset the moment carries."""
    return moment.isoformat()


def parse_instant(text: str, *, field: str) -> datetime:
    """An aware instant from ISO 8601 (an offset is kept; without one it is UTC).

    Raises `InvalidArgument` that names `field`.
    """
    try:
        moment: datetime = parser.isoparse(text.strip())
    except (ValueError, OverflowError, AttributeError):
        raise _unreadable(text, field) from None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not _storable(aware):
        raise _unreadable(text, field)
    return aware


def read_loosely(text: str) -> datetime | None:
    """An aware instant from a date written in any usual way, or None when it can't be read.

    The offset given in the text is kept, since an evening event belongs to the day of its offset. A
    text that names no year ("next Tuesday", "5 May") tells of no instant.
    """
    try:
        moment, other = (
            parser.parse(text, default=datetime(year, 1, 1, tzinfo=UTC), fuzzy=True)
            for year in _LEAP_YEARS
        )
    except (ValueError, OverflowError, TypeError):
        return None
    if moment.year != other.year:
        return None
    aware: datetime = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware if _storable(aware) else None


def _storable(moment: datetime) -> bool:
    """Whether PostgreSQL takes the offset, and the moment has a UTC day inside Python's years."""
    try:
        offset = moment.utcoffset() or timedelta()
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return abs(offset) < _OFFSET_LIMIT


def day_start(moment: datetime) -> datetime:
    """00:00 UTC of the moment's UTC day: where daily caps reset."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def next_day_start(moment: datetime) -> datetime:
    """00:00 UTC of the day after."""
    return day_start(moment) + timedelta(days=1)


def _unreadable(text: object, field: str) -> InvalidArgument:
    return InvalidArgument(
        f"{field} is not a time that can be read: {str(text)[:40]!r}.",
        hint="Write ISO 8601, for example 2026-11-30T09:00:00+00:00.",
        field=field,
    )


def shifted(text: object, minutes: object) -> object:
    """An ISO 8601 instant said at another offset, the same instant; unreadable text as it came."""
    if not isinstance(text, str) or not isinstance(minutes, int):
        return text
    try:
        zone = timezone(timedelta(minutes=minutes))
        return iso(parse_instant(text, field="observed_at").astimezone(zone))
    except (InvalidArgument, ValueError, OverflowError):
        return text
