"""Episodes, facts, entities and causes in banks of 1,000, 10,000 and 100,000 facts.

Every fact is a memory of 30 words between two of `facts / 5` entities, every tenth a cause. Two more
banks hold 10,000 causes, and a hub of 5,000 relationships. `KNOWLEDGE_SIZES=1000,10000` measures fewer.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.services.connections import connect
from accounts.tenancy import acting_as
from benchmarks.figures import Figure, show
from benchmarks.recall import Spent, by_hand, spent, spread_of
from memory_app.domain.ids import new_id, to_uuid
from memory_app.domain.stated import parse_episode
from memory_app.models import Bank, Entity
from memory_app.providers.embedding import get_embedder
from memory_app.services import facts, subgraphs, tracing
from memory_app.services.episodes import write_episode
from tests.database import point_django_at, start_cluster
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.bulk import Corpus, fill, make_corpus, refresh, settle

SIZES = tuple(int(one) for one in os.environ.get("KNOWLEDGE_SIZES", "1000,10000,100000").split(","))
CAUSES, HUB = 10_000, 5_000
ROUNDS = 40

_ENTITIES = """
INSERT INTO entities (bank_id, organization_id, id, name, name_key, type, description, queries, degree,
  declared, created_by, created_at, since)
SELECT %(bank)s, %(organization)s, u.id, 'Thing ' || u.n, 'thing ' || u.n, 'thing', '', '[]', 0,
  false, 'agent', now(), 1
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[]) u (id, n)
"""
_RELATIONSHIPS = """
INSERT INTO relationships (bank_id, organization_id, id, source_id, target_id, type, type_key,
  description, weight, props, declared, created_by, created_at, since)
SELECT %(bank)s, %(organization)s, u.id, u.source, u.target, 'rel ' || u.n, 'rel ' || u.n, '', 1, '{}',
  %(declared)s, 'agent', now(), 1
FROM unnest(%(ids)s::uuid[], %(sources)s::uuid[], %(targets)s::uuid[], %(numbers)s::int[])
  u (id, source, target, n)
"""
_ASSERTIONS = """
INSERT INTO assertions (bank_id, organization_id, id, memory_id, relationship_id, confidence,
  causal_hint, since)
SELECT %(bank)s, %(organization)s, gen_random_uuid(), u.memory, u.edge, 'extracted', u.hint, 1
FROM unnest(%(memories)s::uuid[], %(ids)s::uuid[], %(hints)s::text[]) u (memory, edge, hint)
"""
_MENTIONS = """
INSERT INTO mentions (bank_id, organization_id, id, memory_id, entity_id, name, resolution, since)
SELECT %(bank)s, %(organization)s, gen_random_uuid(), u.memory, u.entity, 'Thing', 'existing', 1
FROM unnest(%(memories)s::uuid[] || %(memories)s::uuid[], %(sources)s::uuid[] || %(targets)s::uuid[])
  u (memory, entity)
"""
_DEGREES = """
UPDATE entities e SET degree = (
  SELECT count(*) FROM relationships r
  WHERE r.bank_id = e.bank_id AND (r.source_id = e.id OR r.target_id = e.id))
WHERE e.bank_id = %(bank)s
"""
_IDS = "SELECT id FROM memories WHERE bank_id = %(bank)s ORDER BY id"


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
        banks = {size: _filled(world, corpus, size, causes=10) for size in SIZES}
        causal = _filled(world, corpus, CAUSES, causes=1)
        hub = _hub(world)
        settle()
        # As autovacuum does in time: the graph's tables were just filled too.
        with connections["owner"].cursor() as cursor:
            cursor.execute("ANALYZE")
        for size, bank in banks.items():
            show(f"A bank of {size:,} facts", _figures(world, bank, corpus, size))
        show("Graphs", _graphs(world, causal, hub))
        connection.close()
    finally:
        cluster.stop()


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
    chance = random.Random(size)
    things = _things(world, bank, size // 5)
    pairs = [chance.sample(things, 2) for _ in range(size)]
    values = _ids_of(bank) | {
        "ids": [to_uuid("rel", new_id("rel")) for _ in pairs],
        "sources": [pair[0] for pair in pairs],
        "targets": [pair[1] for pair in pairs],
        "numbers": list(range(size)),
        "hints": ["led_to" if n % causes == 0 else "" for n in range(size)],
        "declared": False,
    }
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(_IDS, values)
        values["memories"] = [row[0] for row in cursor.fetchall()]
        for statement in (_RELATIONSHIPS, _ASSERTIONS, _MENTIONS, _DEGREES):
            cursor.execute(statement, values)
    refresh(world, bank)
    return bank


def _hub(world: World) -> Bank:
    bank = _bank(world, "hub")
    things = _things(world, bank, HUB + 1)
    values = _ids_of(bank) | {
        "ids": [to_uuid("rel", new_id("rel")) for _ in range(HUB)],
        "sources": things[:1] * HUB,
        "targets": things[1:],
        "numbers": list(range(HUB)),
        "declared": True,
    }
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(_RELATIONSHIPS, values)
        cursor.execute(_DEGREES, values)
    refresh(world, bank)
    return bank


def _bank(world: World, slug: str) -> Bank:
    bank = make_bank(world, slug)
    connect(world.person, agent=world.agent.id, bank=slug, tier="full", toolsets="facts")
    return bank


def _things(world: World, bank: Bank, count: int) -> list[object]:
    ids: list[object] = [to_uuid("ent", new_id("ent")) for _ in range(count)]
    values = _ids_of(bank) | {"ids": ids, "numbers": list(range(count))}
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(_ENTITIES, values)
        assert Entity.objects.filter(bank_id=bank.id).count() == count
    return ids


def _ids_of(bank: Bank) -> dict[str, object]:
    return {
        "bank": to_uuid("bank", bank.id),
        "organization": to_uuid("org", bank.organization_id),
    }
