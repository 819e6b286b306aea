"""Tables of separated values: the separator is found, quotes are strict, a stray one loses nothing.

A quote that is opened and not closed, or closed in the middle of a value, refuses the whole table
with its line: everything after it would be one value.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.formats.commonplace import COLUMNS, item_of_row
from memory_app.formats.items import Item, Reading
from memory_app.formats.mapping import (
    COLUMNS_LIMIT,
    NAMES,
    check,
    guess,
    mapped,
    samples_of,
    storable,
)

SEPARATORS = (",", ";", "\t", "|")
_KNOWN = frozenset(name for names in NAMES.values() for name in names)
_CONTENT = frozenset(NAMES["content"])
# One value may be longer than any memory: it is refused by itself, not with the table.
csv.field_size_limit(2_000_000)


def read_csv(text: str, mapping: Mapping[str, str] | None = None) -> Reading:
    """Every row below the header as an item; the number is the line it starts on.

    The first row is the header if a common column name is in it, or if the mapping names its cells.
    Raises `InvalidArgument` for quotes that don't pair up and for a mapping that doesn't fit.
    """
    rows = list(_rows(text.lstrip("\ufeff"), _separator(text)))
    if not rows:
        return Reading(format="csv", items=())
    columns, below = _header(rows, mapping or {})
    if columns == COLUMNS:
        own = (_own(number, cells) for number, cells in below)
        return Reading(format="commonplace", items=tuple(own))
    chosen = check(mapping, columns) if mapping else _completed(guess(columns), columns, below)
    items = [_item(number, cells, columns, chosen) for number, cells in below]
    records = (dict(zip(columns, cells, strict=False)) for _, cells in below)
    return Reading(
        format="csv",
        items=tuple(items),
        columns=columns,
        mapping=chosen,
        samples=tuple(samples_of(records, columns)),
    )


def looks_like_table(text: str) -> bool:
    """Whether the first line names known columns and the lines below have as many cells. Where it
    names nothing else, it is one whatever is wrong below: that is for the row or the table to say.
    """
    head = text.lstrip("\ufeff")[:20_000]
    separator = _separator(head)
    first, _, below = head.replace("\r", "\n").partition("\n")
    heads = [cell.strip(' "').casefold() for cell in first.split(separator)]
    if below.strip() and 1 < len(set(heads)) == len(heads) and _KNOWN.issuperset(heads):
        return not _CONTENT.isdisjoint(heads)
    try:
        rows = [cells for _, cells in _rows(head.rpartition("\n")[0] or head, separator)][:20]
    except InvalidArgument:
        return False
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    names = {cell.strip().casefold() for cell in rows[0]}
    has_content = not _CONTENT.isdisjoint(names)
    return has_content and len(names & _KNOWN) > 1 and all(len(row) == len(rows[0]) for row in rows)


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(_lines(text), delimiter=separator, strict=True, skipinitialspace=True)
    start = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as broken:
        raise InvalidArgument(
            f"The table breaks off in the row that starts on line {start}: {broken}.",
            hint='Write a quote inside a quoted value twice (""), and close every quote.',
            field="text",
            details={"line": start},
        ) from None


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; CR alone ends one too, unlike a vertical tab inside a value."""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        yield line + "\n"


def _separator(text: str) -> str:
    """The sign that splits the first line most often, quoted values aside."""
    first = next((line for line in text.lstrip("\ufeff").splitlines() if line.strip()), "")
    outside = "".join(first.split('"')[0::2])
    best = max(SEPARATORS, key=outside.count)
    return best if outside.count(best) else ","


def _header(
    rows: Sequence[tuple[int, list[str]]], mapping: Mapping[str, str]
) -> tuple[tuple[str, ...], Sequence[tuple[int, list[str]]]]:
    first = [storable(cell).strip() for cell in rows[0][1]]
    width = max(len(cells) for _, cells in rows)
    if width > COLUMNS_LIMIT:
        raise InvalidArgument(
            f"The table has {width:,} columns; at most {COLUMNS_LIMIT} are read.",
            hint="Leave out the columns that hold no memories.",
            field="text",
        )
    named = any(_folded(cell) in _KNOWN or cell in mapping for cell in first)
    unique = len(set(first)) == len(first) and all(first)
    if not named or not unique:
        return tuple(f"Column {place}" for place in range(1, width + 1)), (
            rows if not named else rows[1:]
        )
    return tuple(first), rows[1:]


def _completed(
    mapping: dict[str, str], columns: Sequence[str], rows: Sequence[tuple[int, list[str]]]
) -> dict[str, str]:
    """Where no name says so, the column with the longest values is the content."""
    if "content" in mapping.values():
        return mapping
    sample = [cells for _, cells in rows[:50]]
    lengths = {
        column: sum(len(cells[place]) for cells in sample if place < len(cells))
        for place, column in enumerate(columns)
    }
    longest = max(columns, key=lambda column: lengths[column])
    return mapping | {longest: "content"}


def _own(number: int, cells: list[str]) -> Item:
    if len(cells) != len(COLUMNS):
        return Item(
            number=number,
            shown="; ".join(cells),
            problem=f"The row has {len(cells)} values; there are {len(COLUMNS)} columns.",
        )
    return item_of_row(number, dict(zip(COLUMNS, cells, strict=True)))


def _item(
    number: int, cells: list[str], columns: Sequence[str], mapping: Mapping[str, str]
) -> Item:
    if len(cells) > len(columns):
        return Item(
            number=number,
            shown="; ".join(cells),
            problem=f"The row has {len(cells)} values; there are {len(columns)} columns.",
        )
    record: dict[str, Any] = dict(zip(columns, cells, strict=False))
    return mapped(number, record, mapping)


def _folded(cell: str) -> str:
    return "_".join(cell.strip().casefold().replace("_", " ").replace("-", " ").split())
