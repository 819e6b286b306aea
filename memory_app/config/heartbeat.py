"""The worker's sign of life, written by a thread of its own: long tasks don't hold it up."""

import threading
import time

from django.core.cache import cache

KEY = "worker-heartbeat"
EVERY = 5.0
STALE_AFTER = 20.0


def start_beating() -> None:
    threading.Thread(target=_beat_forever, name="heartbeat", daemon=True).start()


def beat() -> None:
    cache.set(KEY, time.time(), timeout=None)


def seconds_since_last_beat() -> float | None:
    """None when no worker has ever said anything to this cache."""
    last = cache.get(KEY)
    return None if last is None else time.time() - last


def _beat_forever() -> None:
    while True:
        try:
            beat()
        except Exception:  # noqa: BLE001 the cache may be restarting; the next beat tells
            time.sleep(1.0)
            continue
        time.sleep(EVERY)
