"""Long lists come from indexes under row security, whatever their order and filter."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.queries.access import resolve
from memory_app.queries.browsing import browse
from memory_app.queries.memories import MemoryFilter, count
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.bulk import fill, make_corpus, settle

MEMORIES = 3_000


@pytest.fixture(scope="module")
def world(database: None) -> World:
    """A bank of some thousands among smaller ones, as autovacuum leaves it."""
    made, corpus = make_world(), make_corpus(dimensions=384, vocabulary=500)
    fill(made, made.bank, corpus, MEMORIES)
    fill(made, make_bank(made, "other"), corpus, 300, seed=2)
    with acting_as(made.person):
        rows = Memory.objects.filter(bank=made.bank, created_watermark=7)
        rows.update(tags=["rare"], category="rare")
    settle()
    return made


def _plan(world: World, where: MemoryFilter, order: str = "") -> str:
    """How the page's own statement is run."""
    with acting_as(world.person):
        access = resolve(world.person, "main")
        with CaptureQueriesContext(connection) as seen:
            browse(access, where, order=order)
            count(access, where)
        plans = []
        for entry in seen:
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN (COSTS OFF) " + entry["sql"])
                plans += [row[0] for row in cursor.fetchall()]
    return "\n".join(plans)


def test_the_list_by_last_change_is_read_in_the_order_of_an_index(world: World) -> None:
    plan = _plan(world, MemoryFilter(), "changed")

    assert "Index Only Scan Backward using memories_listed" in plan
    assert "Seq Scan on memories" not in plan


@pytest.mark.parametrize("where", [MemoryFilter(tags=("rare",)), MemoryFilter(category="rare")])
@pytest.mark.parametrize("order", ["changed", "recalled", "oldest"])
def test_a_filter_of_few_is_answered_by_its_index_under_row_security(
    world: World, where: MemoryFilter, order: str
) -> None:
    plan = _plan(world, where, order)

    assert "Bitmap Index Scan on memories_filtered" in plan
    assert "Seq Scan on memories" not in plan


def test_a_page_of_any_order_holds_what_the_filter_finds(world: World) -> None:
    with acting_as(world.person):
        access = resolve(world.person, "main")
        pages = [browse(access, MemoryFilter(tags=("rare",)), order=o) for o in ("", "changed")]

    assert [len(page.memories) for page in pages] == [1, 1]
