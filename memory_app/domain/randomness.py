"""The system's random bytes, fetched by the block: a save needs dozens, and each fetch is a call into
the kernel.
"""

from __future__ import annotations

import os
from threading import local

_BLOCK = 4_096


class _Store(local):
    """What is left of this thread's block."""

    block = b""
    place = 0


_store = _Store()


def random_bytes(count: int) -> bytes:
    """`count` (at most 4,096) bytes of the operating system's generator, given to nobody else."""
    if _store.place + count > len(_store.block):
        _store.block, _store.place = os.urandom(_BLOCK), 0
    _store.place += count
    return _store.block[_store.place - count : _store.place]


def _forget() -> None:
    _store.block = b""


# A forked child would hand out what its parent does.
os.register_at_fork(after_in_child=_forget)
