"""Memories that are far away in meaning: said to be so in the list and in the palette alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_app.models import Memory
from memory_app.recall.values import Hit, Result
from tests.dashboard.conftest import Desk

FAR = "Further away in meaning"


@pytest.fixture
def answered(
    remember: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> tuple[Memory, Memory]:
    """A near memory and one whose direction is the opposite, as recall answers both screens."""
    near, far = remember("The office closes at six."), remember("Otters hold hands.")
    hits = (
        Hit(memory=near, score=0.8, rank=1, matched=("dense", "lexical")),
        Hit(memory=far, score=-0.05, rank=2, matched=("dense",)),
    )
    result = Result(
        hits=hits, profile=False, dropped={}, best_refused_score=None, timings={}, tokens=0,
        watermark=2,
    )  # fmt: skip
    for view in ("memories", "palette"):
        monkeypatch.setattr(f"dashboard.views.{view}.look", lambda *_: result)
    return near, far


def test_no_similarity_below_zero_is_shown(desk: Desk, answered: tuple[Memory, Memory]) -> None:
    page = desk.client.get(desk.url("memories/?q=office")).content.decode()

    assert "0.80 match" in page
    assert "0.00 match by meaning" in page
    assert "-0." not in page.split("match by meaning")[0].rsplit("cosine", 1)[-1]


def test_a_palette_where_nothing_is_typed_lists_no_memories(
    desk: Desk, answered: tuple[Memory, Memory]
) -> None:
    page = desk.client.get(desk.url("memories/")).content.decode()

    palette = page[page.index('id="palette-results"') :]
    assert "The office closes" not in palette
    assert "Go to" in palette


@pytest.mark.parametrize("screen", ["memories/?q=office", "palette?q=office"])
def test_both_say_where_the_distant_ones_begin(
    desk: Desk, answered: tuple[Memory, Memory], screen: str
) -> None:
    page = desk.client.get(desk.url(screen)).content.decode()

    assert page.count(FAR) == 1
    results = page[page.index("The office closes") :]
    assert results.index(FAR) < results.index("Otters hold")
