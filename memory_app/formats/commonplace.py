"""This product's own exports, read as memories: a bank's file, and the Markdown of one memory.

A bank's file that goes into an empty bank is taken in as it is elsewhere
(`services/portability`); here its live memories join those of a bank that is in use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memory_app.domain.notation import parse_notation
from memory_app.domain.times import shifted
from memory_app.formats.export import FORMAT
from memory_app.formats.front_matter import list_of, split_front, text_of
from memory_app.formats.items import Item
from memory_app.formats.lines import split_rows
from memory_app.formats.mapping import truth

MARK = "commonplace"
# No head is longer: props have at most 16,000 bytes, which quoting may double.
HEAD_LIMIT = 60_000
NO_PROPS = "props isn't valid JSON."
# The columns of the CSV export, in this order; these alone mark a table as one.
COLUMNS = (
    *("id", "title", "content", "tags", "category", "collection", "source", "project", "session"),
    *("confidence", "observed_at", "pinned", "author", "created_at", "props"),
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_KEPT = ("title", "category", "collection", "source", "project", "session", "confidence")


def is_bank_row(value: object) -> bool:
    """The header of a bank's file."""
    return isinstance(value, Mapping) and value.get("format") == FORMAT


def read_bank(values: Iterable[tuple[int, Any]]) -> tuple[Item, ...]:
    """Every memory of a bank's file with its entities and relations; retired and binned ones and
    appendix files are reported as skipped.
    """
    rows: dict[str, list[tuple[int, Mapping[str, Any]]]] = defaultdict(list)
    for number, value in values:
        if isinstance(value, Mapping) and isinstance(value.get("row"), Mapping):
            rows[str(value.get("kind"))].append((number, value["row"]))
    graph = _Graph(rows)
    found = [_memory(number, row, graph) for number, row in rows["memory"]]
    found += [
        Item(number=number, shown=str(row.get("path", "")), skipped="an appendix file")
        for number, row in rows["file"]
        if row.get("until") is None
    ]
    return tuple(found)


class _Graph:
    """What each memory of the file names and backs."""

    def __init__(self, rows: Mapping[str, list[tuple[int, Mapping[str, Any]]]]) -> None:
        self.entities = {row.get("id"): row for _, row in rows.get("entity", ())}
        self.edges = {row.get("id"): row for _, row in rows.get("relationship", ())}
        self.named: dict[Any, list[Any]] = defaultdict(list)
        self.backed: dict[Any, list[Any]] = defaultdict(list)
        for _, row in rows.get("mention", ()):
            if row.get("until") is None:
                self.named[row.get("memory_id")].append(row.get("entity_id"))
        for _, row in rows.get("assertion", ()):
            if row.get("until") is None:
                self.backed[row.get("memory_id")].append(row.get("relationship_id"))

    def entities_of(self, memory: object) -> Iterator[Mapping[str, Any]]:
        for one in self.named[memory]:
            if row := self.entities.get(one):
                keys = ("name", "type", "description")
                yield {key: row[key] for key in keys if row.get(key)}

    def relations_of(self, memory: object) -> Iterator[Mapping[str, Any]]:
        for one in self.backed[memory]:
            row = self.edges.get(one)
            source = self.entities.get(row.get("source_id")) if row else None
            target = self.entities.get(row.get("target_id")) if row else None
            if row and source and target:
                edge = {"source": source.get("name"), "type": row.get("type")}
                edge |= {"target": target.get("name")}
                keys = ("description", "weight", "props")
                yield edge | {key: row[key] for key in keys if row.get(key) not in (None, "", {})}


def _memory(number: int, row: Mapping[str, Any], graph: _Graph) -> Item:
    content = row.get("content")
    shown = content if isinstance(content, str) else str(content)
    if row.get("deleted_at") or row.get("retired_at"):
        state = "in the bin" if row.get("deleted_at") else "retired"
        return Item(number=number, shown=shown, skipped=f"{state} in the bank it comes from")
    fields: dict[str, Any] = {"content": content}
    fields |= {key: row[key] for key in (*_KEPT, "tags", "props") if row.get(key)}
    if row.get("observed_at"):
        fields["observed_at"] = shifted(row["observed_at"], row.get("observed_offset"))
    elif row.get("observed_text"):
        fields["observed_at"] = row["observed_text"]
    return Item(
        number=number,
        fields=fields,
        entities=tuple(graph.entities_of(row.get("id"))),
        relations=tuple(graph.relations_of(row.get("id"))),
        pinned=bool(row.get("pinned_at")),
    )


def is_memory_file(text: str) -> bool:
    """One memory as the Markdown export writes it."""
    front, _ = split_front(split_rows(text[:HEAD_LIMIT]))
    return front.get(MARK) == "memory"


def read_memory_file(text: str) -> tuple[Item, ...]:
    """The whole body is the one memory."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    front, start = split_front(lines)
    fields: dict[str, Any] = {"content": "\n".join(lines[start:]).strip("\n")}
    fields |= {key: value for key in _KEPT if (value := text_of(front, key))}
    if tags := list_of(front, "tags"):
        fields["tags"] = tags
    if date := text_of(front, "observed_at"):
        fields["observed_at"] = date
    try:
        props = _props(text_of(front, "props"))
    except ValueError:
        return (Item(number=1, shown=fields["content"], problem=NO_PROPS),)
    fields |= {"props": props} if props else {}
    return (Item(number=1, fields=fields, pinned=truth(text_of(front, "pinned"))),)


def defused(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; `armed` takes the mark off again."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def item_of_row(number: int, record: Mapping[str, str]) -> Item:
    """A row of the CSV export; who wrote it and when it was stored are the new bank's to say."""
    cells = {name: _armed(cell) for name, cell in record.items()}
    fields: dict[str, Any] = {"content": cells["content"]}
    fields |= {key: cells[key] for key in (*_KEPT, "tags", "observed_at") if cells.get(key)}
    try:
        props = _props(cells.get("props", ""))
    except ValueError:
        return Item(number=number, shown=cells["content"], problem=NO_PROPS)
    fields |= {"props": props} if props else {}
    return Item(number=number, fields=fields, pinned=truth(cells.get("pinned", "")))


def _props(text: str) -> Any:
    """Raises `ValueError`."""
    try:
        return parse_notation(text) if text else {}
    except RecursionError as deep:
        raise ValueError("nested too deeply") from deep


def _armed(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell
