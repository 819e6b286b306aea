from __future__ import annotations

import pytest

from memory_app.domain.names import name_key, type_key


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Acme Corp", " ACME  corp. "),
        ("“Falcon”", "Falcon"),
        ("US", "us"),
        ("Wi‐Fi", "wi-fi"),
        ("O’Shea", "O'Shea"),
        ("Ｃｌｏｕｄ", "cloud"),
        ("cafe\u0301", "caf\u00e9"),
        ("(beta)", "Beta"),
        ("Ac\u00adme\u200b", "acme"),
        ("\u0130zmir", "izmir"),
        ("*Falcon*", "falcon"),
        ("Falcon -", "falcon"),
        ("- 5 masts", "5 masts"),
        ("−5", "-5"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, two: str) -> None:
    """A2"""
    assert name_key(one) == name_key(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("C", "C++"),
        ("C", "C#"),
        ("C++", "C#"),
        ("BH-7", "BH-9"),
        ("O'Shea", "Oshea"),
        ("New Castle", "Newcastle"),
        ("cafe", "café"),
        ("이지원", "이지훈"),
        (".NET", "NET"),
        ("Heap-1 retaining wall", "Heap-2 retaining wall"),
        ("!!!", "???"),
        ("C", "C--"),
        ("A", "A*"),
        ("A", "A'"),
        ("10\u00b2", "102"),
        ("Łódź", "Lodz"),
        ("東京", "东京"),
        ("Пётр", "Петр"),
        ("AT&T", "ATT"),
        ("1.0", "10"),
        ("@nora", "nora"),
        ("5 °C", "-5 °C"),
    ],
)
def test_names_that_mean_different_things_do_not(one: str, two: str) -> None:
    """A002, E022, E024"""
    assert name_key(one) != name_key(two)


@pytest.mark.parametrize("name", ["Ладога", "腾议", "سوق", "フジ", "!!!", "🦊"])
def test_no_name_has_an_empty_key(name: str) -> None:
    """E020"""
    assert name_key(name)


def test_a_relations_type_is_one_whatever_its_separators() -> None:
    assert type_key("LIVES_IN") == type_key("lives in") == type_key(" Lives-In ")


def test_a_name_that_grows_when_it_is_folded_still_has_a_key() -> None:
    """E022, F026: one sign of Arabic becomes eighteen; the columns hold twice the name's limit."""
    names = ["\ufdfa" * 200, "\ufdfa" * 199, "\ufb03" * 200]

    keys, kinds = {name_key(name) for name in names}, {type_key(name[:100]) for name in names}

    assert (len(keys), max(map(len, keys))) == (3, 400)
    assert (len(kinds), max(map(len, kinds))) == (2, 200)
