"""Episodes, facts, entities and causes in banks of 1,000, 10,000 and 100,000 facts.

Every fact is a memory of 30 words between two of `facts / 5` entities, every tenth a cause. Two more
banks hold 10,000 causes, and a hub of 5,000 relationships. `KNOWLEDGE_SIZES=1000,10000` measures fewer.
Everything is measured twice: in tables that were just filled, and after the job that renews their
statistics, as it follows an import.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.services.connections import connect
from benchmarks.figures import Figure, show
from benchmarks.recall import Spent, by_hand, spent, spread_of
from memory_app.domain.ids import new_id
from memory_app.domain.stated import parse_episode
from memory_app.models import Bank
from memory_app.providers.embedding import get_embedder
from memory_app.services import facts, planner_statistics, subgraphs, tracing
from memory_app.services.episodes import write_episode
from tests.database import point_django_at, start_cluster
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.bulk import Corpus, fill, make_corpus, refresh
from tests.memory_app.recall.bulk_graph import fill_graph, fill_hub

SIZES = tuple(int(one) for one in os.environ.get("KNOWLEDGE_SIZES", "1000,10000,100000").split(","))
CAUSES, HUB = 10_000, 5_000
ROUNDS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one operation took in each round, and the statements of one."""

    spent: list[Spent]
    statements: int


def run() -> None:
    """Fill a throw-away database, measure, print."""
    cluster = start_cluster()
    try:
        point_django_at(cluster.copy_database("benchmark_knowledge"))
        world, corpus = make_world(tier="full"), make_corpus()
        get_embedder().embed(["warm"])
        _leave_alone()
        banks = {size: _filled(world, corpus, size, causes=10) for size in SIZES}
        causal = _filled(world, corpus, CAUSES, causes=1)
        hub = _hub(world)
        _show(world, corpus, banks, causal, hub, state="just filled")
        planner_statistics.renew()
        _show(world, corpus, banks, causal, hub, state="statistics renewed")
        connection.close()
    finally:
        cluster.stop()


def _leave_alone() -> None:
    """The server's own rounds would come at any moment between."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT format('ALTER TABLE %I SET (autovacuum_enabled = off)', relname) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
        )
        for (statement,) in cursor.fetchall():
            cursor.execute(statement)


def _show(
    world: World, corpus: Corpus, banks: dict[int, Bank], causal: Bank, hub: Bank, *, state: str
) -> None:
    for size, bank in banks.items():
        show(f"A bank of {size:,} facts, {state}", _figures(world, bank, corpus, size))
    show(f"Graphs, {state}", _graphs(world, causal, hub))


def _figures(world: World, bank: Bank, corpus: Corpus, size: int) -> list[Figure]:
    chance = random.Random(5)
    texts = [" ".join(chance.sample(corpus.text(chance).split(), 5)) for _ in range(ROUNDS)]
    things = [f"Thing {chance.randrange(size // 5)}" for _ in range(ROUNDS)]
    slug = bank.slug
    runs = {
        "write_episode, 5 entities and 5 facts": _run(lambda n: _write(world, slug, n)),
        "query_memory, hybrid": _run(
            lambda n: facts.query(world.caller, slug, text=f"{texts[n]} ", limit=10)
        ),
        "query_memory, digest": _run(
            lambda _: facts.query(world.caller, slug, text="", limit=10, digest=True)
        ),
        "inspect_entity": _run(lambda n: subgraphs.inspect(world.caller, slug, things[n])),
        "trace_cause, 3 hops": _run(
            lambda n: tracing.trace(world.caller, slug, things[n], direction="both", hops=3)
        ),
    }
    bars = {"query_memory, digest": "under 5 ms"}
    found = [_figure(name, one, bars.get(name, "")) for name, one in runs.items()]
    embedder = get_embedder()
    hands = []
    for text in texts:
        vector = embedder.embed([text], kind="query")[0]
        embedding = spent(lambda text=text: embedder.embed([text], kind="query"))  # type: ignore[misc]
        sql = by_hand(world, text, vector, bank=slug)
        hands.append(
            Spent(wall=embedding.wall + sql.wall, processor=embedding.processor + sql.processor)
        )
    asked = runs["query_memory, hybrid"].spent
    ratios = [_ratio(asked, hands, kind) for kind in ("wall", "processor")]
    value = f"{ratios[0]:.2f} by the clock, {ratios[1]:.2f} in processor time"
    by_hand_figure = Figure(name="embedding and the SQL by hand", value=spread_of(hands))
    bar = "at most 1.3" if size == 10_000 else ""
    return [*found, by_hand_figure, Figure(name="hybrid / by hand", value=value, bar=bar)]


def _graphs(world: World, causal: Bank, hub: Bank) -> list[Figure]:
    chance = random.Random(6)
    things = [f"Thing {chance.randrange(CAUSES // 5)}" for _ in range(ROUNDS)]
    traced = _run(
        lambda n: tracing.trace(world.caller, causal.slug, things[n], direction="both", hops=6)
    )
    seen = _run(lambda _: subgraphs.recall(world.caller, hub.slug, query="Thing 0 and others "))
    looked = _run(lambda _: subgraphs.inspect(world.caller, hub.slug, "Thing 0"))
    return [
        _figure(f"trace_cause, {CAUSES:,} causes, 6 hops", traced, "under 100 ms"),
        _figure(f"recall_subgraph, a hub of {HUB:,}", seen, "under 150 ms"),
        _figure(f"inspect_entity, a hub of {HUB:,}", looked, ""),
    ]


def _run(work: Callable[[int], object]) -> Run:
    with CaptureQueriesContext(connection) as seen:
        work(0)
    statements = [one for one in seen if not one["sql"].startswith(("BEGIN", "COMMIT"))]
    return Run(
        spent=[spent(lambda n=n: work(n)) for n in range(ROUNDS)],  # type: ignore[misc]
        statements=len(statements),
    )


def _figure(name: str, one: Run, bar: str) -> Figure:
    return Figure(name=name, value=f"{spread_of(one.spent)}; {one.statements} statements", bar=bar)


def _ratio(one: list[Spent], other: list[Spent], kind: str) -> float:
    first, second = (sorted(getattr(row, kind) for row in rows) for rows in (one, other))
    return float(first[len(first) // 2] / second[len(second) // 2])


def _write(world: World, bank: str, number: int) -> None:
    names = [f"Person {number}.{place} of {new_id('ent')[-8:]}" for place in range(5)]
    episode = parse_episode(
        session_id="bench",
        entities=[{"name": name, "type": "person"} for name in names],
        facts=[
            {
                "source": names[place],
                "target": names[(place + 1) % 5],
                "relation_type": "met",
                "fact": f"{names[place]} met {names[(place + 1) % 5]} at pier {number}.",
                "confidence": "extracted",
            }
            for place in range(5)
        ],
        assume_new=True,
    )
    assert write_episode(world.caller, bank, episode).stored


def _filled(world: World, corpus: Corpus, size: int, *, causes: int) -> Bank:
    """A bank of facts, every `causes`-th with a hint."""
    bank = _bank(world, f"facts-{size}-{causes}")
    fill(world, bank, corpus, size, seed=size + causes)
    fill_graph(world, bank, size, causes=causes)
    refresh(world, bank)
    return bank


def _hub(world: World) -> Bank:
    bank = _bank(world, "hub")
    fill_hub(world, bank, HUB)
    refresh(world, bank)
    return bank


def _bank(world: World, slug: str) -> Bank:
    bank = make_bank(world, slug)
    connect(world.person, agent=world.agent.id, bank=slug, tier="full", toolsets="facts")
    return bank
