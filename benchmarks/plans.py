"""How the database runs each statement of recall and of the lists, in a bank of 100,000 cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from memory_app.models import Bank
from memory_app.queries.access import Access, resolve
from memory_app.queries.memories import MemoryFilter, list_page
from memory_app.recall import Filters, Query
from memory_app.recall import run as recall
from memory_app.services import vector_index
from tests.database import point_django_at, start_cluster
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.bulk import Corpus, fill, make_corpus, refresh, settle

WRITTEN = 10_000
COPIES = 9

_NOISE = re.compile(
    r"\s*(Buffers|Storage|Index Searches|Planning:|InitPlan|One-Time Filter|->  Result|Batches|Sort Key)"
)

_COPY_MEMORIES = """
CREATE TEMPORARY TABLE copied ON COMMIT DROP AS
  SELECT id AS old, gen_random_uuid() AS new FROM memories WHERE bank_id = %(bank)s
  AND created_watermark < %(written)s;
INSERT INTO memories ({columns}) SELECT {values} FROM memories m JOIN copied ON copied.old = m.id
WHERE m.bank_id = %(bank)s;
"""
_COPY_CELLS = """
INSERT INTO cells ({columns}) SELECT {values} FROM cells c JOIN copied ON copied.old = c.memory_id
WHERE c.bank_id = %(bank)s
"""


def run() -> None:
    """Fill a throw-away database and print the plans as Markdown."""
    cluster = start_cluster()
    try:
        point_django_at(cluster.copy_database("benchmark_plans"))
        world, corpus = make_world(), make_corpus()
        others = [make_bank(world, f"bank-{number}") for number in range(5)]
        fill(world, world.bank, corpus, WRITTEN)
        for number, bank in enumerate(others):
            fill(world, bank, corpus, 1_000, seed=10 + number)
        for _ in range(COPIES):
            _multiply(world.bank)
        refresh(world, world.bank)
        settle()
        print_plans(world, corpus)
        connection.close()
    finally:
        cluster.stop()


def print_plans(world: World, corpus: Corpus) -> None:
    """One section a statement; vectors are shortened to three numbers."""
    vector = corpus.vector(np.random.default_rng(3))
    words = " ".join(corpus.words[number] for number in (3, 40, 700, 2_500))
    asked: dict[str, Callable[[Access], object]] = {
        "A search": lambda access: recall(access, Query(text=words), query_vector=vector),
        "A search with a filter by tag": lambda access: recall(
            access, Query(text=words, filters=Filters(tags=("twelfth",))), query_vector=vector
        ),
        "Keyword search": lambda access: recall(access, Query(text=words[:9], mode="keyword")),
        "The profile": lambda access: recall(access, Query(limit=20)),
        "The memory list, newest first": lambda access: list_page(
            access, MemoryFilter(), after=None, limit=50
        ),
    }
    for title, work in asked.items():
        _section(world, title, work)
    vector_index.tend(world.person, world.bank.id)
    _section(
        world,
        "By meaning through the bank's own HNSW index",
        lambda access: recall(access, Query(text=words, mode="vector"), query_vector=vector),
    )


def _section(world: World, title: str, work: Callable[[Access], object]) -> None:
    print(f"\n## {title}\n")
    with acting_as(world.person):
        access = resolve(world.person, "main")
        with CaptureQueriesContext(connection) as seen:
            work(access)
        statements = [entry["sql"] for entry in seen if not entry["sql"].startswith("SET ")]
        work(access)
        for statement in statements:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) {statement}")
                plan = "\n".join(row[0] for row in cursor.fetchall())
            print(f"```\n{_short(plan)}\n```\n")


def _short(plan: str) -> str:
    """What tells one plan from another: scans, conditions, sorts, the first line's buffers."""
    plan = re.sub(r"'\[([^\],]*,[^\],]*,[^\],]*),[^\]]*\]'", r"'[\1, ...]'", plan)
    plan = re.sub(r"'\{([0-9a-f-]{36}),[^}]*\}'", r"'{\1, ...}'", plan)
    lines = plan.splitlines()
    kept = [line for number, line in enumerate(lines) if number < 2 or not _NOISE.match(line)]
    return "\n".join(line if len(line) <= 150 else f"{line[:147]}..." for line in kept)


def _multiply(bank: Bank) -> None:
    """Every written memory and its cell once more, under new ids."""
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT set_config('app.organization', %s, true)",
            [str(to_uuid("org", bank.organization_id))],
        )
        parameters: dict[str, Any] = {"bank": to_uuid("bank", bank.id), "written": WRITTEN}
        for table, statement, replaced in (
            (
                "memories",
                _COPY_MEMORIES,
                {
                    "id": "copied.new",
                    "slug": "copied.new::text",
                    "created_watermark": f"m.created_watermark + {WRITTEN}",
                },
            ),
            ("cells", _COPY_CELLS, {"id": "gen_random_uuid()", "memory_id": "copied.new"}),
        ):
            cursor.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
                [table],
            )
            columns = [row[0] for row in cursor.fetchall()]
            values = [replaced.get(name, f'{table[0]}."{name}"') for name in columns]
            listed = ", ".join(f'"{name}"' for name in columns)
            cursor.execute(statement.format(columns=listed, values=", ".join(values)), parameters)
