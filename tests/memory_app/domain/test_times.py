from __future__ import annotations

import pytest

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.times import iso, parse_instant, read_loosely

UNSTORABLE = [
    "3538-08-06T10:47:41+17:23",
    "1349-07-15T18:42:46-22:45",
    "0001-01-01T00:00:00+05:00",
    "9999-12-31T23:59:59-05:00",
]


@pytest.mark.parametrize("text", UNSTORABLE)
def test_instant_that_the_database_could_not_hold_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        parse_instant(text, field="created_to")

    assert refused.value.field == "created_to"


@pytest.mark.parametrize("text", UNSTORABLE)
def test_date_that_the_database_could_not_hold_stays_a_text(text: str) -> None:
    assert read_loosely(text) is None


@pytest.mark.parametrize("text", ["next Tuesday", "5 May", "29 February", "9 pm", "March"])
def test_a_date_without_a_year_is_no_instant(text: str) -> None:
    """Family N: it happened in no year that the text names."""
    assert read_loosely(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [("1:56 pm on 8 May, 2023", 8), ("June 2026", 1), ("2026", 1), ("29 February 2028", 29)],
)
def test_a_date_with_its_year_is_read_in_any_wording(text: str, day: int) -> None:
    moment = read_loosely(text)

    assert moment is not None
    assert (moment.day, str(moment.year) in text) == (day, True)


def test_offset_is_kept() -> None:
    """Case 078."""
    assert iso(parse_instant("2026-06-01T19:00:00-05:00", field="at")).endswith("19:00:00-05:00")
    assert parse_instant("2026-06-01", field="at").isoformat() == "2026-06-01T00:00:00+00:00"
