"""E4, E5: a thousand pairs of every kind of difference, against what the write path does alone.

`apart.jsonl` must never be one statement, `repeats.jsonl` must be; `standing.jsonl` are two facts
that both hold, `ended.jsonl` a state and the statement that ends it.
"""

import json
from pathlib import Path

import pytest

from memory_app.domain.text import fold
from memory_app.writing.guards import same_statement, same_wording

DATA = Path(__file__).parents[2] / "data"


def pairs(name):
    lines = (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()
    read = map(json.loads, lines)
    return [(row["old"], row["new"]) for row in read]


def both_ways(name):
    return [way for old, new in pairs(name) for way in ((old, new), (new, old))]


def test_texts_that_differ_in_what_they_say_are_never_one_statement():
    """E4: whichever came first; neither as a repeat nor as the same in other words."""
    folded = [
        pair
        for pair in both_ways("apart")
        if fold(pair[0]) == fold(pair[1]) or same_wording(*pair) or same_statement(*pair)
    ]

    assert folded == []


def test_a_repeat_in_another_spelling_is_known(decide):
    """E4: case, white space, punctuation, contractions, Unicode forms, numbers, dates and times."""
    missed = [
        (old, new)
        for old, new in both_ways("repeats")
        if fold(old) != fold(new) and not same_statement(old, new)
    ]

    assert missed == []
    assert decide("Nora owns a boat", "Nora owns a boat!").known_as == "old"
    assert decide("The hall holds 2,000 guests.", "The hall holds 2000 guests.").known_as == "old"


def test_two_facts_that_both_hold_stay_beside_each_other(decide):
    """E4, E5: nothing is folded and nothing retired without a human."""
    lost = [
        (old, new)
        for old, new in both_ways("standing")
        if (plan := decide(old, new)).known_as or plan.retire
    ]

    assert lost == []


def test_what_a_statement_ends_by_itself_is_retired(decide):
    """E5: moved, switched, left, no longer, was raised to."""
    kept = [(old, new) for old, new in pairs("ended") if decide(old, new).retire != ("old",)]

    assert kept == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10²", "102"),
        ("5½", "51/2"),
        ("8 Gb", "8 GB"),
        ("8 mW", "8 MW"),
        ("the key is aB3xK9", "the key is ab3xk9"),
        ("!ready", "ready"),
    ],
)
def test_folding_keeps_two_values_two(one, other):
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User lives in BERLIN", "user  lives in berlin"),
        ("Ｃａｆｅ", "cafe"),
        ("the user’s iPhone 14", "The User's iphone 14"),
        ("area is 20 m²", "AREA IS 20 m2"),
        ("Call GPT-4o", "call gpt-4o"),
    ],
)
def test_folding_takes_case_width_and_white_space_away(one, other):
    assert fold(one) == fold(other)
