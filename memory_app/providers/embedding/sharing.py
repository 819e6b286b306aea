"""Many texts on two cores, for an embedder that runs on one whatever their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from memory_app.providers.embedding.protocol import Budget, Embedder, Kind, Vectors

# Fewer texts than this are embedded before a second thread would be under way.
SHARED_FROM = 64
_PART = 16


def embed_shared(
    embedder: Embedder, texts: Sequence[str], *, kind: Kind, timeout: float | None
) -> Vectors:
    """`embedder.embed`, with the help of one other thread of this process for a long list.

    All lists of the process share that one helper, and whoever waits for nobody else's list: where
    the helper is busy, the caller's thread does all. Raises `Unavailable` like `embed`.
    """
    if len(texts) < SHARED_FROM or not embedder.single_core or (os.cpu_count() or 1) < 2:
        return embedder.embed(texts, kind=kind, timeout=timeout)
    budget = Budget.of(timeout)
    parts = [texts[start : start + _PART] for start in range(0, len(texts), _PART)]
    made: list[Vectors] = [np.empty(0, np.float32)] * len(parts)
    left, lock = iter(range(len(parts))), threading.Lock()

    def work() -> None:
        try:
            while True:
                with lock:
                    place = next(left, None)
                if place is None:
                    return
                made[place] = embedder.embed(parts[place], kind=kind, timeout=budget.remaining())
        except BaseException:
            with lock:
                list(left)  # the other needn't go on
            raise

    helped = _helper(os.getpid()).submit(work)
    work()
    if not helped.cancel():
        helped.result()
    return np.concatenate(made)


@cache
def _helper(_process: int) -> ThreadPoolExecutor:
    """A thread doesn't survive a fork, so each process has its own."""
    return ThreadPoolExecutor(1, thread_name_prefix="embedding")
