"""Telling open pages that something of a bank changed: what kind and which ids, never what it says.

`announce` only puts a note in a list of this process, after the commit; a thread of its own gathers
notes for a tenth of a second and sends one message a bank. A layer that is down, full or frozen
loses messages, never a write: pages look again by themselves when their socket fails.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping

from channels.layers import get_channel_layer
from django.db import transaction

from memory_app.domain.ids import to_uuid

logger = logging.getLogger(__name__)

KINDS = ("memory", "recall", "review", "import", "job", "graph", "file", "bank", "other")
GATHER_SECONDS = 0.1
SEND_SECONDS = 2.0
# Of one kind in one message; a page that hears of more looks at everything anyway.
IDS_MOST = 50
WAITING_MOST = 10_000

_BY_PREFIX = {
    "mem": "memory",
    "prop": "review",
    "imp": "import",
    "job": "job",
    "ent": "graph",
    "rel": "graph",
    "file": "file",
    "bank": "bank",
}

_waiting: deque[tuple[str, str, tuple[str, ...]]] = deque(maxlen=WAITING_MOST)
_something = threading.Event()
_starting = threading.Lock()
_thread: threading.Thread | None = None


def group_of(bank_id: str) -> str:
    """The channel layer's name for those who watch a bank."""
    return f"bank.{to_uuid('bank', bank_id).hex}"


def kind_of(target: str) -> str:
    """The kind of a ledger target, by the prefix of its id."""
    return _BY_PREFIX.get(target.partition("_")[0], "other")


def announce(bank_id: str, kind: str, *ids: str) -> None:
    """Tell the pages of a bank, once the open transaction has committed; at once without one.

    `kind` is one of `KINDS`. Costs some microseconds and never raises.
    """
    transaction.on_commit(lambda: _note(bank_id, kind, ids), robust=True)


def announce_targets(bank_id: str, targets: Iterable[str]) -> None:
    """`announce` for the targets of ledger entries, each under its own kind."""
    gathered: dict[str, list[str]] = {}
    for target in targets:
        gathered.setdefault(kind_of(target), []).append(target)
    for kind, ids in gathered.items():
        announce(bank_id, kind, *ids[: IDS_MOST + 1])


def _note(bank_id: str, kind: str, ids: tuple[str, ...]) -> None:
    _waiting.append((bank_id, kind, ids))
    _something.set()
    if _thread is None or not _thread.is_alive():
        _start()


def _start() -> None:
    global _thread
    with _starting:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_send_forever, name="live", daemon=True)
            _thread.start()


def _send_forever() -> None:
    """Wait outside the loop: a thread of an executor would hold up the end of the process."""
    with asyncio.Runner() as runner:
        while True:
            _something.wait()
            time.sleep(GATHER_SECONDS)
            _something.clear()
            runner.run(_send(_taken()))


def _taken() -> dict[str, dict[str, list[str]]]:
    """What waits, by bank and kind; a kind with an empty list means "too many to name"."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    while _waiting:
        bank_id, kind, ids = _waiting.popleft()
        found.setdefault(bank_id, {}).setdefault(kind, {}).update(dict.fromkeys(ids))
    return {
        bank_id: {kind: list(ids) if len(ids) <= IDS_MOST else [] for kind, ids in kinds.items()}
        for bank_id, kinds in found.items()
    }


async def _send(taken: Mapping[str, Mapping[str, list[str]]]) -> None:
    layer = get_channel_layer()
    for bank_id, kinds in taken.items():
        message = {"type": "live.changed", "kinds": dict(kinds)}
        try:
            await asyncio.wait_for(layer.group_send(group_of(bank_id), message), SEND_SECONDS)
        except Exception as error:  # noqa: BLE001 each layer has errors of its own; pages look again
            logger.warning("live_not_sent: %s: %.200s", type(error).__name__, error)
            return


def _forget_thread() -> None:
    """A forked process has the list but not the thread."""
    global _thread, _starting, _something
    _thread, _starting, _something = None, threading.Lock(), threading.Event()
    _waiting.clear()


def _send_the_rest() -> None:
    """A command that ends right after its write still tells: give the thread a moment."""
    if _waiting and _thread is not None:
        _thread.join(3 * GATHER_SECONDS)


os.register_at_fork(after_in_child=_forget_thread)
atexit.register(_send_the_rest)
