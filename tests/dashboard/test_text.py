from __future__ import annotations

import pytest

from dashboard.presenters.memories import snippet
from dashboard.presenters.text import linked, visible
from dashboard.presenters.words import word_diff


def test_a_bidirectional_override_is_shown_as_an_escape() -> None:
    """Case 034: a disguised text can't read differently from what it says."""
    shown = visible("Access granted \u202eDENIED")

    assert shown == 'Access granted <span class="escape">U+202E</span>DENIED'


@pytest.mark.parametrize("text", ["مرحبا بالعالم", "שלום עולם", "認証方式 🦊", "👨‍👩‍👧 family"])
def test_true_letters_of_every_script_are_left_alone(text: str) -> None:
    assert visible(text) == text


def test_markup_is_text() -> None:
    assert visible("<b>&\"'") == "&lt;b&gt;&amp;&quot;&#x27;"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://example.com/a?b=1&c=2.", "https://example.com/a?b=1&amp;c=2"),
        ("(http://example.com/x_(y))", "http://example.com/x_(y)"),
        ("mail mailto:ops@example.com now", "mailto:ops@example.com"),
    ],
)
def test_addresses_of_three_schemes_become_links(text: str, address: str) -> None:
    shown = linked(text)

    assert f'<a href="{address}" rel="noopener nofollow"' in shown


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](/\\evil.example)",
        "vbscript:msgbox(1)",
        "jAvAsCrIpT:alert(1)",
        "https://",
        "http://\u202eexample.com/",
        "//evil.example/x",
    ],
)
def test_nothing_else_becomes_a_link(text: str) -> None:
    """Case 144: only http, https and mailto."""
    assert "<a " not in linked(text)


def test_a_quote_ends_an_address() -> None:
    shown = linked('https://example.com/"onmouseover="alert(1)')

    assert 'href="https://example.com/"' in shown
    assert "onmouseover=&quot;" in shown


def test_a_word_difference_reads_in_order() -> None:
    pieces = word_diff("deploy on Tuesday only", "deploy on Tuesday and Friday")

    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("same", "deploy on Tuesday "),
        ("gone", "only"),
        ("new", "and Friday"),
    ]


@pytest.mark.parametrize("tail", ["🦊", "👨‍👩‍👧‍👦", "🇪🇺", "é"])
def test_a_long_text_is_cut_between_the_characters_that_people_see(tail: str) -> None:
    """Case 032: no half emoji, no half flag."""
    whole = snippet("x" * (280 - len(tail)) + tail + "more")
    left_out = snippet("x" * 279 + tail * 2)

    assert whole == "x" * (280 - len(tail)) + tail + "…"
    assert left_out.rstrip("…").lstrip("x") in {"", tail}
