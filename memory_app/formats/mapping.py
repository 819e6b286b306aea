"""Which column of a table, or key of a JSON object, becomes which part of a memory."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.formats.items import Item

# What a column can become: `props` keeps it beside the memory, `` leaves it out.
TARGETS = (
    "content",
    "title",
    "tags",
    "category",
    "collection",
    "source",
    "project",
    "session",
    "confidence",
    "observed_at",
    "pinned",
    "props",
    "",
)
# Names a column is commonly given, the likeliest first.
NAMES: dict[str, tuple[str, ...]] = {
    "content": (
        *("content", "text", "memory", "value", "statement", "fact", "observation", "note"),
        *("body", "message", "description", "summary", "answer"),
    ),
    "title": ("title", "subject", "heading", "headline"),
    "tags": ("tags", "tag", "labels", "label", "keywords", "topics"),
    "category": ("category", "kind", "type", "section"),
    "collection": ("collection", "folder", "notebook", "group"),
    "source": ("source", "url", "link", "origin", "reference"),
    "project": ("project", "workspace"),
    "session": ("session", "session_id", "conversation", "run_id", "thread"),
    "confidence": ("confidence", "certainty"),
    "observed_at": (
        *("observed_at", "event_time", "happened_at", "date", "when", "created_at", "created"),
        *("timestamp", "time"),
    ),
    "pinned": ("pinned", "pin", "starred", "favorite", "favourite", "important"),
}
COLUMNS_LIMIT = 200
SAMPLES = 5
_SAMPLE_CHARACTERS = 120
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TRUE = frozenset({"true", "yes", "y", "1", "x", "on", "pinned", "✓", "★"})


def guess(columns: Sequence[str]) -> dict[str, str]:
    """A target for every column by its name; the rest is kept in `props`. Each target once."""
    folded = {column: _folded(column) for column in columns}
    mapping: dict[str, str] = {}
    for target, names in NAMES.items():
        free = [column for column in columns if column not in mapping]
        best = min(
            (column for column in free if folded[column] in names),
            key=lambda column: names.index(folded[column]),
            default=None,
        )
        if best is not None:
            mapping[best] = target
    if "content" not in mapping.values() and len(columns) == 1:
        mapping[columns[0]] = "content"
    return {column: mapping.get(column, "props") for column in columns}


def check(mapping: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """The mapping for these columns, unnamed ones kept in `props`. Raises `InvalidArgument`."""
    unknown = [column for column in mapping if column not in columns]
    wrong = [target for target in mapping.values() if target not in TARGETS]
    if unknown or wrong:
        name = (unknown or wrong)[0]
        raise InvalidArgument(
            f"The mapping names {name!r:.60}, which is no {'column' if unknown else 'field'} here.",
            hint=f"Columns: {', '.join(columns)[:200]}. Fields: {', '.join(filter(None, TARGETS))}.",
            field="mapping",
        )
    full = {column: mapping.get(column, "props") for column in columns}
    for target in ("content", *set(full.values()) - {"props", "", "tags", "content"}):
        chosen = [column for column in columns if full[column] == target]
        if target == "content" and not chosen:
            raise InvalidArgument(
                "No column holds the memories' text.",
                hint="Choose the column that becomes the content.",
                field="mapping",
            )
        if target != "content" and len(chosen) > 1:
            raise InvalidArgument(
                f"{' and '.join(chosen)[:120]} can't both become {target}.",
                hint="Choose one of them, and keep the other in props or leave it out.",
                field="mapping",
            )
    return full


def mapped(number: int, record: Mapping[str, Any], mapping: Mapping[str, str]) -> Item:
    """One record as an item; several content columns are joined, one line each."""
    fields: dict[str, Any] = {}
    contents: list[Any] = []
    props: dict[str, Any] = {}
    tags: list[Any] = []
    pinned = False
    for column, value in record.items():
        target = mapping.get(column, "props")
        if value in (None, "") or target == "":
            continue
        if target == "content":
            contents.append(value)
        elif target == "props":
            props[column] = value
        elif target == "tags":
            tags.extend(split_tags(value))
        elif target == "pinned":
            pinned = truth(value)
        elif target == "observed_at":
            fields["observed_at"] = readable_date(value)
        else:
            fields[target] = value if isinstance(value, str) else str(value)
    shown = "; ".join(f"{column}: {value}" for column, value in record.items() if value)
    if not contents:
        problem = "The content is empty." if record else "The row is empty."
        return Item(number=number, shown=shown, problem=problem)
    content = contents[0] if len(contents) == 1 else "\n".join(str(one) for one in contents)
    if tags:
        fields["tags"] = tags
    if props:
        fields["props"] = props
    return Item(number=number, fields={"content": content, **fields}, pinned=pinned, shown=shown)


def samples_of(
    records: Iterable[Mapping[str, Any]], columns: Sequence[str]
) -> list[dict[str, str]]:
    """The first few records as short texts, for the preview of a mapping."""
    found = []
    for record in records:
        found.append({column: _short(record.get(column)) for column in columns})
        if len(found) == SAMPLES:
            break
    return found


def truth(value: object) -> bool:
    """Whether a cell says yes."""
    return value is True or str(value).strip().casefold() in _TRUE


def split_tags(value: object) -> list[Any]:
    """A list as it is; a text at commas, semicolons and bars, with leading # taken off. Databases
    and tables write null where there is nothing.
    """
    if isinstance(value, (list, tuple)):
        return [one for one in value if one not in (None, "") and not _is_null(one)]
    text = str(value).replace(";", ",").replace("|", ",").strip("[] ")
    found = (part.strip(" \"'").lstrip("#") for part in text.split(","))
    return [tag for tag in found if tag and not _is_null(tag)]


def _is_null(tag: object) -> bool:
    return isinstance(tag, str) and tag.strip().lower() == "null"


def readable_date(value: object) -> object:
    """Unix seconds or milliseconds as ISO 8601, also written in digits; anything else as it came."""
    if isinstance(value, str) and value.isascii() and value.strip().isdigit():
        value = int(value) if 9 <= len(value.strip()) <= 13 else value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return value
    seconds = value / 1000 if abs(value) > 100_000_000_000 else value
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return str(value)


def storable(text: str) -> str:
    """The text without what no database or JSON column can hold."""
    return _UNSTORABLE.sub("", text)


def _folded(column: str) -> str:
    return "_".join(column.strip().casefold().replace("-", " ").replace("_", " ").split())


def _short(value: object) -> str:
    text = "" if value is None else storable(str(value)[: 2 * _SAMPLE_CHARACTERS])
    return text if len(text) <= _SAMPLE_CHARACTERS else text[:_SAMPLE_CHARACTERS] + "…"
