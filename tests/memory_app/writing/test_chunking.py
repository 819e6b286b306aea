from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_app.domain.errors import InvalidArgument
from memory_app.writing.chunking import CHUNKERS, split


def fits(text: str) -> bool:
    """A window of 30 words or 300 characters, whichever is hit first."""
    return len(text.split()) <= 30 and len(text) <= 300


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("chunker", sorted(CHUNKERS))
@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet=st.sampled_from("ab .\n!漢🦊e\u0301-"), min_size=1, max_size=3_000))
def test_no_text_is_lost_or_invented_and_every_cell_fits(chunker: str, text: str) -> None:
    """B2"""
    cells = split(text, chunker=chunker, fits=fits)

    assert squeezed("".join(cells)) == squeezed(text)
    assert all(fits(cell) for cell in cells) or cells == [text]


def test_a_short_text_is_one_cell() -> None:
    """B2"""
    assert split("One statement.", chunker="paragraphs", fits=fits) == ["One statement."]


def test_paragraphs_are_kept_together_while_they_fit() -> None:
    text = "\n\n".join(f"Paragraph {n} has exactly six words." for n in range(12))

    cells = split(text, chunker="paragraphs", fits=fits)

    assert cells[0].count("Paragraph") == 5
    assert "".join(cells).count("Paragraph") == 12


@pytest.mark.parametrize("text", ["x" * 9_900, "🦊" * 9_900, "word " * 40_000])
def test_a_text_without_any_place_to_cut_is_cut_all_the_same(text: str) -> None:
    """I046"""
    cells = split(text, chunker="paragraphs", fits=fits)

    assert squeezed("".join(cells)) == squeezed(text)
    assert len(cells) > 1


def test_an_unknown_chunker_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgument) as refusal:
        split("text", chunker="pages", fits=fits)

    assert refusal.value.field == "chunker"
