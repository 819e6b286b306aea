"""Pasted text, one memory a line.

Rules beyond bullets: a fenced code block is one memory, as it stands, without its fences; a table
row is one memory, `Column: value; Column: value`; front matter is skipped and reported; rules and
empty lines are nothing. A fence that never closes is a line like any other: it swallows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_app.formats.items import Item
from memory_app.formats.markers import unmarked

_BREAK = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_ROW_BREAK = re.compile("\r\n|[\n\r]")
_EDGES = "\ufeff\u200b"
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})[^`]*$")
_RULE = re.compile(r"\s*([-*_=])(?:\s*\1){2,}\s*$")
_DELIMITER = re.compile(r":?-{2,}:?$")
_CELLS = re.compile(r"(?<!\\)\|")
_FRONT = re.compile(r"[\w .-]+:(?:\s|$)|\s*-\s|\s+\S|\s*#")
_FRONT_LIMIT = 60


def split_lines(text: str) -> list[str]:
    """Ended by CRLF, LF, CR, vertical tab, form feed, NEL, U+2028 or U+2029; no byte-order mark."""
    return [line.strip(_EDGES) for line in _BREAK.split(text)]


def split_rows(text: str) -> list[str]:
    """Lines of JSON: a string in it may hold U+2028, NEL and the like as they are."""
    return [line.strip(_EDGES) for line in _ROW_BREAK.split(text)]


def read_lines(text: str) -> tuple[Item, ...]:
    """Every item of pasted text with the number of its (first) line."""
    lines = split_lines(text)
    found: list[Item] = []
    plain: list[int] = []
    open_ended: dict[str, int] = {}
    place = _front_matter(lines)
    found.extend(
        Item(number=number + 1, skipped="front matter", shown=lines[number].strip())
        for number in range(1, place - 1)
    )
    while place < len(lines):
        if (end := _fence_end(lines, place, open_ended)) is not None:
            found.extend(_block(lines, place, end))
            place = end + 1
        elif (end := _table_end(lines, place)) is not None:
            found.extend(_rows(lines, place, end))
            place = end
        else:
            if not _RULE.match(lines[place]):
                plain.append(place)
            place += 1
    texts = unmarked([lines[number] for number in plain])
    found.extend(
        Item(number=number + 1, fields={"content": content})
        for number, content in zip(plain, texts, strict=True)
        if content
    )
    return tuple(sorted(found, key=lambda item: item.number))


def _front_matter(lines: Sequence[str]) -> int:
    """The first line after the front matter; 0 when there is none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for place in range(1, min(len(lines), _FRONT_LIMIT)):
        if lines[place].rstrip() in ("---", "..."):
            return place + 1 if place > 1 else 0
        if lines[place].strip() and not _FRONT.match(lines[place]):
            return 0
    return 0


def _fence_end(lines: Sequence[str], start: int, open_ended: dict[str, int]) -> int | None:
    """The closing line, or None. `open_ended` keeps the shortest fence of a sign that nothing below
    closes: a text of ten thousand opening fences is read through once, not ten thousand times.
    """
    opening = _FENCE.match(lines[start])
    if not opening:
        return None
    sign, length = opening[1][0], len(opening[1])
    if length >= open_ended.get(sign, length + 1):
        return None
    closing = re.compile(rf"\s{{0,3}}{sign}{{{length},}}\s*$")
    end = next((end for end in range(start + 1, len(lines)) if closing.match(lines[end])), None)
    if end is None:
        open_ended[sign] = length
    return end


def _block(lines: Sequence[str], start: int, end: int) -> Iterator[Item]:
    body = "\n".join(lines[start + 1 : end])
    if body.strip():
        yield Item(number=start + 1, fields={"content": body.strip("\n")})


def _table_end(lines: Sequence[str], start: int) -> int | None:
    """The line after a table that starts here: a header, a delimiter of as many columns, rows."""
    if start + 1 >= len(lines) or "|" not in lines[start] or "|" not in lines[start + 1]:
        return None
    delimiter = _cells(lines[start + 1])
    if not all(map(_DELIMITER.match, delimiter)) or len(_cells(lines[start])) != len(delimiter):
        return None
    end = start + 2
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        end += 1
    return end


def _rows(lines: Sequence[str], start: int, end: int) -> Iterator[Item]:
    header = _cells(lines[start])
    if end == start + 2:
        yield Item(
            number=start + 1, skipped="table header without rows", shown=lines[start].strip()
        )
    for number in range(start + 2, end):
        cells = _cells(lines[number])
        names = header + [""] * (len(cells) - len(header))
        parts = [
            f"{name}: {cell}" if name else cell
            for name, cell in zip(names, cells, strict=False)
            if cell
        ]
        if parts:
            yield Item(number=number + 1, fields={"content": "; ".join(parts)})


def _cells(line: str) -> list[str]:
    row = line.strip()
    row = row[1:] if row.startswith("|") else row
    row = row[:-1] if row.endswith("|") and not row.endswith(r"\|") else row
    return [cell.strip().replace(r"\|", "|") for cell in _CELLS.split(row)]
