"""Tables that were filled at once and that nobody has analyzed yet: everything stays a look-up."""

from __future__ import annotations

import contextlib
import os
import random
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.services import facts, subgraphs, tracing
from tests.factories import World, make_world
from tests.memory_app.recall.bulk import Corpus, fill, make_corpus, refresh
from tests.memory_app.recall.bulk_graph import fill_graph

SIZE = 2_000
# Statements that leave the planner a choice read 10,000 pages and more for one question; of chained
# look-ups some may still take another index of so small a table.
CHAINED = 5_000
# A neighbour that passes a filter is looked for through its session, twenty memories here.
LOOKED_UP = 1_200
# These read the bank's cells or words by design.
BY_DESIGN = re.compile(r"\(c\.embedding <=> .*ORDER BY distance|c\.words @@", re.DOTALL)

_FORGET = """
DELETE FROM pg_statistic WHERE starelid IN (
  SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
DELETE FROM pg_statistic_ext_data;
SELECT pg_clear_relation_stats('public', relname::text) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i');
"""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus()


@pytest.fixture(scope="module")
def filled(database: None, corpus: Corpus) -> World:
    """A bank of 2,000 facts."""
    world = make_world(tier="full")
    fill(world, world.bank, corpus, SIZE)
    fill_graph(world, world.bank, SIZE, causes=10)
    refresh(world, world.bank)
    return world


def _forget(server: psycopg.Connection[Any]) -> None:
    """Again where the server was just analyzing a table, which it gives up or finishes."""
    for _ in range(50):
        with contextlib.suppress(psycopg.errors.DeadlockDetected):
            server.execute(_FORGET)
            return


@pytest.fixture
def forgotten(filled: World) -> Iterator[World]:
    """No table has statistics, as on an older server's first day."""
    with _superuser() as server:
        _forget(server)
    yield filled
    with connections["owner"].cursor() as owner:
        owner.execute("ANALYZE")


@pytest.fixture
def told(forgotten: World) -> World:
    """No table was analyzed, but the planner was told what to think of them."""
    migration = import_module("memory_app.migrations.0016_swifter_reads")
    with connections["owner"].cursor() as owner:
        owner.execute(migration.FIRST_STATISTICS)
    return forgotten


def _superuser() -> psycopg.Connection[object]:
    return psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"], autocommit=True)


def _pages(world: World, work: Callable[[], object]) -> dict[str, int]:
    """The pages that each statement of some work reads, but for those that read a bank by design."""
    with CaptureQueriesContext(connection) as seen:
        work()
    statements = [part for entry in seen for part in entry["sql"].split(";\n")]
    reads = [one for one in statements if re.match(r"\s*(SELECT|WITH)\b", one)]
    return {one: _pages_of(world, one) for one in reads if not BY_DESIGN.search(one)}


def _pages_of(world: World, statement: str) -> int:
    with acting_as(world.caller), connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + statement)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    found = re.search(r"Buffers: shared([^\n]*)", plan)
    return sum(
        int(number) for number in re.findall(r"(?:hit|read)=(\d+)", found[1] if found else "")
    )


def _question(corpus: Corpus) -> str:
    chance = random.Random(3)
    return " ".join(chance.sample(corpus.text(chance).split(), 5))


def test_a_search_for_facts_reads_few_pages_where_no_table_was_analyzed(
    forgotten: World, corpus: Corpus
) -> None:
    pages = _pages(
        forgotten, lambda: facts.query(forgotten.caller, "main", text=_question(corpus), limit=10)
    )

    assert len(pages) >= 5
    assert [(one, read) for one, read in pages.items() if read > CHAINED] == []


def test_the_newest_facts_read_few_pages_where_no_table_was_analyzed(forgotten: World) -> None:
    pages = _pages(
        forgotten, lambda: facts.query(forgotten.caller, "main", text="", digest=True, limit=10)
    )

    assert len(pages) >= 4
    assert [(one, read) for one, read in pages.items() if read > CHAINED] == []


def test_a_planner_that_was_told_of_the_tables_reads_few_pages_for_any_question(
    told: World, corpus: Corpus
) -> None:
    """Also for statements whose shape leaves the planner a choice."""

    def asked() -> None:
        subgraphs.inspect(told.caller, "main", "Thing 7")
        facts.query(told.caller, "main", text=_question(corpus), limit=10, about=("Thing 7",))
        tracing.trace(told.caller, "main", "Thing 7", direction="both", hops=2)

    pages = _pages(told, asked)

    steps = [read for one, read in pages.items() if "RECURSIVE" in one]
    rest = [(one, read) for one, read in pages.items() if "RECURSIVE" not in one]
    assert len(steps) == 1
    assert [(one, read) for one, read in rest if read > LOOKED_UP] == []


def test_an_analyzed_table_is_told_nothing(filled: World) -> None:
    migration = import_module("memory_app.migrations.0016_swifter_reads")
    with connections["owner"].cursor() as owner:
        owner.execute("ANALYZE memories")
    before = _distinct_banks()

    with connections["owner"].cursor() as owner:
        owner.execute(migration.FIRST_STATISTICS)

    assert _distinct_banks() == before


def _distinct_banks() -> list[object]:
    with _superuser() as server:
        return server.execute(
            "SELECT stadistinct, stavalues1::text FROM pg_statistic s JOIN pg_attribute a "
            "ON a.attrelid = s.starelid AND a.attnum = s.staattnum "
            "WHERE a.attrelid = 'memories'::regclass AND a.attname = 'bank_id'"
        ).fetchall()
