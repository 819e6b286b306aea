from __future__ import annotations

import numpy as np
import pytest

from memory_app.domain.closest import Closest, as_stored


def vectors(number: int, seed: int = 1) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(number, 24))
    return as_stored(drawn.astype(np.float32))


def in_parts(rows: np.ndarray, size: int) -> Closest[int]:
    found: Closest[int] = Closest()
    for start in range(0, len(rows), size):
        found.add(list(range(start, min(len(rows), start + size))), rows[start : start + size])
    return found


@pytest.mark.parametrize("number", [1, 63, 64, 65, 700, 3_000])
def test_the_closest_are_those_of_a_full_sort(number: int) -> None:
    rows, asked = vectors(number), vectors(40, seed=2)

    found = list(in_parts(rows, 37).best(asked, limit=9))

    full = np.argsort(-(asked @ rows.T), axis=1, kind="stable")[:, :9]
    assert [[key for key, _ in one] for one in found] == full.tolist()


def test_what_was_dropped_is_not_found_and_the_next_is() -> None:
    rows = vectors(500)
    kept = in_parts(rows, 100)
    before = next(kept.best(rows[:1], limit=3))

    kept.drop([0, before[1][0], 9_999])

    after = next(kept.best(rows[:1], limit=3))
    assert before[0][0] == 0
    assert after[0] == before[2]
    assert len(kept) == 498


def test_only_scores_at_or_above_the_least_count() -> None:
    rows = vectors(300)

    (found,) = in_parts(rows, 300).best(rows[:1], limit=9, least=0.999)

    assert [key for key, _ in found] == [0]


def test_among_nothing_nothing_is_close() -> None:
    assert list(Closest[int]().best(vectors(2), limit=3)) == [[], []]


def test_a_key_may_have_several_rows() -> None:
    rows = vectors(4)
    found: Closest[str] = Closest()
    found.add(["a", "b", "a", "c"], rows)

    found.drop(["a"])

    assert [key for key, _ in next(found.best(rows[:1], limit=9))] != ["a"]
    assert {key for key, _ in next(found.best(rows[:1], limit=9))} == {"b", "c"}
