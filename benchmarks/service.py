"""The product as its clients meet it: start, memory, a write, a search, an import, eight at once."""

from __future__ import annotations

import threading
import time
from itertools import islice

import httpx

from benchmarks.figures import Figure, median_ms, show, spread, timed
from benchmarks.product import Product
from benchmarks.sentences import sentences
from memory_app.providers.embedding import get_embedder

WRITES = 200
SEARCHES = 200
IMPORTED = 10_000
BATCH = 500
CLIENTS = 8
SECONDS_OF_LOAD = 20


def run() -> None:
    """Print every figure; takes about five minutes on two cores."""
    product = Product()
    product.start()
    try:
        cold = product.seconds_to_ready
        product.stop()
        product.start()
        show("Start and memory", _start_and_memory(product, cold))
        show("A write of one statement over REST", _writes(product.client("writes")))
        filled = product.client("filled")
        show(f"Importing {IMPORTED:,} memories", _import(filled))
        show(f"A search in {IMPORTED:,} memories over REST", _searches(filled))
        show(f"{CLIENTS} clients at once", _load(product))
    finally:
        product.__exit__(None, None, None)


def _start_and_memory(product: Product, cold: float) -> list[Figure]:
    time.sleep(5)
    sizes = product.resident_mb()
    parts = ", ".join(f"{name} {size:.0f}" for name, size in sorted(sizes.items()))
    return [
        Figure(name="start, cold", value=f"{cold:.1f} s"),
        Figure(name="start, warm", value=f"{product.seconds_to_ready:.1f} s"),
        Figure(name="idle memory", value=f"{sum(sizes.values()):.0f} MB ({parts})", bar="< 700 MB"),
    ]


def _writes(client: httpx.Client) -> list[Figure]:
    """The same text is embedded here and written there, in turns."""
    embedder = get_embedder()
    alone, written = [], []
    for number, text in enumerate(islice(sentences(1), WRITES + 20)):
        embedding = timed(lambda text=text: embedder.embed([text]))  # type: ignore[misc]
        writing = timed(lambda text=text: _post(client, {"content": text}))  # type: ignore[misc]
        if number >= 20:
            alone.append(embedding)
            written.append(writing)
    ratio = median_ms(written) / median_ms(alone)
    return [
        Figure(name="embedding alone", value=spread(alone)),
        Figure(name="write", value=spread(written)),
        Figure(name="ratio of medians", value=f"{ratio:.2f}", bar="<= 4"),
    ]


def _import(client: httpx.Client) -> list[Figure]:
    embedder = get_embedder()
    texts = list(islice(sentences(2), IMPORTED))
    embedding, importing = 0.0, 0.0
    for start in range(0, IMPORTED, BATCH):
        part = texts[start : start + BATCH]
        embedding += timed(lambda part=part: embedder.embed(part))  # type: ignore[misc]
        importing += timed(
            lambda part=part: client.post(  # type: ignore[misc]
                "imports/", json={"text": "\n".join(part)}
            ).raise_for_status()
        )
    return [
        Figure(name="embedder's batch throughput", value=f"{IMPORTED / embedding:.0f} texts/s"),
        Figure(name="import", value=f"{IMPORTED / importing:.0f} memories/s"),
        Figure(name="share of the embedder's", value=f"{embedding / importing:.0%}", bar=">= 70 %"),
    ]


def _searches(client: httpx.Client) -> list[Figure]:
    questions = [" ".join(text.split()[2:9]) for text in islice(sentences(3), SEARCHES)]
    profile = [timed(lambda: client.get("profile/").raise_for_status()) for _ in range(50)]
    found = [
        timed(lambda q=q: client.get("search/", params={"q": q}).raise_for_status())  # type: ignore[misc]
        for q in questions
    ]
    return [
        Figure(name="search", value=spread(found)),
        Figure(name="profile", value=spread(profile)),
    ]


def _load(product: Product) -> list[Figure]:
    """Each client writes one statement and searches three times, again and again."""
    counts = {"writes": 0, "searches": 0}
    lock = threading.Lock()
    until = time.perf_counter() + SECONDS_OF_LOAD

    def work(number: int, client: httpx.Client) -> None:
        for text in sentences(100 + number):
            if time.perf_counter() > until:
                return
            _post(client, {"content": text})
            for _ in range(3):
                client.get("search/", params={"q": text[:40]}).raise_for_status()
            with lock:
                counts["writes"] += 1
                counts["searches"] += 3

    clients = [product.client(f"load-{number}") for number in range(CLIENTS)]
    until = time.perf_counter() + SECONDS_OF_LOAD
    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [
        Figure(name=name, value=f"{number / SECONDS_OF_LOAD:.1f} a second")
        for name, number in counts.items()
    ]


def _post(client: httpx.Client, body: dict[str, object]) -> None:
    client.post("memories/", json=body).raise_for_status()
