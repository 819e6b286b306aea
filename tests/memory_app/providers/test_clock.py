"""The clock that a test may set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory_app.providers import clock


def test_the_time_is_in_utc() -> None:
    assert clock.now().tzinfo is UTC


def test_a_frozen_clock_stands_still_and_goes_on_afterwards() -> None:
    instant = datetime(2025, 6, 1, 19, tzinfo=timezone(timedelta(hours=-5)))

    with clock.frozen(instant):
        assert clock.now() == instant
    assert clock.now() > instant


def test_a_naive_instant_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"), clock.frozen(datetime(2025, 6, 1)):  # noqa: DTZ001
        pass
