"""Bullets, numbering and check boxes at the start of a line: which of them are list markers.

A number is a marker only inside a sequence: it is 1, or follows a marker one lower, or starts a run
of three. So `2026. Budget frozen.` keeps its year while `1.` to `120.` go. Quotes go in pairs only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_BULLET = re.compile(r"(?:[-*+–—>]|#{1,6})(?:\s+|$)|[•◦‣▪▫●○■□]\s*")
_BOX = re.compile(r"\[[ xX✓✔]?\](?:\s+|$)|[☐☑☒]\s*")
_NUMBER = re.compile(r"\(?(\d{1,3})(?:([.)．）])(?:\s+|$)|(、)\s*)")
_LETTER = re.compile(r"\(?([A-Za-z])(\))(?:\s+|$)")
_PAIRS = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“”",
    "‘": "’",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
}
_RUN = 3
_DEPTH = 4

Kind = Literal["number", "letter"]


@dataclass(frozen=True, slots=True)
class _Marker:
    """A number or letter that may be a marker: where it stands and what it counts."""

    line: int
    end: int
    kind: Kind
    style: str
    value: int


@dataclass(frozen=True, slots=True)
class _Scan:
    """Where bullets and boxes end when no number is a marker, and the numbers that may be."""

    plain_end: int
    markers: tuple[_Marker, ...]
    ends: tuple[int, ...]


def unmarked(lines: Sequence[str]) -> list[str]:
    """Every line without its list markers and enclosing quotes, in the order given."""
    scans = [_scan(number, line) for number, line in enumerate(lines)]
    real = _sequential([marker for scan in scans for marker in scan.markers])
    return [_bare(line, scan, real) for line, scan in zip(lines, scans, strict=True)]


def unquoted(text: str) -> str:
    """Without one pair of quotes around the whole, or as it was when they aren't a pair."""
    body = text[:-1].rstrip() if text.endswith(",") else text
    closing = _PAIRS.get(body[:1], "")
    if len(body) < 2 or not closing or body[-1] not in closing:
        return text
    inner = body[1:-1]
    bounds = set(body[0] + closing)
    if any(_is_quote(inner, place) for place, sign in enumerate(inner) if sign in bounds):
        return text
    return inner.strip()


def _is_quote(text: str, place: int) -> bool:
    """A sign between two letters is an apostrophe, not a quote."""
    around = text[place - 1 : place] + text[place + 1 : place + 2]
    return text[place] not in "'’‘" or not (len(around) == 2 and around.isalnum())


def _scan(number: int, line: str) -> _Scan:
    """Steps over every possible marker; a number is noted, bullets and boxes are certain."""
    place = plain_end = len(line) - len(line.lstrip())
    markers: list[_Marker] = []
    ends: list[int] = []
    for _ in range(_DEPTH):
        if found := _BULLET.match(line, place) or _BOX.match(line, place):
            place = found.end()
        elif len(markers) < 2 and (marker := _marker(number, line, place)):
            markers.append(marker)
            ends.append(place)
            place = marker.end
        else:
            break
        if not markers:
            plain_end = place
    return _Scan(plain_end=plain_end, markers=tuple(markers), ends=(*ends, place))


def _marker(number: int, line: str, place: int) -> _Marker | None:
    if found := _NUMBER.match(line, place):
        style = found[2] or found[3]
        return _Marker(number, found.end(), "number", style, int(found[1]))
    if found := _LETTER.match(line, place):
        style = "upper" if found[1].isupper() else "lower"
        return _Marker(number, found.end(), "letter", style, ord(found[1].lower()) - 96)
    return None


def _sequential(markers: Sequence[_Marker]) -> set[_Marker]:
    """Those that count: 1, one more than a marker before, or the first of three in a row.

    `reached` holds the last number of every open list: an inner list doesn't end its outer.
    """
    real: set[_Marker] = set()
    for kind, style in {(marker.kind, marker.style) for marker in markers}:
        group = [marker for marker in markers if (marker.kind, marker.style) == (kind, style)]
        reached: Counter[int] = Counter()
        for place, marker in enumerate(group):
            run = [other.value for other in group[place : place + _RUN]]
            starts = run == [marker.value + step for step in range(_RUN)]
            if marker.value == 1 or reached[marker.value - 1] or starts:
                reached[marker.value - 1] -= bool(reached[marker.value - 1])
                reached[marker.value] += 1
                real.add(marker)
    return real


def _bare(line: str, scan: _Scan, real: set[_Marker]) -> str:
    end = scan.plain_end
    for marker, after in zip(scan.markers, scan.ends[1:], strict=True):
        if marker not in real:
            break
        end = after
    return unquoted(line[end:].strip())
