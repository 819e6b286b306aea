"""One folding for what is stored and what is asked (cases 018, 036, 040)."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta, timezone

import pytest

from memory_app.domain.lexemes import (
    count_words,
    date_words,
    fold_words,
    lexical_document,
    lexical_query,
)


@pytest.mark.parametrize("word", ["café", "façade", "Zürich", "naïve", "Ångström"])
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_unicode_form_of_a_word_is_the_same_word(word: str, form: str) -> None:
    assert fold_words(unicodedata.normalize(form, word)) == fold_words(word)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Ｃａｆｅ", "café"),
        ("Ｃｌｏｕｄ", "cloud"),
        ("Zurich", "ZÜRICH"),
        ("O'Shea's", "O’Shea"),
        ("‘quote’", "quote"),
        ("don't", "don’t"),
        ("Lodz", "Łódź"),
        ("Soren", "SØREN"),
        ("ΑΘΗΝΑ", "Αθήνα"),
        ("istanbul", "\u0130stanbul"),
        ("ISPARTA", "ısparta"),
        ("Петр", "Пётр"),
        ("Da Nang", "Đà Nẵng"),
        ("سوق", "سـوق"),
        ("مدرسة", "مَدْرَسَة"),
        ("احمد", "أحمد"),
        ("שלום", "שָׁלוֹם"),
        ("میخواهم", "می\u200cخواهم"),
        ("cooperate", "co\u00adoperate"),
        ("カタカナ", "ｶﾀｶﾅ"),
    ],
)
def test_typing_differences_fold(typed: str, stored: str) -> None:
    assert fold_words(typed) == fold_words(stored)


@pytest.mark.parametrize(
    ("asked", "meant", "others"),
    [
        ("C++", "The parser is in C++17.", ("It is in C#.", "Plain C code.", "Objective-C")),
        ("c#", "The game is in C＃.", ("It is in C++.", "Plain C code.", "Vitamin C")),
        ("F#", "Ship F# on Mondays.", ("Grade F was given.",)),
        ("A+", "The blood is A+.", ("The blood is a mess.", "Grade A")),
        (".NET", "ASP.NET serves the page.", ("The net is torn.",)),
        (".env", "Keys stand in .env files.", ("The env differs.",)),
        ("Disney+", "Disney+ is blocked.", ("Disney was an artist.",)),
        ("notepad++", "Open it in Notepad++.", ("A notepad lies there.",)),
    ],
)
def test_a_sign_makes_another_word(asked: str, meant: str, others: tuple[str, ...]) -> None:
    """Case 040 and what is like it: nothing that lacks the sign holds what was asked."""
    words = set(lexical_query(asked).split())

    assert words <= set(lexical_document(content=meant).split())
    assert [one for one in others if words & set(lexical_document(content=one).split())] == []


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("C", "Written in C++."),
        ("net", "Runs on .NET."),
        ("Ctrl+C", "Press Ctrl+C."),
        ("2+ years", "It takes 2 years."),
        ("...and then", "And then?"),
        ("node.js", "Node.js runs."),
        ("See PR#12", "PR 12, see there"),
    ],
)
def test_signs_between_words_tell_nothing_apart(asked: str, stored: str) -> None:
    assert set(lexical_query(asked).split()) <= set(lexical_document(content=stored).split())


def test_marks_that_make_another_letter_are_kept() -> None:
    assert fold_words("й") != fold_words("и")
    assert fold_words("が") != fold_words("か")


@pytest.mark.parametrize("query", ["認証", "方式", "認", "Cloud 認証"])
def test_parts_of_a_japanese_sentence_are_among_its_words(query: str) -> None:
    stored = set(lexical_document(content="Ｃｌｏｕｄの認証方式を変更した。").split())

    assert set(lexical_query(query).split()) <= stored


def test_question_words_are_dropped_unless_nothing_else_is_left() -> None:
    assert lexical_query("Where did Ana go?") == "ana go"
    assert lexical_query("What happened in May?") == "happened in may"
    assert lexical_query("who") == "who"


def test_irregular_forms_meet() -> None:
    assert fold_words("She went and bought mice") == fold_words("She go and buy mouse")


def test_a_document_carries_title_author_date_and_tags() -> None:
    evening = datetime(2025, 6, 1, 19, tzinfo=timezone(timedelta(hours=-5)))

    words = lexical_document(
        title="Harbour", content="A note", author="Ana", date=evening, tags=["trip:sea"]
    )

    assert words == "harbour a note ana sunday 1 june 2025 trip sea"
    assert count_words(words) == 10


def test_a_date_nobody_could_parse_is_kept_as_text() -> None:
    assert lexical_document(content="x", date="spring of 1999") == "x spring of 1999"


def test_no_date_gives_no_words() -> None:
    assert date_words(None) == []
    assert count_words(lexical_document(content="🦊 !!!")) == 0


def test_a_very_long_word_is_cut_into_parts_that_the_index_takes() -> None:
    assert max(len(word.encode()) for word in fold_words("x" * 9_900 + " " + "é" * 9_900)) < 2_000
