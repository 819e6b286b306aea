"""The file a bank is exported to: JSON lines, each in its one canonical spelling.

A header, the rows of each kind in a fixed order, and an end that holds the number of rows and their
SHA-256. Only the header says which bank it was. What each row must hold is not known here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.hashing import canonical

FORMAT = "commonplace-bank"
VERSION = 2
# Parents before children: a row refers only to rows above it.
KINDS = (
    "memory",
    "version",
    "cell",
    "link",
    "entity",
    "alias",
    "probe",
    "relationship",
    "mention",
    "assertion",
    "proposal",
    "merge_proposal",
    "memory_test",
    "gap_decision",
    "saved_view",
    "file",
    "ledger",
)
# What files of earlier versions, which are read as well, don't have.
_SINCE_2 = frozenset({"memory_test", "gap_decision", "saved_view"})
# A file of 50 MB in base 64, and what is said about it.
LINE_BYTES = 72 * 1024 * 1024
_PLACES = {kind: place for place, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the file; `number` is its line, from 1."""

    number: int
    kind: str
    values: dict[str, Any]


def kinds_of(version: int) -> tuple[str, ...]:
    """The kinds of rows that a file of this version has, in their order."""
    return tuple(kind for kind in KINDS if version > 1 or kind not in _SINCE_2)


def refused(number: int, reason: str) -> InvalidArgument:
    """Why the file can't be taken, with its line."""
    return InvalidArgument(
        f"Line {number} of the file: {reason}",
        hint="Nothing was stored. Export the bank again, and import the file unchanged.",
        field="file",
        details={"line": number},
    )


def write(
    header: Mapping[str, Any], rows: Iterable[tuple[str, Mapping[str, Any]]]
) -> Iterator[bytes]:
    """The lines of a file, one after the other; nothing is held back."""
    yield canonical({"kind": "header", "format": FORMAT, "version": VERSION, **header}) + b"\n"
    digest, count = hashlib.sha256(), 0
    for kind, values in rows:
        line = canonical({"kind": kind, "row": dict(values)}) + b"\n"
        digest.update(line)
        count += 1
        yield line
    yield canonical({"kind": "end", "rows": count, "sha256": digest.hexdigest()}) + b"\n"


def read_header(file: IO[bytes]) -> dict[str, Any]:
    """The first line. Raises `InvalidArgument` for any other kind of file and a newer version."""
    file.seek(0)
    header = _parsed(1, file.readline(LINE_BYTES + 1))
    if header.get("kind") != "header" or header.get("format") != FORMAT:
        raise refused(1, "it isn't the header of an exported bank.")
    version = header.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise refused(1, f"the format's version is {version!r:.20}; this server reads {VERSION}.")
    return header


def read_rows(file: IO[bytes]) -> Iterator[Row]:
    """Every row below the header, in the kinds' order, one line in memory at a time.

    Raises `InvalidArgument` with the line number for anything that isn't a file as `write` makes
    it; what is wrong with the end is only known after the last row.
    """
    file.seek(0)
    file.readline(LINE_BYTES + 1)
    digest, number, place = hashlib.sha256(), 1, 0
    while True:
        number += 1
        line = file.readline(LINE_BYTES + 1)
        if not line:
            raise refused(number, "the file ends without its end line; it is cut off.")
        parsed = _parsed(number, line)
        kind = parsed.get("kind")
        if kind == "end":
            break
        if not isinstance(kind, str) or kind not in _PLACES:
            raise refused(number, f"there is no kind of row {kind!r:.40}.")
        if _PLACES[kind] < place:
            raise refused(number, f"a {kind} must stand before every {KINDS[place]}.")
        if set(parsed) != {"kind", "row"} or not isinstance(parsed["row"], dict):
            raise refused(number, "a row holds 'kind' and an object 'row', nothing else.")
        place = _PLACES[kind]
        digest.update(line)
        yield Row(number=number, kind=kind, values=parsed["row"])
    expected = {"kind": "end", "rows": number - 2, "sha256": digest.hexdigest()}
    if parsed != expected:
        raise refused(number, "the rows aren't those that were written: count or SHA-256 differ.")
    if file.read(1):
        raise refused(number + 1, "nothing may follow the end line.")


def _parsed(number: int, line: bytes) -> dict[str, Any]:
    if len(line) > LINE_BYTES:
        raise refused(number, f"it is longer than {LINE_BYTES:,} bytes.")
    if not line.endswith(b"\n"):
        raise refused(number, "it has no end; the file is cut off.")
    try:
        found = json.loads(line)
        same = canonical(found) + b"\n" == line
    except (ValueError, RecursionError):
        raise refused(number, "it isn't JSON in UTF-8.") from None
    if not isinstance(found, dict) or not same:
        raise refused(number, "it isn't a JSON object as an export writes it.")
    return found
