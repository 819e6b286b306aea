"""The recall path inside one process: a search against its parts by hand, each channel, the profile.

10,000 memories of 30 words in one bank among six; queries are five words of a stored text, so common
words are as likely as they are in texts. The query's vector is really made, never cached.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from django.db import connection

from accounts.tenancy import acting_as
from benchmarks.figures import Figure, median_ms, p95_ms, show, spread, timed
from memory_app.providers.embedding import get_embedder
from memory_app.queries.access import resolve
from memory_app.recall import Query
from memory_app.recall import run as recall
from memory_app.recall.channels import dense, lexical
from memory_app.recall.scope import scope_of
from memory_app.services import recalling
from tests.database import point_django_at, start_cluster
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.bulk import Corpus, fill, make_corpus, settle

MEMORIES = 10_000
ROUNDS = 60

_ROWS = "SELECT id, content, created_at FROM memories WHERE bank_id = %s AND id = ANY(%s)"


def run() -> None:
    """Fill a throw-away database, measure, print."""
    cluster = start_cluster()
    try:
        point_django_at(cluster.copy_database("benchmark_recall"))
        world, corpus = make_world(), make_corpus()
        fill(world, world.bank, corpus, MEMORIES)
        for number in range(2, 7):
            fill(world, make_bank(world, f"bank-{number}"), corpus, 1_000, seed=number)
        settle()
        show(f"Recall in a bank of {MEMORIES:,} memories", _figures(world, corpus))
        connection.close()
    finally:
        cluster.stop()


def _figures(world: World, corpus: Corpus) -> list[Figure]:
    queries = _queries(corpus)
    embedder = get_embedder()
    search, by_hand, words, meaning, engine, profile, embedding = ([] for _ in range(7))
    for text in queries:
        search.append(timed(lambda: recalling.search(world.caller, "main", Query(text=text))))  # noqa: B023
        embedding.append(timed(lambda: embedder.embed([text[::-1]], kind="query")))  # noqa: B023
        vector = embedder.embed([text], kind="query")[0]
        by_hand.append(
            timed(lambda: embedder.embed([text], kind="query")) + _by_hand(world, text, vector)
        )  # noqa: B023
        words.append(_inside(world, lambda scope: _lexical(scope, text)))  # noqa: B023
        meaning.append(_inside(world, lambda scope: dense.search(scope, vector, depth=200)))  # noqa: B023
        engine.append(_engine(world, Query(text=text), vector))
        profile.append(_engine(world, Query(limit=20), None))
    ratio = median_ms(search) / median_ms(by_hand)
    return [
        Figure(name="embedding the query", value=spread(embedding)),
        Figure(name="the same by hand", value=spread(by_hand)),
        Figure(name="a search", value=spread(search)),
        Figure(name="a search / the same by hand", value=f"{ratio:.2f}", bar="at most 1.5"),
        Figure(name="the engine alone", value=spread(engine)),
        Figure(name="lexical channel", value=spread(words), bar="at most 10 ms"),
        Figure(name="dense channel", value=spread(meaning)),
        Figure(name="profile", value=spread(profile), bar="under 10 ms"),
        Figure(
            name="profile, 95th percentile", value=f"{p95_ms(profile):.1f} ms", bar="under 10 ms"
        ),
    ]


def _queries(corpus: Corpus) -> list[str]:
    chance = random.Random(11)
    return [" ".join(chance.sample(corpus.text(chance).split(), 5)) for _ in range(ROUNDS)]


def _by_hand(world: World, text: str, vector: np.ndarray) -> float:
    """The two statements that any hybrid search needs, and the rows of the first ten, on a cursor."""
    with acting_as(world.caller):
        scope = scope_of(resolve(world.caller, "main"), Query(text=text))
        terms = lexical.terms_of(scope, text)

        def work() -> None:
            near = dense.search(scope, vector, depth=200)
            lexical.search(scope, terms, depth=200, vector=dense.vector_text(vector))
            with connection.cursor() as cursor:
                cursor.execute(_ROWS, [scope.bank_id, [row.memory_id for row in near[:10]]])
                cursor.fetchall()

        return timed(work)


def _inside(world: World, work: Callable[..., object]) -> float:
    with acting_as(world.caller):
        scope = scope_of(resolve(world.caller, "main"), Query(text="x"))
        return timed(lambda: work(scope))


def _lexical(scope: object, text: str) -> None:
    terms = lexical.terms_of(scope, text)  # type: ignore[arg-type]
    lexical.search(scope, terms, depth=200)  # type: ignore[arg-type]


def _engine(world: World, query: Query, vector: np.ndarray | None) -> float:
    with acting_as(world.caller):
        access = resolve(world.caller, "main")
        return timed(lambda: recall(access, query, query_vector=vector))
