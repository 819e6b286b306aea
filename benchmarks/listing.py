"""The list of memories in a bank of 100,000: every order, every filter and pairs of them, by the clock.

What is timed is what the screen asks of the database: a page of 50 and the count beside it.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import connection, connections

from accounts.tenancy import acting_as
from benchmarks.figures import spread, timed
from memory_app.domain.ids import new_id, to_uuid
from memory_app.models import Entity, Memory
from memory_app.providers.clock import now
from memory_app.queries.access import resolve
from memory_app.queries.browsing import ORDERS, browse
from memory_app.queries.memories import MemoryFilter, count
from memory_app.queries.review import waiting
from tests.database import point_django_at, start_cluster
from tests.factories import World, make_bank, make_world

MEMORIES = 100_000
TURNS = 3
WRITES = 300
BAR_MS = 200.0

# Everything is spread over the whole bank; "rare" values are carried by about a hundred memories.
_FILL = """
INSERT INTO memories (bank_id, organization_id, id, slug, title, content, category, collection, tags,
  observed_offset, observed_text, confidence, source, project, session, props, stated, author, author_name,
  tool, content_hash, recall_count, created_at, updated_at, pinned_at, retired_at, deleted_at, indexed_at,
  created_watermark, head_watermark, retired_by, retired_reason)
SELECT %(bank)s, %(organization)s,
  (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - n::bigint * 600000), 12, '0')
    || substr(md5(n::text || %(bank)s), 1, 20))::uuid,
  'memory-' || n, '', repeat(md5(n::text) || ' ', 6) || n,
  CASE WHEN n %% 1000 = 7 THEN 'rare' ELSE 'category ' || n %% 12 END,
  CASE WHEN n %% 1000 = 11 THEN 'rare' ELSE 'collection ' || n %% 8 END,
  CASE WHEN n %% 1000 = 13 THEN ARRAY['rare'] WHEN n %% 3 = 0 THEN ARRAY['common', 'tag ' || n %% 41]
    ELSE '{}'::varchar[] END,
  0, '', '', CASE WHEN n %% 1000 = 17 THEN 'rare' ELSE 'source ' || n %% 5 END, '', 'session ' || n / 20,
  '{}', '{}', CASE WHEN n %% 1000 = 19 THEN 'agent_rare' ELSE 'agent_' || n %% 4 END, 'Coder', '', '',
  (1000 / (1 + (n::bigint * 7919) %% 2000))::int, now() - n * interval '10 minutes',
  now() - ((n::bigint * 7919) %% 100000) * interval '10 minutes',
  CASE WHEN n %% 900 = 23 THEN now() - interval '1 day' END,
  CASE WHEN n %% 12 = 5 THEN now() END, CASE WHEN n %% 70 = 29 THEN now() END,
  CASE WHEN n %% 2000 <> 31 THEN now() END, n, n, '', ''
