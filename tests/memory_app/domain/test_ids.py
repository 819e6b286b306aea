from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.errors import WrongIdPrefix
from memory_app.domain.ids import canonical_id, from_uuid, is_id, new_id, to_uuid


def test_ids_made_in_a_row_rise_strictly() -> None:
    made = [new_id("mem") for _ in range(5_000)]

    assert made == sorted(set(made))


@given(st.integers(min_value=0, max_value=2**128 - 1))
def test_the_shown_form_and_the_uuid_turn_into_each_other(number: int) -> None:
    """B1"""
    value = UUID(int=number)

    assert to_uuid("mem", from_uuid("mem", value)) == value


def test_the_first_published_ulid_example_reads_as_its_number() -> None:
    assert to_uuid("mem", "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV") == UUID(
        "01563e3a-b5d3-d676-4c61-efb99302bd5b"
    )


@pytest.mark.parametrize(
    "reference",
    [
        "bank_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "mem_01ARZ3NDEKTSV4RRFFQ69G5FA",
        "mem_81ARZ3NDEKTSV4RRFFQ69G5FAV",
        "mem_01ARZ3NDEKTSV4RRFFQ69G5FAU",
        "mem_01ARZ3NDEKTSV4RRFFQ69G5FA\x00",
        "mem_",
        "",
        "mem_٠1ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)
def test_a_reference_of_another_kind_or_shape_is_refused(reference: str) -> None:
    """B1"""
    with pytest.raises(WrongIdPrefix):
        to_uuid("mem", reference)

    assert not is_id("mem", reference)


def test_lower_case_reads_as_the_same_id() -> None:
    assert canonical_id("mem", "mem_01arz3ndektsv4rrffq69g5fav") == "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
