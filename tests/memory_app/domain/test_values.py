from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any

import pytest

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.values import (
    parse_changes,
    parse_draft,
    parse_fraction,
    parse_integer,
    parse_observed,
    parse_props,
)


def test_an_evening_event_keeps_the_day_of_its_offset() -> None:
    """N078"""
    moment, written = parse_observed("2026-06-01T19:00:00-05:00")

    assert moment is not None
    assert (moment.day, moment.utcoffset()) == (1, timedelta(hours=-5))
    assert written == "2026-06-01T19:00:00-05:00"


@pytest.mark.parametrize("text", ["1:56 pm on 8 May, 2023", "2023/05/08 (Mon) 13:56", "8 May 2023"])
def test_a_date_in_any_usual_form_is_read(text: str) -> None:
    moment, written = parse_observed(text)

    assert moment is not None
    assert moment.astimezone(UTC).date().isoformat() == "2023-05-08"
    assert written == text


def test_a_date_that_can_not_be_read_is_kept_as_text() -> None:
    assert parse_observed("the spring of the flood") == (None, "the spring of the flood")


@pytest.mark.parametrize("value", ["ten", 0, -1, 51, 10**9, True, 1.5, "10"])
def test_a_limit_outside_its_range_is_refused_with_the_range(value: Any) -> None:
    """W158"""
    with pytest.raises(InvalidArgument) as refusal:
        parse_integer(value, field="limit", least=1, most=50, default=10)

    assert "1" in refusal.value.hint
    assert "50" in refusal.value.hint


@pytest.mark.parametrize("value", [-1, 1.5, "abc", float("nan"), True])
def test_a_fraction_outside_zero_and_one_is_refused(value: Any) -> None:
    """M066"""
    with pytest.raises(InvalidArgument):
        parse_fraction(value, field="min_score")


def test_an_edit_of_an_unknown_field_names_it() -> None:
    with pytest.raises(InvalidArgument) as refusal:
        parse_changes({"author": "agent_x"})

    assert refusal.value.field == "author"


@pytest.mark.parametrize(
    "props", [[], "x", {"a": float("nan")}, {"a": "x" * 20_000}, {"a": "\x00"}, {"a": object()}]
)
def test_props_that_json_does_not_hold_are_refused(props: Any) -> None:
    with pytest.raises(InvalidArgument):
        parse_props(props)


def test_a_draft_takes_the_clients_name_as_its_source() -> None:
    """E1"""
    draft = parse_draft(content="Hello.", default_source="agent/1.0")

    assert draft.source == "agent/1.0"
