"""The recall path on a real database."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.models import Proposal
from memory_app.recall import Filters, engine, reranking
from memory_app.services import memories
from tests.factories import World
from tests.memory_app.recall.asking import ask, contents, save, save_all

STATEMENTS = [
    "Ana moved to Lisbon in spring.",
    "The report worker uses connection pooling.",
    "The team picked SQLite for the prototype.",
    "Quarterly budget review is on Thursday.",
    "Tomas prefers tea over coffee in the morning.",
]


@pytest.fixture
def filled(world: World) -> World:
    save_all(world, STATEMENTS)
    return world


def test_the_statement_that_answers_comes_first_with_its_cosine(filled: World) -> None:
    """E2: raw similarity as the score; every hit says which channels found it."""
    result = ask(filled, "connection pooling of the worker")

    assert contents(result)[0] == STATEMENTS[1]
    assert result.hits[0].score is not None
    assert 0.3 < result.hits[0].score <= 1.0
    assert result.hits[0].matched == ("dense", "lexical")
    assert [hit.rank for hit in result.hits] == [1, 2, 3, 4, 5]


def test_another_organizations_memories_are_never_found(filled: World, stranger: World) -> None:
    save(stranger, "Strangers also use connection pooling.")

    assert contents(ask(stranger, "connection pooling")) == [
        "Strangers also use connection pooling."
    ]
    assert not set(contents(ask(filled, "connection pooling"))) & {
        "Strangers also use connection pooling."
    }


@pytest.mark.parametrize("text", ["pooling", "Ana", "tea", "zzz unheard of"])
def test_a_search_costs_the_same_statements_whatever_it_finds(filled: World, text: str) -> None:
    with CaptureQueriesContext(
        connection,
    ) as few:
        ask(filled, text)
    save_all(filled, [f"Note {number} on tea and pooling." for number in range(30)])
    with CaptureQueriesContext(connection) as many:
        ask(filled, text)

    assert len(many) == len(few)


def test_min_score_keeps_what_reaches_it_and_tells_the_best_that_did_not(filled: World) -> None:
    """E2 and case 066: every hit reaches the bar, a higher bar gives a subset."""
    answers = {bar: ask(filled, "connection pooling", min_score=bar) for bar in (0.1, 0.3, 1.0)}

    assert all(hit.score >= 0.1 for hit in answers[0.1].hits)  # type: ignore[operator]
    assert set(contents(answers[0.3])) <= set(contents(answers[0.1]))
    assert answers[1.0].hits == ()
    assert answers[1.0].best_refused_score == pytest.approx(answers[0.1].hits[0].score)
    assert answers[1.0].dropped["min_score"] == 5


def test_a_filter_never_returns_more_and_every_hit_satisfies_it(world: World) -> None:
    """Case 064."""
    for number in range(12):
        save(
            world,
            f"Deploy step {number} restarts the worker pool {number * 7}.",
            tags=["ops"] if number % 2 else ["dev"],
            category="runbook" if number % 3 else "note",
            source="cli" if number % 5 else "web",
        )
    filters = [
        Filters(),
        Filters(tags=("ops",)),
        Filters(tags=("ops",), category="runbook"),
        Filters(tags=("ops",), category="runbook", source="cli"),
    ]

    answers = [ask(world, "restart the worker pool", limit=50, filters=one) for one in filters]

    sizes = [len(answer.hits) for answer in answers]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes == [12, 6, 4, 3]
    assert all("ops" in hit.memory.tags for hit in answers[1].hits)


def test_authors_are_filtered_by_actor(filled: World) -> None:
    mine = Filters(authors=(filled.caller.id,))
    others = Filters(not_authors=(filled.caller.id,))

    assert len(ask(filled, "budget", filters=mine).hits) == 5
    assert ask(filled, "budget", filters=others).hits == ()


def test_a_retired_memory_is_hidden_counted_and_shown_when_asked(filled: World) -> None:
    """E6 and case 014."""
    old = ask(filled, "Where does Ana live?").hits[0].memory
    memories.retire(filled.person, "main", old.id)

    hidden = ask(filled, "Ana moved to Lisbon", limit=3)
    shown = ask(filled, "Ana moved to Lisbon", filters=Filters(include_retired=True))

    assert old.id not in {hit.memory.id for hit in hidden.hits}
    assert hidden.dropped["retired"] == 1
    assert shown.hits[0].memory.id == old.id
    assert shown.hits[0].memory.status == "retired"


def test_a_binned_memory_is_never_found(filled: World) -> None:
    old = ask(filled, "Ana moved to Lisbon").hits[0].memory
    memories.delete(filled.person, "main", old.id)

    everything = Filters(include_retired=True)
    assert old.id not in {hit.memory.id for hit in ask(filled, "Ana", filters=everything).hits}


def test_a_pending_memory_is_found_by_its_words(
    filled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_app.domain.errors import Unavailable
    from memory_app.providers.embedding.hashing import HashingEmbedder

    def down(*arguments: object, **options: object) -> None:
        raise Unavailable("down")

    with monkeypatch.context() as patched:
        patched.setattr(HashingEmbedder, "embed", down)
        pending = save(filled, "The lighthouse keeper is called Wren.")

    first = ask(filled, "lighthouse keeper").hits[0]
    assert pending.status == "pending"
    assert first.memory.id == pending.id
    assert first.score is None
    assert first.matched == ("lexical",)


@pytest.mark.parametrize("query", ["認証", "Ｃｌｏｕｄ", "Cloud 認証", "方式"])
def test_japanese_and_full_width_queries_find_the_row_by_word(filled: World, query: str) -> None:
    """Case 036."""
    row = save(filled, "Ｃｌｏｕｄの認証方式をOAuthに変更した。")

    hits = ask(filled, query).hits

    assert row.id in {hit.memory.id for hit in hits if "lexical" in hit.matched}


@pytest.mark.parametrize("query", ["don't ship fridays", "don’t ship fridays"])
def test_straight_and_curly_apostrophes_find_the_same_rows(filled: World, query: str) -> None:
    """Case 040."""
    row = save(filled, "We don’t ship on Fridays, says O'Shea.")

    assert ask(filled, query, mode="keyword").hits[0].memory.id == row.id
    assert ask(filled, "O'Shea's ‘quote’").hits[0].memory.id == row.id


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("C++", ["The parser is in C++."]),
        ("C#", ["The game is in C#."]),
        ("C", ["The kernel is plain C.", "The game is in C#.", "The parser is in C++."]),
    ],
)
def test_a_sign_makes_another_word(world: World, query: str, found: list[str]) -> None:
    save_all(world, ["The parser is in C++.", "The game is in C#.", "The kernel is plain C."])

    hits = ask(world, query, mode="keyword").hits

    assert sorted(hit.memory.content for hit in hits) == sorted(found)


def test_neighbours_in_a_session_lend_to_each_other(world: World) -> None:
    turns = [
        "Which port does the relay use?",
        "It is 8443, since the change.",
        "Fine, thanks a lot.",
    ]
    save_all(world, turns, session="s1")
    save_all(world, ["An entirely other matter of tax.", "Nobody asked about 9001."], session="s2")

    assert contents(ask(world, "Which port does the relay use"))[:2] == turns[:2]


def test_the_newer_of_two_alike_comes_first_and_scores_stay_raw(world: World) -> None:
    """E7."""
    save(world, "The gate code is 4711.", observed_at="2020-01-01T00:00:00Z")
    save(world, "The gate code is 9182.")

    result = ask(world, "gate code")

    assert contents(result) == ["The gate code is 9182.", "The gate code is 4711."]


def test_keyword_mode_finds_words_and_parts_of_words(filled: World) -> None:
    """B12."""
    assert contents(ask(filled, "pool", mode="keyword")) == [STATEMENTS[1]]
    assert contents(ask(filled, "100%_", mode="keyword")) == []


def test_lookup_mode_answers_by_id_and_slug_in_the_order_asked(filled: World) -> None:
    """B10."""
    first, second = (hit.memory for hit in ask(filled, "tea budget").hits[:2])

    result = ask(filled, f"{second.slug}, {first.id} unknown", mode="lookup")

    assert [hit.memory.id for hit in result.hits] == [second.id, first.id]


def test_vector_mode_uses_meaning_alone(filled: World) -> None:
    assert {hit.matched for hit in ask(filled, "pooling", mode="vector").hits} == {("dense",)}


def test_reciprocal_rank_stays_selectable(filled: World) -> None:
    """D4."""
    assert contents(ask(filled, "connection pooling", fusion="reciprocal_rank"))[0] == STATEMENTS[1]


@pytest.mark.parametrize(
    "text", ["🦊", "!!!", "%", "'", "\\", "a" * 2_000, "the of and", "a & b | !c"]
)
def test_odd_queries_answer(filled: World, text: str) -> None:
    assert len(ask(filled, text).hits) == 5
    assert ask(filled, text, mode="keyword").best_refused_score is None


def test_an_explained_search_tells_what_moved_each_hit(world: World) -> None:
    """F5: every channel's rank and score, the neighbour's share and the factor for being new."""
    save_all(world, ["Which port does the relay use?", "It is 8443."], session="s1")

    plain = ask(world, "relay port").hits[1]
    explained = ask(world, "relay port", explain=True).hits

    assert plain.adjustments == {}
    assert explained[0].channels["lexical"].rank == 1
    assert explained[1].adjustments["neighbour"] > 0
    assert explained[1].adjustments["freshness"] == pytest.approx(1.1)


def test_a_reranker_reorders_the_head_of_the_list(
    filled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ByLength:
        depth = 3

        def score(self, query: str, texts: list[str]) -> list[float]:
            return [float(len(text)) for text in texts]

    before = contents(ask(filled, "connection pooling"))
    monkeypatch.setattr(reranking, "WEIGHT", 1.0)
    monkeypatch.setattr(engine, "get_reranker", ByLength)

    after = contents(ask(filled, "connection pooling"))

    assert after[:3] == sorted(before[:3], key=len, reverse=True)
    assert after[3:] == before[3:]


def test_a_disputed_memory_says_so_and_stands_after_what_disputes_it(filled: World) -> None:
    """Case 012: two answers never look equal while a contradiction waits for a person."""
    old = save(filled, "The database of the stack is PostgreSQL.")
    new = save(filled, "PostgreSQL left, MySQL is in use.")
    with acting_as(filled.person):
        Proposal.objects.create(
            organization_id=filled.organization.id,
            bank_id=filled.bank.id,
            kind="contradiction",
            old_memory_id=old.id,
            new_memory_id=new.id,
            pair_key="pair",
            confidence=0.7,
            created_by="agent_system_judge",
        )

    hits = ask(filled, "database of the stack").hits

    order = [hit.memory.id for hit in hits]
    assert order.index(new.id) == order.index(old.id) - 1
    assert {hit.memory.id: hit.disputed_by for hit in hits}[old.id] == (new.id,)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