FROM generate_series(%(first)s, %(last)s) n
"""
_COUNT = """
UPDATE memories SET recall_count = recall_count + 1
WHERE bank_id = %(bank)s AND id = ANY(%(ids)s)
"""
_MENTIONS = """
INSERT INTO mentions (bank_id, organization_id, id, memory_id, entity_id, name, resolution, since)
SELECT bank_id, organization_id, gen_random_uuid(), id, %(entity)s, '', '', 1 FROM memories
WHERE bank_id = %(bank)s AND created_watermark %% %(each)s = 1
"""


def run() -> None:
    """Fill a throw-away database and print milliseconds, slowest first."""
    cluster = start_cluster()
    try:
        point_django_at(cluster.copy_database("benchmark_listing"))
        world = make_world()
        _fill(world, MEMORIES)
        for number in range(3):
            other = make_bank(world, f"bank-{number}")
            _fill(replace(world, bank=other), MEMORIES // 20)
        with connections["owner"].cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE) memories")
            cursor.execute("VACUUM (ANALYZE) mentions")
        found = sorted(_measured(world), key=lambda one: -one[1])
        for name, milliseconds, number in found:
            late = "  <-- late" if milliseconds > BAR_MS else ""
            print(f"{milliseconds:8.1f} ms  {name}  ({number}){late}")
        _print_writes(world)
        connection.close()
    finally:
        cluster.stop()


def _measured(world: World) -> Iterator[tuple[str, float, int]]:
    filters = _filters(world)
    pairs = {
        f"{a} + {b}": {**filters[a], **filters[b]} for a, b in itertools.combinations(filters, 2)
    }
    for name, conditions in (
        {"everything": {}} | filters | ({} if os.environ.get("SINGLES") else pairs)
    ).items():
        where = MemoryFilter(**conditions)  # type: ignore[arg-type]
        for order in ("", *ORDERS):
            milliseconds, number = _page(world, where, order)
            yield f"{name}, {order or 'newest'}", milliseconds, number
    with acting_as(world.person):
        access = resolve(world.person, "main")
        yield "what waits for review (sidebar)", _best(lambda: waiting(access)), 0


def _page(world: World, where: MemoryFilter, order: str) -> tuple[float, int]:
    with acting_as(world.person):
        access = resolve(world.person, "main")
        page = browse(access, where, order=order)
        took = _best(lambda: (browse(access, where, order=order), count(access, where)))
    return took, len(page.memories)


def _best(work: Callable[[], object]) -> float:
    return min(timed(work) for _ in range(TURNS)) * 1_000


def _print_writes(world: World) -> None:
    """What the list's indexes cost a write and a recall's count, with and without them."""
    for indexed in (True, False):
        if not indexed:
            with connections["owner"].cursor() as cursor:
                cursor.execute("DROP INDEX memories_listed, memories_filtered")
        saved, counted = [], []
        with acting_as(world.person):
            mine = Memory.objects.filter(bank=world.bank).order_by("content_hash", "content")
            ids = [to_uuid("mem", one) for one in mine.values_list("id", flat=True)[: WRITES * 10]]
        for turn in range(WRITES):
            with acting_as(world.person), connection.cursor() as cursor:
                some = {
                    "bank": to_uuid("bank", world.bank.id),
                    "ids": ids[turn * 10 : turn * 10 + 10],
                }
                started = time.perf_counter()
                cursor.execute(_COUNT, some)
                counted.append(time.perf_counter() - started)
                started = time.perf_counter()
                _insert(cursor, world, 10, MEMORIES * (3 + indexed) + turn * 10)
                saved.append(time.perf_counter() - started)
        name = "with" if indexed else "without"
        print(
            f"10 rows inserted {name} the indexes: {spread(saved)}; 10 counted: {spread(counted)}"
        )


def _filters(world: World) -> dict[str, dict[str, object]]:
    common, rare = _entity(world, "Common", 10), _entity(world, "Rare", 1_000)
    day = timedelta(days=1)
    return {
        "tag common": {"tags": ("common",)},
        "tag rare": {"tags": ("rare",)},
        "tag of nobody": {"tags": ("nobody",)},
        "category": {"category": "category 3"},
        "category rare": {"category": "rare"},
        "collection rare": {"collection": "rare"},
        "source rare": {"source": "rare"},
        "source": {"source": "source 2"},
        "author": {"author": "agent_2"},
        "author rare": {"author": "agent_rare"},
        "session": {"session": "session 700"},
        "entity common": {"entity": common},
        "entity rare": {"entity": rare},
        "pinned": {"pinned": True},
        "retired": {"state": "retired"},
        "pending": {"state": "pending"},
        "bin": {"state": "deleted"},
        "old month": {"created_from": now() - 600 * day, "created_to": now() - 570 * day},
        "never recalled": {"never_recalled": True},
        "untouched": {"untouched_since": now() - 690 * day, "pinned": False},
        "text, retired": {"text": "nothing like this", "state": "retired"},
    }


def _entity(world: World, name: str, each: int) -> str:
    with acting_as(world.person):
        made = Entity.objects.create(
            organization=world.organization, bank=world.bank, id=new_id("ent"), name=name,
            name_key=name.lower(), created_by="agent", since=1,
        )  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(
                _MENTIONS,
                {
                    "bank": to_uuid("bank", world.bank.id),
                    "entity": to_uuid("ent", made.id),
                    "each": each,
                },
            )
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) mentions")
    return str(made.id)


def _fill(world: World, number: int) -> None:
    with acting_as(world.person), connection.cursor() as cursor:
        _insert(cursor, world, number, 1)


def _insert(cursor: Any, world: World, number: int, first: int) -> None:
    cursor.execute(
        _FILL,
        {
            "bank": to_uuid("bank", world.bank.id),
            "organization": to_uuid("org", world.organization.id),
            "first": first,
            "last": first + number - 1,
        },
    )
