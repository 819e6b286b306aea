from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

from memory_app.domain.randomness import random_bytes


def test_no_bytes_are_handed_out_twice() -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(random_bytes, [10] * 5_000))

    assert {len(one) for one in found} == {10}
    assert len(set(found)) == 5_000


def test_a_forked_child_has_bytes_of_its_own() -> None:
    before = random_bytes(10)

    with get_context("fork").Pool(1) as child:
        theirs = child.apply(random_bytes, (10,))

    assert len({before, theirs, random_bytes(10)}) == 3
