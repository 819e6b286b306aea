"""The time, behind one function, so that a test or a replay may set it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_fixed: ContextVar[datetime | None] = ContextVar("fixed_time", default=None)


def now() -> datetime:
    """The present instant, in UTC, never naive."""
    return _fixed.get() or datetime.now(UTC)


@contextmanager
def frozen(instant: datetime) -> Iterator[None]:
    """Inside the block `now()` answers `instant`, in this thread or task only."""
    if instant.tzinfo is None:
        raise ValueError("the frozen instant needs a time zone")
    token = _fixed.set(instant.astimezone(UTC))
    try:
        yield
    finally:
        _fixed.reset(token)
