"""The list of memories says how many came since it was drawn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_app.domain.ids import new_id
from memory_app.models import Memory
from memory_app.services import memories
from tests.dashboard.conftest import Desk
from tests.factories import make_world

Remember = Callable[..., Memory]


def test_only_what_came_later_and_fits_the_filters_is_counted(
    desk: Desk, remember: Remember
) -> None:
    first = remember("The office closes at six.", tags=["office"])
    memories.pin(desk.world.person, "main", first.id)
    asked = desk.client.get(desk.url("memories/?tag=office")).context["newer_memories_url"]
    before = desk.client.get(asked)
    remember("The canteen opens at noon.")
    remember("The office has a garden.", tags=["office"])

    after = desk.client.get(asked)

    assert (before.context["number"], after.context["number"]) == (0, 1)
    assert "1 new memory: show" in after.content.decode()
    assert f'href="{desk.url("memories/?tag=office")}"' in after.content.decode()


def test_an_empty_list_hears_of_its_first_memory(desk: Desk, remember: Remember) -> None:
    asked = desk.client.get(desk.url("memories/")).context["newer_memories_url"]
    remember("The office closes at six.")

    assert desk.client.get(asked).context["number"] == 1


@pytest.mark.parametrize(
    "query", ["q=office", "state=bin", "sort=oldest", "as_of=2030-01-01", "entity=Atlas"]
)
def test_a_list_that_does_not_begin_with_the_newest_says_nothing(
    desk: Desk, remember: Remember, query: str
) -> None:
    remember("The office closes at six.")

    page = desk.client.get(desk.url(f"memories/?{query}")).content.decode()
    counted = desk.client.get(desk.url(f"memories/newer?{query}&newest=")).content.decode()

    assert 'id="newer-memories"' not in page
    assert "new memor" not in counted


def test_many_are_counted_up_to_fifty_with_as_many_queries(desk: Desk, remember: Remember) -> None:
    first = remember("The office closes at six.")
    url = desk.url(f"memories/newer?newest={first.id}")
    desk.client.get(url)
    few = _statements(desk, url)
    for number in range(51):
        remember(f"Room {number} is on floor {number * 7}.")

    assert _statements(desk, url) == few
    assert "50 or more new memories: show" in desk.client.get(url).content.decode()


def test_an_id_of_something_else_and_a_stranger_learn_nothing(desk: Desk) -> None:
    other = make_world()
    foreign = f"/o/{other.organization.slug}/{other.bank.slug}/memories/newer"

    assert desk.client.get(desk.url(f"memories/newer?newest={new_id('ent')}")).status_code == 400
    assert desk.client.get(foreign).status_code == 404


def _statements(desk: Desk, url: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert desk.client.get(url).status_code == 200
    return len(seen)
