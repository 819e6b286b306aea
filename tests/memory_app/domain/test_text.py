from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.errors import ContentTooLong, InvalidArgument
from memory_app.domain.text import clean, clean_tags, cut, fold, fold_tag, slug


def test_text_is_kept_in_nfc_with_plain_line_ends() -> None:
    assert clean("  cafe\u0301\r\nnew\rline ", field="content", limit=100) == "caf\u00e9\nnew\nline"


@pytest.mark.parametrize("value", [None, 7, True, ["a"], {"a": 1}])
def test_what_is_no_text_is_refused_by_the_fields_name(value: Any) -> None:
    """I042, Q116"""
    with pytest.raises(InvalidArgument) as refusal:
        clean(value, field="content", limit=100)

    assert refusal.value.field == "content"


@pytest.mark.parametrize(
    "value",
    [
        *(
            "a\x00b",
            "half \ud83e of a pair",
            "",
            "   \n ",
            "\u200b",
            "\ufeff\u2060",
            "\u00ad \u00ad",
        ),
        *("\u202e", "\u3164", "\u2800", "\x07\x08", "\ufe0f"),
        *("\u17b4", "\u180b\u180f", "\U000e0100", "\u115f\u1160 \u200d"),
    ],
)
def test_characters_that_no_store_holds_and_empty_text_are_refused(value: str) -> None:
    """E1, G030"""
    with pytest.raises(InvalidArgument):
        clean(value, field="content", limit=100, least=1)


def test_the_limit_counts_characters_and_is_named() -> None:
    """E1"""
    assert clean("x" * 10_000, field="content", limit=10_000) == "x" * 10_000

    with pytest.raises(ContentTooLong) as refusal:
        clean("x" * 10_001, field="content", limit=10_000)

    assert "10,000" in refusal.value.message


def test_tags_are_folded_to_one_spelling() -> None:
    """E1, J048"""
    assert clean_tags(["RoHS", "rohs", " RoHS "]) == ("rohs",)


def test_a_string_of_tags_is_split_at_its_commas() -> None:
    """J050"""
    assert clean_tags("alpha, beta") == ("alpha", "beta")


@pytest.mark.parametrize("text", ['["x", "Y"]', ' ["x","y"] ', "x,y", "X , y,"])
def test_a_list_sent_as_text_is_that_list(text: str) -> None:
    """J050, Q102"""
    assert clean_tags(text) == ("x", "y")


@pytest.mark.parametrize(
    ("one", "other"),
    [("\u0130stanbul", "istanbul"), ("Stra\u00dfe", "STRASSE"), ("ｃａｆｅ\u0301", "CAFÉ")],
)
def test_tags_are_one_in_any_script(one: str, other: str) -> None:
    """J048"""
    assert clean_tags([one, other]) == clean_tags([other])


def test_folding_a_tag_twice_changes_nothing() -> None:
    """J048: a door that folds what another has folded asks for the same tag."""
    signs = (f"a{chr(code)}b" for code in range(0x110000) if not 0xD800 <= code < 0xE000)

    assert [sign for sign in signs if fold_tag(fold_tag(sign)) != fold_tag(sign)] == []


@pytest.mark.parametrize(
    "tags",
    [
        ["a,b"],
        ["a，b"],
        ["ﬁ" * 33],
        [None],
        ["null"],
        '["NULL"]',
        "[1]",
        [1, True],
        [f"t{n}" for n in range(21)],
        ["x" * 300],
        [""],
        ["\u200b"],
        5,
    ],
)
def test_tags_that_break_a_rule_are_refused_by_name(tags: Any) -> None:
    """E1, J050"""
    with pytest.raises(InvalidArgument) as refusal:
        clean_tags(tags)

    assert refusal.value.field == "tags"


@pytest.mark.parametrize(
    "text", ["a" * 299 + "\U0001f98a", "x👨‍👩‍👧‍👦" * 80, "🇩🇪" * 200, "e\u0301" * 200]
)
def test_a_cut_falls_between_graphemes(text: str) -> None:
    """G032"""
    kept, shortened = cut(text, 299)

    assert shortened
    assert text.startswith(kept)
    assert not unicodedata.combining(text[len(kept)])
    assert text[len(kept)] != "\u200d"
    assert not kept.endswith("\u200d")


@given(st.text(max_size=300))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize("name", ["Ладога", "腾议", "سوق", "フジ"])
def test_a_slug_keeps_every_script(name: str) -> None:
    assert slug(name, fallback="x") == name.casefold()


def test_a_slug_of_nothing_readable_falls_back() -> None:
    assert slug("!!! ??? 🦊", fallback="memory") == "memory"
