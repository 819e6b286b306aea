"""The parts of recall that need no database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from memory_app.recall.channels import Found
from memory_app.recall.freshness import preference
from memory_app.recall.fusion import reciprocal_rank, weighted
from memory_app.recall.packing import count_tokens, pack
from memory_app.recall.surroundings import SHARE, lend
from memory_app.recall.values import Hit

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def _hit(content: str, title: str = "") -> Hit:
    memory = SimpleNamespace(content=content, title=title)
    return Hit(memory=memory, score=0.5, rank=1, matched=("dense",))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("days", "factor"), [(0, 1.10), (45, 1.05), (90, 1.0), (400, 1.0), (-10, 1.10)]
)
def test_the_preference_for_newer_fades_over_ninety_days(days: int, factor: float) -> None:
    """E7."""
    found = preference(
        (NOW - timedelta(days=days)).timestamp(), NOW.timestamp(), weight=0.10, days=90
    )

    assert found == pytest.approx(factor)


def test_a_bank_without_freshness_days_prefers_nothing() -> None:
    assert preference(NOW.timestamp(), NOW.timestamp(), weight=0.10, days=0) == 1.0


def test_the_weighted_sum_counts_the_cosine_of_what_only_words_found() -> None:
    channels = {
        "dense": [Found(memory_id="a", score=0.8, cosine=0.8)],
        "lexical": [Found(memory_id="b", score=4.0, cosine=0.4)],
    }

    scores = weighted(channels, {"a": 0.8, "b": 0.4})

    assert scores == {"a": pytest.approx(0.5), "b": pytest.approx(0.75)}


def test_a_channel_without_a_positive_score_still_names_its_memories() -> None:
    channels = {"dense": [Found(memory_id="a", score=-0.2, cosine=-0.2)]}

    assert weighted(channels, {"a": -0.2}) == {"a": 0.0}


def test_reciprocal_rank_adds_over_the_channels() -> None:
    channels = {
        "dense": [Found(memory_id="a", score=1.0), Found(memory_id="b", score=0.9)],
        "lexical": [Found(memory_id="b", score=9.0)],
    }

    scores = reciprocal_rank(channels, {})

    assert scores["b"] == pytest.approx(1 / 62 + 1 / 61)
    assert scores["b"] > scores["a"]


def test_the_better_neighbour_lends() -> None:
    lent = lend({"a": 0.2, "c": 0.8}, {"b": ["a", "c"], "a": ["b"]})

    assert lent == {"b": pytest.approx(SHARE * 0.8), "a": 0.0}


def test_hits_that_do_not_fit_are_left_out_and_smaller_ones_still_come_in() -> None:
    """F6."""
    hits = [_hit("a" * 200), _hit("b" * 4_000), _hit("c" * 200)]

    packed = pack(hits, budget=200)

    assert [hit.memory.content[0] for hit in packed.hits] == ["a", "c"]
    assert [hit.rank for hit in packed.hits] == [1, 2]
    assert packed.left_out == 1
    assert packed.tokens <= 200


@pytest.mark.parametrize("budget", [1, 41, 60, 100])
def test_an_answer_is_never_empty_while_a_match_exists(budget: int) -> None:
    """F6."""
    packed = pack([_hit("word " * 2_000)], budget=budget)

    assert len(packed.hits) == 1
    assert packed.hits[0].truncated
    assert packed.hits[0].memory.content


def test_a_cut_falls_between_two_graphemes() -> None:
    """Case 032."""
    family = "\U0001f468‍\U0001f469‍\U0001f467"

    packed = pack([_hit(family * 100)], budget=60)

    content = packed.hits[0].memory.content
    assert packed.hits[0].truncated
    assert content == family * (len(content) // len(family))


def test_tokens_are_guessed_from_ascii_and_other_characters() -> None:
    assert count_tokens("") == 0
    assert count_tokens("abcdefgh") == 2
    assert count_tokens("認証") == 2
