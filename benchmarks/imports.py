"""A long file from the upload to its undo, while another agent writes and searches.

`IMPORT_LINES` says how many lines, 50,000 when absent. The worker is killed once in the middle of
the storing, and the supervisor starts another.
"""

from __future__ import annotations

import csv
import io
import os
import threading
import time
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import httpx

from benchmarks.figures import Figure, show, spread
from benchmarks.product import Product
from benchmarks.sentences import sentences

LINES = int(os.environ.get("IMPORT_LINES", "50000"))
PATIENCE = 3_600.0
RESTING = frozenset({"ready", "checked", "done", "undone", "paused", "failed", "cancelled"})


def run() -> None:
    """Print the figures of every step; takes about fifteen minutes on two idle cores."""
    product = Product()
    product.start()
    try:
        with product.client("imports") as client:
            _steps(product, client)
    finally:
        product.__exit__(None, None, None)


def _steps(product: Product, client: httpx.Client) -> None:
    with Others(product, client) as others:
        first = _upload(client)
        _show("Read into lines", [_wait(product, client, first)], others)
        _show("Looked at", [_step(product, client, first, "check")], others)
        _show("Looked at again", [_step(product, client, first, "check")], others)
        stored = _Watch(product, client, first)
        client.post(f"imports/{first}/start/").raise_for_status()
        stored.until(lambda status: status["done"] >= LINES // 2)
        product.kill("worker")
        killed = time.perf_counter()
        half = int(client.get(f"imports/{first}/status/").json()["done"])
        stored.until(lambda status: status["done"] > half)
        rest = time.perf_counter() - killed
        stored.until(_rests)
        figures = [
            *stored.figures(),
            Figure(name="kill -9, until it went on", value=f"{rest:.0f} s"),
        ]
        _show("Stored", [figures], others)
        _count(client, others)
        again = _upload(client)
        _wait(product, client, again)
        _show("The same file again", [_step(product, client, again, "start")], others)
        _count(client, others)
        _show("Taken back", [_step(product, client, first, "undo")], others)
        _count(client, others)
        third = _upload(client)
        _wait(product, client, third)
        _show("The same file after the undo", [_step(product, client, third, "start")], others)
    _count(client, others)
    print(f"  ledger: {client.get('ledger/verify/').json()}")


@dataclass(slots=True)
class Others:
    """Another agent of the bank: two searches a second, a write every two seconds."""

    product: Product
    client: httpx.Client
    written: int = 0
    failed: int = 0
    searches: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def take(self) -> list[Figure]:
        """What the requests since the last call took."""
        searches, self.searches = self.searches, []
        writes, self.writes = self.writes, []
        named = (("searches", searches), ("writes", writes))
        return [
            Figure(name=f"{name} meanwhile", value=f"{spread(took)} ({len(took)})")
            for name, took in named
            if len(took) > 1
        ] + [Figure(name="requests that failed", value=str(self.failed))]

    def __enter__(self) -> Others:
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        for number, text in enumerate(sentences(99)):
            if self._over.wait(0.5):
                return
            words = " ".join(text.split()[2:8])
            self._ask(self.searches, "GET", "search/", params={"q": words})
            if number % 4 == 0:
                with self.lock:
                    answer = self._ask(self.writes, "POST", "memories/", json={"content": text})
                    self.written += answer is not None and answer.json()["status"] == "created"

    def _ask(self, took: list[float], method: str, path: str, **what: Any) -> httpx.Response | None:
        began = time.perf_counter()
        try:
            answer = self.client.request(method, path, **what).raise_for_status()
        except httpx.HTTPError:
            self.failed += 1
            return None
        took.append(time.perf_counter() - began)
        return answer


class _Watch:
    """One step of an import, from now on: its clock, its processor time, the worker's memory."""

    def __init__(self, product: Product, client: httpx.Client, import_id: str) -> None:
        self._product, self._client, self._import = product, client, import_id
        self._began, self._used = time.perf_counter(), product.processor_seconds()
        self._most = 0.0
        self.now: dict[str, Any] = {}

    def until(self, over: Any) -> None:
        """Look every second until `over` says so of the status."""
        while time.perf_counter() - self._began < PATIENCE:
            self.now = self._client.get(f"imports/{self._import}/status/").json()
            self._most = max(self._most, self._product.resident_mb().get("worker", 0.0))
            if over(self.now):
                return
            time.sleep(1.0)
        raise RuntimeError(f"The import is still {self.now}.")

    def figures(self) -> list[Figure]:
        took = time.perf_counter() - self._began
        used = self._product.processor_seconds()
        spent = {name: used[name] - self._used.get(name, 0.0) for name in used}
        parts = ", ".join(f"{name} {n:.0f} s" for name, n in sorted(spent.items()) if n >= 1)
        return [
            Figure(name="status", value=f"{self.now['status']} {self.now['counts']}"),
            Figure(name="clock", value=f"{took:.0f} s, {LINES / took:.0f} lines a second"),
            Figure(name="processor", value=parts),
            Figure(name="worker's memory", value=f"{self._most:.0f} MB"),
            Figure(name="load of the machine", value=f"{os.getloadavg()[0]:.1f}"),
        ]


def _upload(client: httpx.Client) -> str:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["content", "tags"])
    table.writerows([text, "bench"] for text in islice(sentences(7), LINES))
    answer = client.post(
        "imports/upload/",
        params={"name": "long.csv"},
        content=out.getvalue().encode(),
        headers={"Content-Type": "application/octet-stream"},
    )
    return str(answer.raise_for_status().json()["import_id"])


def _step(product: Product, client: httpx.Client, import_id: str, step: str) -> list[Figure]:
    watch = _Watch(product, client, import_id)
    client.post(f"imports/{import_id}/{step}/").raise_for_status()
    watch.until(_rests)
    return watch.figures()


def _wait(product: Product, client: httpx.Client, import_id: str) -> list[Figure]:
    watch = _Watch(product, client, import_id)
    watch.until(_rests)
    return watch.figures()


def _rests(status: dict[str, Any]) -> bool:
    return status["status"] in RESTING


def _count(client: httpx.Client, others: Others) -> None:
    """What is stored besides the other agent's memories: nothing lost, nothing doubled. What the
    judge retired for one of those counts too.
    """
    with others.lock:
        counts = client.get("health/").raise_for_status().json()["counts"]
        stored = counts["live"] + counts["retired"] - others.written
        print(f"  memories of the file: {stored:,}, of which {counts['retired']} retired")


def _show(title: str, parts: list[list[Figure]], others: Others) -> None:
    show(title, [*(figure for part in parts for figure in part), *others.take()])
