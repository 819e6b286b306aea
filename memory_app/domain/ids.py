"""Prefixed ULIDs: `mem_01J...`. Stored as uuid, shown with the prefix, made in this process.

Ids made by one process rise strictly, also within one millisecond, so that the order of ids is the
order of creation (keyset pages and imports rely on it).
"""

from __future__ import annotations

import re
import threading
import time
from functools import lru_cache
from uuid import UUID

from memory_app.domain.errors import NotFound, WrongIdPrefix
from memory_app.domain.randomness import random_bytes

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
    "entity": "ent",
    "entity probe": "probe",
    "mention": "mention",
    "relationship": "rel",
    "assertion": "assert",
    "file": "file",
    "recall save": "save",
    "pending document": "pend",
    "memory test": "test",
    "test run": "run",
    "gap decision": "gap",
    "bulk operation": "bulk",
    "saved view": "view",
    "ledger check": "check",
}
KINDS = {prefix: kind for kind, prefix in PREFIXES.items()}

_RANDOM_BITS = 80
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# Two characters at once going out; coming in, Crockford's letters become those that int() reads.
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_SHIFTS = range(120, -1, -10)
_TO_INT = str.maketrans(
    _ALPHABET + _ALPHABET.lower()[10:],
    "0123456789abcdefghijklmnopqrstuv" + "abcdefghijklmnopqrstuv",
)
_WELL_FORMED = re.compile(r"[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}")
_lock = threading.Lock()
_last_value = 0


def new_id(prefix: str) -> str:
    """A fresh id of that prefix; strictly greater than every id this process made before."""
    global _last_value  # the one piece of process-wide state: the last id, behind the lock
    with _lock:
        value = (time.time_ns() // 1_000_000 << _RANDOM_BITS) | int.from_bytes(
            random_bytes(10), "big"
        )
        if value <= _last_value:
            value = _last_value + 1
        _last_value = value
    return f"{prefix}_{_encode(value)}"


def to_uuid(prefix: str, reference: str) -> UUID:
    """The uuid behind `reference`.

    Raises `WrongIdPrefix` for another kind's id and for malformed ones.
    """
    found = _parsed(prefix, reference) if isinstance(reference, str) else None
    if found is not None:
        return found
    kind = KINDS.get(prefix, prefix)
    if not isinstance(reference, str) or not reference.startswith(f"{prefix}_"):
        raise WrongIdPrefix(
            f"{_shown(reference)} is not the id of {_with_article(kind)}: it must start with '{prefix}_'.",
            hint=f"Pass {_with_article(kind)} id exactly as it was returned.",
            field="id",
        )
    raise WrongIdPrefix(
        f"{_shown(reference)} is not a well-formed {kind} id.",
        hint=f"Pass {_with_article(kind)} id exactly as it was returned, '{prefix}_' and 26 characters.",
        field="id",
    )


def from_uuid(prefix: str, value: UUID) -> str:
    """The shown form of a stored id."""
    return f"{prefix}_{_encode(value.int)}"


def canonical_id(prefix: str, reference: str) -> str:
    """`reference` as it is shown everywhere. Raises `WrongIdPrefix` like `to_uuid`."""
    to_uuid(prefix, reference)
    return f"{prefix}_{reference[len(prefix) + 1 :].upper()}"


def is_id(prefix: str, reference: str) -> bool:
    """Whether `reference` is a well-formed id of that prefix (it may still name nothing)."""
    try:
        to_uuid(prefix, reference)
    except WrongIdPrefix:
        return False
    return True


def is_any_id(reference: str) -> bool:
    """Whether `reference` is a well-formed id of any kind."""
    prefix = reference.partition("_")[0]
    return prefix in KINDS and is_id(prefix, reference)


def refuse_other_kind(prefix: str, reference: str) -> None:
    """Raise `WrongIdPrefix` for the id of another kind, where a slug, a name or a path may stand too."""
    if is_any_id(reference):
        to_uuid(prefix, reference)


def missing(prefix: str, reference: str) -> NotFound:
    """What to raise when nothing answers to `reference`: raises `WrongIdPrefix` itself if that is why.

    Whether the id names something elsewhere plays no part, so nothing is told to strangers.
    """
    refuse_other_kind(prefix, reference)
    return NotFound(KINDS[prefix])


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"


@lru_cache(maxsize=16_384)
def _encode(value: int) -> str:
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in _SHIFTS])


@lru_cache(maxsize=16_384)
def _parsed(prefix: str, reference: str) -> UUID | None:
    """The uuid, or None; kept, since a request reads the same few ids again and again."""
    found, _, body = reference.partition("_")
    value = _decode(body) if found == prefix else None
    return None if value is None else UUID(int=value)


def _decode(body: str) -> int | None:
    """The number behind 26 characters of Crockford's base 32; None for anything else."""
    if not _WELL_FORMED.fullmatch(body):
        return None
    return int(body.translate(_TO_INT), 32)


def _shown(reference: object) -> str:
    text = repr(reference)
    return text if len(text) <= 60 else text[:57] + "..."
