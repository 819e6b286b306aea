"""Further threads for an embedder that runs on one core: half of a long list, or one text early."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
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

    helped = _helper(os.getpid()).threads.submit(work)
    work()
    if not helped.cancel():
        helped.result()
    return np.concatenate(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """One passage that is being embedded while its caller does something else."""

    model_id: str
    text: str
    made: Future[Vectors]

    def serves(self, embedder: Embedder, texts: Sequence[str]) -> bool:
        """Whether this is what the model would make of those texts."""
        return [self.text] == list(texts) and self.model_id == embedder.model_id

    def vectors(self) -> Vectors:
        """As `embedder.embed` of the one text; raises what that raised."""
        return self.made.result()


def embed_ahead(embedder: Embedder, text: str) -> Ahead | None:
    """Begin a passage on the chance that its vector is wanted; what isn't taken is lost.

    None where nothing would be won (a model that runs elsewhere, or on several cores) and where the
    process's one helper is at another's already, so that what is then refused never piles up.
    """
    if not embedder.single_core or (os.cpu_count() or 1) < 2:
        return None
    helper = _helper(os.getpid())
    if not helper.free.acquire(blocking=False):
        return None

    def work() -> Vectors:
        try:
            return embedder.embed([text], kind="passage")
        finally:
            helper.free.release()

    return Ahead(model_id=embedder.model_id, text=text, made=helper.early.submit(work))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Helper:
    threads: ThreadPoolExecutor
    # Of its own: behind half of somebody's long list a text would wait for seconds.
    early: ThreadPoolExecutor
    # Held while a text is embedded ahead.
    free: threading.Lock


@cache
def _helper(_process: int) -> _Helper:
    """A thread doesn't survive a fork, so each process has its own."""
    return _Helper(
        threads=ThreadPoolExecutor(1, thread_name_prefix="embedding"),
        early=ThreadPoolExecutor(1, thread_name_prefix="embedding-early"),
        free=threading.Lock(),
    )
