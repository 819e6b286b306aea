"""Digests: keccak-256 of canonical JSON for contents, SHA-256 for the ledger's chain, MD5 for
cells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from Crypto.Hash import keccak

from memory_app.domain.text import fold

GENESIS = "0" * 64


def canonical(value: object) -> bytes:
    """JSON with sorted keys, no spaces and every character as itself: the same bytes everywhere."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def content_hash(
    text: str,
    *,
    entities: tuple[tuple[str, str], ...] = (),
    relations: tuple[tuple[str, str, str], ...] = (),
    props: Mapping[str, Any] | None = None,
) -> str:
    """keccak-256 (not SHA-3) of the canonical JSON of text, sorted entities and relations, and
    props.
    """
    body = {
        "text": text,
        "entities": sorted(entities),
        "relations": sorted(relations),
        "props": dict(props or {}),
    }
    return "0x" + keccak.new(digest_bits=256, data=canonical(body)).hexdigest()


def dedupe_key(text: str, *structure: str) -> str:
    """What two live memories of a bank may not share: the folded text, and for a fact its
    structure.
    """
    return hashlib.sha256("\x1f".join((fold(text), *map(fold, structure))).encode()).hexdigest()


def cell_digest(text: str) -> str:
    """MD5 of a cell's text: says whether a vector can be kept, never whether something is
    genuine.
    """
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def sealed(previous: str, entry: Mapping[str, Any]) -> str:
    """The hash of a ledger entry: SHA-256 over the hash before it and the entry's canonical
    JSON.
    """
    return hashlib.sha256(previous.encode() + b"\n" + canonical(dict(entry))).hexdigest()


def salted(salt: str, content: Mapping[str, Any]) -> str:
    """What an entry keeps of its content, so that the content can be erased without breaking the
    chain.
    """
    return hashlib.sha256(salt.encode() + b"\n" + canonical(dict(content))).hexdigest()
