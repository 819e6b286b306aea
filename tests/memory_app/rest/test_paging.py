from __future__ import annotations

import re
from typing import Any

import pytest

from memory_app.domain.values import parse_draft
from memory_app.services.memories import save_many
from tests.factories import World
from tests.memory_app.rest.client import Rest

TAGS = ("odd", "even")


@pytest.fixture
def many(world: World) -> int:
    """Sixty-one memories, every second one tagged even."""
    drafts = [
        parse_draft(content=f"Fact number {number} is {number * 17}.", tags=[TAGS[number % 2]])
        for number in range(61)
    ]
    save_many(world.person, "main", drafts)
    return len(drafts)


def walk(rest: Rest, path: str, name: str) -> list[dict[str, Any]]:
    """Every row, page after page, by nothing but the cursor."""
    found: list[dict[str, Any]] = []
    query = path
    while query:
        body = rest.get(query).json()
        found += body[name]
        cursor = body.get("next_cursor")
        query = f"{path.partition('?')[0]}?cursor={cursor}" if cursor else ""
    return found


def test_all_rows_are_reached_once_newest_first(rest: Rest, many: int) -> None:
    """Case 072."""
    found = walk(rest, "memories?limit=7", "memories")

    ids = [row["id"] for row in found]
    assert len(set(ids)) == len(ids) == many
    assert ids == sorted(ids, reverse=True)


def test_next_page_keeps_the_filters(rest: Rest, many: int) -> None:
    """Case 074."""
    found = walk(rest, "memories?limit=10&tags=EVEN&created_from=2020-01-01", "memories")

    assert len(found) == 30
    assert {tuple(row["tags"]) for row in found} == {("even",)}


def test_link_header_leads_to_the_next_page(rest: Rest, many: int) -> None:
    first = rest.get("memories?limit=60")
    address = re.fullmatch(r'<(.+)>; rel="next"', first["Link"])

    assert address is not None
    last = rest.get(address[1])

    assert len(last.json()["memories"]) == 1
    assert "next_cursor" not in last.json()
    assert "Link" not in last


@pytest.mark.parametrize("path", ["memories", "ledger", "activity", "proposals", "imports"])
@pytest.mark.parametrize("cursor", ["x", "%00", "eyJhIjoxfQ", "mem_01M8PVJ4DE7WVGKJWFP81Y1XC4"])
def test_cursor_of_somebody_elses_making_is_refused(rest: Rest, path: str, cursor: str) -> None:
    answer = rest.get(f"{path}?cursor={cursor}")

    assert answer.status_code == 400
    assert answer.json()["field"] == "cursor"


def test_cursor_is_bound_to_its_list_and_filters(rest: Rest, many: int) -> None:
    cursor = rest.get("memories?limit=5&tags=even").json()["next_cursor"]

    same = rest.get(f"memories?limit=5&tags=even&cursor={cursor}")
    other_filter = rest.get(f"memories?tags=odd&cursor={cursor}")
    other_list = rest.get(f"ledger?cursor={cursor}")

    assert same.status_code == 200
    assert (other_filter.status_code, other_list.status_code) == (400, 400)


@pytest.mark.parametrize("path", ["memories", "ledger", "activity", "proposals", "imports"])
@pytest.mark.parametrize("limit", [0, 201, 5_000])
def test_limit_over_the_most_is_refused(rest: Rest, path: str, limit: int) -> None:
    """Case 072: said, not silently cut."""
    answer = rest.get(f"{path}?limit={limit}")

    assert answer.status_code == 400
    assert answer.json()["field"] == "limit"


def test_ledger_and_activity_are_walked_to_the_end(rest: Rest, many: int) -> None:
    entries = walk(rest, "ledger?limit=20", "entries")
    events = walk(rest, "activity?limit=20", "events")

    assert [entry["seq"] for entry in entries] == list(range(len(entries), 0, -1))
    assert len({event["id"] for event in events}) == len(events) >= many
