"""The recall path inside one process: a search against its parts by hand, each channel, the profile.

10,000 memories of 30 words in one bank among six; queries are five words of a stored text, so common
words are as likely as they are in texts. The query's vector is really made, never cached.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psycopg
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from benchmarks.figures import Figure, median_ms, show, spread, timed
from memory_app.providers.embedding import get_embedder
from memory_app.queries.access import resolve
from memory_app.recall import Query
from memory_app.recall import run as recall
from memory_app.recall.channels import dense, lexical
from memory_app.recall.engine import DEPTH
from memory_app.recall.scope import scope_of
from memory_app.services import recalling
from tests.database import point_django_at, start_cluster
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.bulk import Corpus, fill, make_corpus, refresh, settle

MEMORIES = 10_000
ROUNDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Seconds by the clock, and of processor time: on a busy machine only these can be compared."""

    wall: float
    processor: float


def run() -> None:
    """Fill a throw-away database, measure, print."""
    cluster = start_cluster()
    try:
        point_django_at(cluster.copy_database("benchmark_recall"))
        world, corpus = make_world(), make_corpus()
        others = [make_bank(world, f"bank-{number}") for number in range(5)]
        for turn in range(10):
            fill(world, world.bank, corpus, MEMORIES // 10, seed=turn)
            for number, bank in enumerate(others):
                fill(world, bank, corpus, 100, seed=100 + 10 * turn + number)
        refresh(world, world.bank)
        settle()
        show(f"Recall in a bank of {MEMORIES:,} memories", _figures(world, corpus))
        connection.close()
    finally:
        cluster.stop()


def _figures(world: World, corpus: Corpus) -> list[Figure]:
    taken: dict[str, list[Spent]] = defaultdict(list)
    embedder = get_embedder()
    for text in _queries(corpus):
        taken["search"].append(_search(world, text))
        vector = embedder.embed([text], kind="query")[0]
        embedding = spent(lambda text=text: embedder.embed([text], kind="query"))  # type: ignore[misc]
        taken["embedding"].append(embedding)
        sql = by_hand(world, text, vector)
        taken["by hand"].append(
            Spent(wall=embedding.wall + sql.wall, processor=embedding.processor + sql.processor)
        )
        taken["lexical"].append(_lexical(world, text))
        taken["dense"].append(_dense(world, vector))
        taken["profile"].append(_engine(world, Query(limit=20), None))
    bars = {"lexical": "at most 10 ms", "profile": "under 10 ms"}
    figures = [
        Figure(name=name, value=spread_of(values), bar=bars.get(name, ""))
        for name, values in taken.items()
    ]
    ratios = [
        median_ms([getattr(one, kind) for one in taken["search"]])
        / median_ms([getattr(one, kind) for one in taken["by hand"]])
        for kind in ("wall", "processor")
    ]
    value = f"{ratios[0]:.2f} by the clock, {ratios[1]:.2f} in processor time"
    return [*figures, Figure(name="search / by hand", value=value, bar="at most 1.5")]


def spread_of(values: list[Spent]) -> str:
    processor = spread([one.processor for one in values])
    return f"{spread([one.wall for one in values])}; processor {processor}"


def spent(work: Callable[[], object]) -> Spent:
    """Wall seconds, and processor seconds of this thread and its database process (on Linux)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        schedule = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")

    def processor() -> float:
        database = int(schedule.read_text().split()[0]) / 1e9 if schedule.exists() else 0.0
        return database + time.thread_time()

    before = processor()
    wall = timed(work)
    return Spent(wall=wall, processor=processor() - before)


def _queries(corpus: Corpus) -> list[str]:
    chance = random.Random(11)
    return [" ".join(chance.sample(corpus.text(chance).split(), 5)) for _ in range(ROUNDS)]


def _search(world: World, text: str) -> Spent:
    """Through the service; a space at the end makes the cache miss."""
    asked = Query(text=f"{text} ")
    return spent(lambda: recalling.search(world.caller, "main", asked))


def by_hand(world: World, text: str, vector: np.ndarray, *, bank: str = "main") -> Spent:
    """The statements of the recall path, sent as they are on a bare cursor."""
    with acting_as(world.caller):
        access = resolve(world.caller, bank)
        with CaptureQueriesContext(connection) as seen:
            recall(access, Query(text=text), query_vector=vector)
        statements = [entry["sql"] for entry in seen]

    def work() -> None:
        for statement in statements:
            cursor.execute(statement)
            cursor.fetchall()

    with acting_as(world.caller), psycopg.ClientCursor(connection.connection) as cursor:
        return spent(work)


def _lexical(world: World, text: str) -> Spent:
    with acting_as(world.caller):
        scope = scope_of(resolve(world.caller, "main"), Query(text=text))
        terms = lexical.terms_of(scope, text)
        return spent(lambda: lexical.search(scope, terms, depth=DEPTH))


def _dense(world: World, vector: np.ndarray) -> Spent:
    with acting_as(world.caller):
        scope = scope_of(resolve(world.caller, "main"), Query(text="x"))
        return spent(lambda: dense.search(scope, vector, depth=DEPTH))


def _engine(world: World, query: Query, vector: np.ndarray | None) -> Spent:
    with acting_as(world.caller):
        access = resolve(world.caller, "main")
        return spent(lambda: recall(access, query, query_vector=vector))
