"""Bullets, numbering and check boxes at the start of a line: which of them are list markers.

A number is a marker only inside a sequence: it is 1, or follows a marker one lower, or starts a run
of three. So `2026. Budget frozen.` keeps its year while `1.` to `120.` go. In a list that has bullets
too it is one as well where it counts the lines, whatever their signs, or is written with a bracket.
Quotes go in pairs only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_app.domain.statements.lexicon import words

_BULLET = re.compile(r"(?:[-*+–—‐−>·∙]|#{1,6})(?:\s+|$)|[•◦‣▪▫●○■□⁃◆◇❖➢➤▸▹►]\s*")
_BOX = re.compile(r"\[[ xX✓✔]?\](?:\s+|$)|[☐☑☒]\s*")
_NUMBER = re.compile(r"\(?(\d{1,3})(?:([.)．）])(?:\s+|$)|([、）])\s*)|\[(\d{1,3})(\])(?:\s+|$)")
_LETTER = re.compile(r"\(?([A-Za-z])([.)])(?:\s+|$)")
_ROMAN = re.compile(r"\(?([ivx]{1,5}|[IVX]{1,5})([.)])(?:\s+|$)")
_ROMANS = {
    numeral: value
    for value, numeral in enumerate(
        words("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"), start=1
    )
}
# `24. December` is a day, whatever stands above it; the languages are those that write it so.
_MONTHS = frozenset(
    words(
        """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    januar februar märz mai juni juli oktober dezember jänner
    januari februari maart mei augustus
    mars maj augusti
    janvier février avril juin juillet août septembre octobre novembre décembre
    tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta
    lokakuuta marraskuuta joulukuuta
    ledna února března dubna května června července srpna září října listopadu prosince
    """
    )
)
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
_BRACKETS = ")）"
_DEPTH = 4

Kind = Literal["number", "letter", "roman"]


@dataclass(frozen=True, slots=True)
class _Marker:
    """A number or letter that may be a marker: where it stands and what it counts."""

    line: int
    end: int
    kind: Kind
    style: str
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forms:
    """What besides numbers and `a)` counts the lines of this text."""

    roman: bool
    dotted: bool


@dataclass(frozen=True, slots=True)
class _Scan:
    """Where bullets and boxes end when no number is a marker, and the numbers that may be."""

    plain_end: int
    markers: tuple[_Marker, ...]
    ends: tuple[int, ...]


def unmarked(lines: Sequence[str]) -> list[str]:
    """Every line without its list markers and enclosing quotes, in the order given."""
    forms = _forms(lines)
    scans = [_scan(number, line, forms) for number, line in enumerate(lines)]
    real = _sequential([marker for scan in scans for marker in scan.markers])
    real |= _among_bullets(lines, scans, real)
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


def _forms(lines: Sequence[str]) -> _Forms:
    """Which letters may be markers: one alone (`I. Newton`, `a. m.`) is a word of its line."""
    heads = {line.strip().split(" ", 1)[0].lower().strip("(") for line in lines}
    return _Forms(
        roman=bool(heads & {"ii.", "ii)"} and heads & {"i.", "i)"}), dotted={"a.", "b."} <= heads
    )


def _scan(number: int, line: str, forms: _Forms) -> _Scan:
    """Steps over every possible marker; a number is noted, bullets and boxes are certain."""
    place = plain_end = len(line) - len(line.lstrip())
    markers: list[_Marker] = []
    ends: list[int] = []
    for _ in range(_DEPTH):
        if found := _BULLET.match(line, place) or _BOX.match(line, place):
            place = found.end()
        elif len(markers) < 2 and (marker := _marker(number, line, place, forms)):
            markers.append(marker)
            ends.append(place)
            place = marker.end
        else:
            break
        if not markers:
            plain_end = place
    return _Scan(plain_end=plain_end, markers=tuple(markers), ends=(*ends, place))


def _marker(number: int, line: str, place: int, forms: _Forms) -> _Marker | None:
    if found := _NUMBER.match(line, place):
        if line[found.end() :].split(" ", 1)[0].rstrip(".,:;").lower() in _MONTHS:
            return None
        style = found[2] or found[3] or found[5]
        return _Marker(number, found.end(), "number", style, int(found[1] or found[4]))
    if forms.roman and (found := _ROMAN.match(line, place)):
        value = _ROMANS.get(found[1].lower(), 0)
        return _Marker(number, found.end(), "roman", found[2], value) if value else None
    found = _LETTER.match(line, place)
    if found and (found[2] == ")" or forms.dotted):
        style = f"{'upper' if found[1].isupper() else 'lower'}{found[2]}"
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


def _among_bullets(
    lines: Sequence[str], scans: Sequence[_Scan], real: set[_Marker]
) -> set[_Marker]:
    """Those of lists where bullets and numbers stand in turn; a line without either ends a list."""
    found: set[_Marker] = set()
    for block in _blocks(lines, scans):
        first = [marker for number in block for marker in scans[number].markers[:1]]
        reached = {marker.value for marker in first if marker in real}
        places: Counter[int] = Counter()
        for number in block:
            indent = len(lines[number]) - len(lines[number].lstrip())
            places[indent] += 1
            if scans[number].plain_end > indent:
                continue
            marker = scans[number].markers[0]
            counts = marker.value == places[indent] or marker.value - 1 in reached
            if counts or (marker.kind == "number" and marker.style in _BRACKETS):
                found.add(marker)
                reached.add(marker.value)
    return found


def _blocks(lines: Sequence[str], scans: Sequence[_Scan]) -> Iterator[list[int]]:
    """The lines of each list that has bullets and numbers. A heading ends one, an empty line doesn't."""
    block: list[int] = []
    bulleted = numbered = False
    for number, (line, scan) in enumerate(zip(lines, scans, strict=True)):
        bullet = scan.plain_end > len(line) - len(line.lstrip())
        if (bullet or scan.markers) and not line.lstrip().startswith("#"):
            block.append(number)
            bulleted, numbered = bulleted or bullet, numbered or not bullet
        elif line.strip():
            if bulleted and numbered:
                yield block
            block, bulleted, numbered = [], False, False
    if bulleted and numbered:
        yield block


def _bare(line: str, scan: _Scan, real: set[_Marker]) -> str:
    end = scan.plain_end
    for marker, after in zip(scan.markers, scan.ends[1:], strict=True):
        if marker not in real:
            break
        end = after
    return unquoted(line[end:].strip())
