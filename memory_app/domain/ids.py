"""Prefixed ULIDs: `mem_01J...`. Stored as uuid, shown with the prefix, made in this process.

Ids made by one process rise strictly, also within one millisecond, so that the order of ids is the
order of creation (keyset pages and imports rely on it).
"""

from __future__ import annotations

import os
import threading
import time
from uuid import UUID

from ulid import ULID

from memory_app.domain.errors import WrongIdPrefix

PREFIXES = {
    "organization": "org",
    "user": "user",
    "membership": "mship",
    "invitation": "inv",
    "agent": "agent",
    "connection": "conn",
    "api key": "key",
    "access event": "event",
    "bank": "bank",
    "memory": "mem",
    "memory version": "ver",
    "cell": "cell",
    "link": "link",
    "ledger entry": "led",
    "recall": "rec",
    "proposal": "prop",
    "import": "imp",
    "job": "job",
}
KINDS = {prefix: kind for kind, prefix in PREFIXES.items()}

_RANDOM_BITS = 80
_lock = threading.Lock()
_last_value = 0


def new_id(prefix: str) -> str:
    """A fresh id of that prefix; strictly greater than every id this process made before."""
    global _last_value  # the one piece of process-wide state: the last id, behind the lock
    with _lock:
        value = (time.time_ns() // 1_000_000 << _RANDOM_BITS) | int.from_bytes(
            os.urandom(10), "big"
        )
        if value <= _last_value:
            value = _last_value + 1
        _last_value = value
    return f"{prefix}_{ULID(value.to_bytes(16, 'big'))}"


def to_uuid(prefix: str, reference: str) -> UUID:
    """The uuid behind `reference`. Raises `WrongIdPrefix` for another kind's id and for malformed
    ones.
    """
    found, separator, body = (
        reference.partition("_") if isinstance(reference, str) else ("", "", "")
    )
    kind = KINDS.get(prefix, prefix)
    if not separator or found != prefix:
        raise WrongIdPrefix(
            f"{_shown(reference)} is not the id of a {kind}: it must start with '{prefix}_'.",
            hint=f"Pass a {kind} id exactly as it was returned.",
            field="id",
        )
    try:
        return ULID.from_str(body.upper()).to_uuid()
    except ValueError:
        raise WrongIdPrefix(
            f"{_shown(reference)} is not a well-formed {kind} id.",
            hint=f"Pass a {kind} id exactly as it was returned, '{prefix}_' and 26 characters.",
            field="id",
        ) from None


def from_uuid(prefix: str, value: UUID) -> str:
    """The shown form of a stored id."""
    return f"{prefix}_{ULID.from_uuid(value)}"


def is_id(prefix: str, reference: str) -> bool:
    """Whether `reference` is a well-formed id of that prefix (it may still name nothing)."""
    try:
        to_uuid(prefix, reference)
    except WrongIdPrefix:
        return False
    return True


def _shown(reference: object) -> str:
    text = repr(reference)
    return text if len(text) <= 60 else text[:57] + "..."
