"""How the statements of recall run in a table with several banks, and that shortcuts lose nothing."""

from __future__ import annotations

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from memory_app.models import Bank, BankTerm
from memory_app.queries.access import resolve
from memory_app.recall import Filters, Query
from memory_app.recall.channels import Found, dense, lexical
from memory_app.recall.engine import Vector
from memory_app.recall.scope import Scope, scope_of
from memory_app.services import vector_index
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.bulk import Corpus, fill, make_corpus, refresh, settle


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus()


@pytest.fixture(scope="module")
def filled(database: None, corpus: Corpus) -> World:
    """A bank of 2,000 memories among five others of two organizations."""
    world, other = make_world(), make_world()
    small = [make_bank(world, f"bank-{number}") for number in range(4)]
    # In turns, as rows arrive in life: a bank's rows in one piece would suit any plan.
    for turn in range(4):
        fill(world, world.bank, corpus, 500, seed=turn)
        fill(other, other.bank, corpus, 300, seed=10 + turn)
        for number, bank in enumerate(small):
            fill(world, bank, corpus, 150, seed=20 + 10 * turn + number)
    refresh(world, world.bank)
    settle()
    return world


def _scope(world: World, **options: object) -> Scope:
    return scope_of(resolve(world.caller, "main"), Query(text="x", **options))  # type: ignore[arg-type]


def _plan(statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + statement)
        return "\n".join(row[0] for row in cursor.fetchall())


def _nearest(world: World, queries: list[Vector]) -> tuple[list[list[Found]], str]:
    """What the dense channel finds in the bank "big", and how the last question was answered.

    So few cells are sorted about as cheaply as the index is walked; at the size at which a bank gets
    one the planner takes it unasked (`docs/performance.md`).
    """
    with acting_as(world.caller), CaptureQueriesContext(connection) as seen:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_sort = off")
        scope = scope_of(resolve(world.caller, "big"), Query(text="x"))
        found = [dense.search(scope, query, depth=200) for query in queries]
        return found, _plan(seen[-1]["sql"])


def test_the_dense_channel_reads_nothing_but_the_covering_index(
    filled: World, corpus: Corpus
) -> None:
    vector = corpus.vector(np.random.default_rng(3))
    with acting_as(filled.caller), CaptureQueriesContext(connection) as seen:
        dense.search(_scope(filled), vector, depth=200)
        plan = _plan(seen[-1]["sql"])

    assert "Index Only Scan using cells_covering" in plan
    assert "Heap Fetches: 0" in plan


def test_the_lexical_channel_goes_through_its_index(filled: World, corpus: Corpus) -> None:
    with acting_as(filled.caller), CaptureQueriesContext(connection) as seen:
        scope = _scope(filled)
        terms = lexical.terms_of(scope, " ".join(corpus.words[40:44]))
        lexical.search(scope, terms, depth=200)
        plan = _plan(seen[-1]["sql"])

    assert "Bitmap Index Scan on cells_words" in plan


def test_the_rarest_terms_first_give_the_same_head_as_all_terms(
    filled: World, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join([corpus.words[1], corpus.words[700], corpus.words[2500], corpus.words[60]])
    with acting_as(filled.caller):
        scope = _scope(filled)
        terms = lexical.terms_of(scope, text)
        monkeypatch.setattr(lexical, "CANDIDATES", 10**9)
        full = lexical.search(scope, terms, depth=10)
        monkeypatch.setattr(lexical, "CANDIDATES", 100)
        monkeypatch.setattr(lexical, "LEAST_CANDIDATES", 50)
        quick = lexical.search(scope, terms, depth=10)

    assert len(lexical.rarest(terms)) < len(terms)
    assert [row.memory_id for row in quick] == [row.memory_id for row in full]


def test_common_terms_and_sizes_are_counted_for_the_bank_alone(filled: World) -> None:
    with acting_as(filled.caller):
        bank = Bank.objects.get(id=filled.bank.id)
        terms = list(BankTerm.objects.filter(bank_id=bank.id))

    assert bank.live_cells == 2_000
    assert bank.average_length == pytest.approx(30)
    assert len(terms) > 20
    assert all(20 <= term.cells <= 2_000 for term in terms)


def test_the_banks_own_vector_index_finds_what_the_exact_scan_finds(
    filled: World, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall of the partial HNSW index, as the product builds it, against exact search."""
    monkeypatch.setattr(vector_index, "BUILD_ABOVE", 1_000)
    bank = make_bank(filled, "big")
    fill(filled, bank, corpus, 5_000, seed=90)
    refresh(filled, bank)
    settle()
    chance = np.random.default_rng(5)
    queries = [corpus.vector(chance) for _ in range(20)]
    exact = _nearest(filled, queries)[0]

    built = vector_index.tend(filled.person, bank.id)
    indexed, plan = _nearest(filled, queries)
    vector_index.drop(filled.person, bank.id)

    found = [
        len({row.memory_id for row in one[:10]} & {row.memory_id for row in other[:10]})
        for one, other in zip(exact, indexed, strict=True)
    ]
    assert built == "built"
    assert f"Index Scan using cells_hnsw_{to_uuid('bank', bank.id).hex}" in plan
    assert all(len(one) == 200 for one in indexed)
    assert sum(found) / 200 >= 0.95


def test_a_filter_goes_the_exact_way_in_a_bank_with_a_vector_index(
    filled: World, corpus: Corpus
) -> None:
    """Case 064: an index that filters afterwards would come back short."""
    vector = corpus.vector(np.random.default_rng(6))
    with acting_as(filled.caller):
        scope = _scope(filled, filters=Filters(tags=("twelfth",)))
        scope.bank.vector_index = "named_but_not_used"
        found = dense.search(scope, vector, depth=200)

    assert len(found) == 168
