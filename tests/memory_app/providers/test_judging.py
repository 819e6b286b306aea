"""E5: three calibrated probabilities for each pair, from every kind of judge."""

import numpy as np
import pytest

from memory_app.domain.errors import Unavailable
from memory_app.providers.judging import NoJudge, Pair, Verdict, build_judge
from memory_app.providers.judging.hedging import hedged, outlooks


def flat(texts):
    return np.full((len(texts), 4), 0.5, dtype=np.float32)


PAIRS = [
    Pair(old="Anna lives in Oslo.", new="Anna moved from Oslo to Riga.", cosine=0.83),
    Pair(old="Anna likes tea.", new="Bruno has a dog.", cosine=0.1),
    Pair(old="", new="\u202e", cosine=-1.0),
    Pair(old="word " * 3000, new="x", cosine=1.0),
]


@pytest.mark.parametrize("kind", ["ensemble", "features", "none"])
def test_probabilities_of_each_pair_sum_to_one_in_the_order_asked(kind):
    """E5"""
    verdicts = build_judge(kind, embed=flat).judge(PAIRS)

    assert len(verdicts) == len(PAIRS)
    sums = [v.duplicate + v.supersedes + v.unrelated for v in verdicts]
    assert sums == pytest.approx([1.0] * len(PAIRS))


def test_no_pairs_cost_nothing():
    assert build_judge("features", embed=flat).judge([]) == []


def test_of_equal_chances_the_one_that_changes_nothing_is_best():
    even = Verdict(duplicate=1 / 3, supersedes=1 / 3, unrelated=1 / 3)

    assert even.best == ("unrelated", 1 / 3)


def test_without_a_judge_every_pair_stands():
    verdict = NoJudge().judge(PAIRS[:1])[0]

    assert verdict.best == ("unrelated", 1.0)


def test_unknown_kind_is_refused_with_the_known_ones():
    with pytest.raises(Unavailable) as refused:
        build_judge("oracle", embed=flat)

    assert "ensemble" in refused.value.hint


@pytest.mark.parametrize(
    ("old", "new", "most"),
    [
        ("The archive is on the third floor.", "The archive is on the fourth floor.", 0.8),
        ("The archive is on the third floor.", "The archive is on the fourth floor now.", 1.0),
        ("The archive is on the second floor.", "The archive is on the first floor.", 0.8),
        ("The lab keeps samples in fridge 4.", "The lab keeps samples in fridge 6.", 0.8),
        ("Samples sit in fridge 4.", "Samples sit in fridge 6.", 0.8),
        ("The nurse works on ward 3.", "The nurse works on ward 4.", 0.8),
        ("The price is 5 euros.", "The price is 6 euros.", 1.0),
        ("We deploy on version 3.", "We deploy on version 4.", 1.0),
    ],
)
def test_where_a_number_names_a_place_a_person_is_asked(old, new, most):
    """E5: the archive may be on both floors, as long as no word says that it moved."""
    pairs = [Pair(old=old, new=new, cosine=0.9)]
    sure = np.array([[-6.0, 0.0, -6.0]])

    chance = np.exp(hedged(pairs, outlooks(pairs), sure))[0, 1]

    assert 0.6 < chance <= most
    assert chance > 0.8 or most < 1.0
