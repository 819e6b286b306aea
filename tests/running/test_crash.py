"""Killing parts of a running installation during writes: what was acknowledged is there after."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time

import pytest

from tests.running.product import Product, alive, wait_for

pytestmark = pytest.mark.slow

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "1"))
PARTS = ["postgres", "worker", "web", "valkey"]


class Writer:
    """Saves statement after statement from a thread; keeps the ids that were answered with 201."""

    def __init__(self, product: Product) -> None:
        self.acknowledged: list[str] = []
        self._product = product
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> Writer:
        self._thread.start()
        wait_for(lambda: len(self.acknowledged) >= 3, patience=60)
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join(60)

    def _write(self) -> None:
        words = random.Random(len(self.acknowledged))
        while not self._ending.is_set():
            text = f"Ticket {words.getrandbits(60)} belongs to shelf {words.getrandbits(40)}."
            status, body = self._product.call(
                "POST", "/api/v1/banks/main/memories", {"content": text}
            )
            self.acknowledged += [memory_id(body)] if status == 201 else []
            time.sleep(0.02)


def memory_id(body: dict[str, dict[str, str]]) -> str:
    return body["memory"]["id"]


def missing(product: Product, ids: list[str]) -> list[str]:
    return [
        wanted
        for wanted in ids
        if product.call("GET", f"/api/v1/banks/main/memories/{wanted}")[0] != 200
    ]


@pytest.mark.parametrize("part", PARTS * ROUNDS)
def test_nothing_acknowledged_is_lost_when_a_part_is_killed(running: Product, part: str) -> None:
    with Writer(running) as writer:
        before = running.pid(part)
        os.kill(before, signal.SIGKILL)
        wait_for(lambda: running.pid(part) not in (0, before), patience=30)
        wait_for(running.ready, patience=60)

    assert missing(running, writer.acknowledged) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends orphans by itself")
@pytest.mark.parametrize("_round", range(ROUNDS))
def test_nothing_acknowledged_is_lost_when_the_supervisor_is_killed(
    running: Product, _round: int
) -> None:
    with Writer(running) as writer:
        family = running.family()
        os.kill(running.process.pid, signal.SIGKILL)  # type: ignore[union-attr]
        running.process.wait(10)  # type: ignore[union-attr]
    wait_for(lambda: alive(family) == set(), patience=30)

    running.start()

    assert missing(running, writer.acknowledged) == []


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_nothing_acknowledged_is_lost_when_everything_is_killed_at_once(
    running: Product, _round: int
) -> None:
    with Writer(running) as writer:
        family = running.family()
        for pid in family:
            _kill(pid)
        running.process.wait(10)  # type: ignore[union-attr]
    wait_for(lambda: alive(family) == set(), patience=30)

    running.start()

    assert missing(running, writer.acknowledged) == []


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
