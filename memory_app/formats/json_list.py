"""A JSON list of strings, or of objects with a `content`, `text`, `memory` or `value` field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.notation import RepeatedName, parse_notation
from memory_app.formats.items import Item
from memory_app.formats.lines import split_lines, split_rows
from memory_app.formats.mapping import COLUMNS_LIMIT, mapped, readable_date, storable, truth

CONTENT_FIELDS = ("content", "text", "memory", "value")
LIST_FIELDS = ("memories", "items", "results", "data", "facts")
DATE_FIELDS = ("observed_at", "created_at", "date", "timestamp")
KEPT = ("title", "tags", "category", "collection", "source", "project", "session", "confidence")
# What this product's own records carry and a new memory gets for itself.
OWN = frozenset(
    {"id", "slug", "author", "updated_at", "pinned", "status", "superseded_by", "created_watermark"}
    | {"head_watermark", "hash", "score", "rank", "matched", "via", "cosine", "disputed_by"}
)
_INTENDED = re.compile(r"\[\s*[\"{]|\{\s*\"")
_MARKDOWN = re.compile(r"\s*(?:#{1,6}\s|[-*+•]\s|>\s|```|~~~|\||\d{1,3}[.)]\s)")


@dataclass(frozen=True, slots=True)
class Torn:
    """A line among JSON lines that is none."""

    text: str


def read_json(text: str) -> list[tuple[int, Any]] | None:
    """The values of a JSON document, each with its place, or None when the text isn't meant as JSON.

    Raises `InvalidArgument` with line and column when it is, but is broken; a text with a line of
    Markdown in it is never taken for broken JSON.
    """
    body = text.lstrip("\ufeff \t\r\n")
    if body[:1] not in ("[", "{"):
        return None
    try:
        value = parse_notation(body)
    except RecursionError:
        raise _refused("The JSON is nested too deeply to be a list of memories.") from None
    except ValueError as broken:
        if not _INTENDED.match(body) or any(map(_MARKDOWN.match, split_lines(body))):
            return None
        return _broken(text, body, broken)
    return list(enumerate(_listed(value), start=1))


def read_json_lines(text: str, *, loosely: bool = False) -> list[tuple[int, Any]] | None:
    """One JSON object a line with the line's number; None for anything else. Raises
    `InvalidArgument` for a line that holds a name twice.

    Each needs a content field, unless `loosely` says that somebody knows they are JSON lines. A torn
    one is there as `Torn` where the others leave no doubt what it was to be.
    """
    values: list[tuple[int, Any]] = []
    repeated: InvalidArgument | None = None
    for number, line in enumerate(split_rows(text), start=1):
        if not line.strip():
            continue
        try:
            value = parse_notation(line)
        except RepeatedName as found:
            repeated = repeated or _refused(f"Line {number} can't be read: {found}.", line=number)
            continue
        except (ValueError, RecursionError):
            if not loosely and not line.lstrip().startswith("{"):
                return None
            values.append((number, Torn(line)))
            continue
        if not loosely and (not isinstance(value, dict) or _content_field(value) is None):
            return None
        values.append((number, value))
    if repeated is not None:
        raise repeated
    whole = sum(not isinstance(value, Torn) for _, value in values)
    return values if whole and whole >= len(values) - whole else None


def refuse_torn(values: Iterable[tuple[int, Any]]) -> None:
    """For a file that is whole or nothing. Raises `InvalidArgument` with the first torn line."""
    for number, value in values:
        if isinstance(value, Torn):
            raise _refused(
                f"Line {number} is no whole JSON value: the file is cut off.", line=number
            )


def read_each_line(text: str) -> list[tuple[int, Any]]:
    """JSON lines where a broken one spoils no other: it stands there as its text."""
    values: list[tuple[int, Any]] = []
    for number, line in enumerate(split_rows(text), start=1):
        if not line.strip():
            continue
        try:
            values.append((number, parse_notation(line)))
        except (ValueError, RecursionError):
            values.append((number, line))
    return values


def items_of(
    values: Iterable[tuple[int, Any]], mapping: Mapping[str, str] | None = None
) -> tuple[Item, ...]:
    """Items of parsed values, by the names of their fields or by a mapping of these."""
    return tuple(_item(number, value, mapping) for number, value in values)


def columns_of(values: Iterable[tuple[int, Any]]) -> tuple[str, ...]:
    """The keys of the objects among these values, in the order they turn up; 200 at most. One that
    can't be stored is left to its line, which is refused for it.
    """
    keys: dict[str, None] = {}
    for _, value in values:
        if isinstance(value, Mapping):
            keys |= dict.fromkeys(key for key in map(str, value) if key == storable(key))
    return tuple(keys)[:COLUMNS_LIMIT]


def default_mapping(columns: Iterable[str]) -> dict[str, str]:
    """What `items_of` does without a mapping, said as one, for the first that fit."""
    names = list(columns)
    content = next((name for name in CONTENT_FIELDS if name in names), "")
    dated = next((name for name in DATE_FIELDS if name in names), "")
    found = {name: "" if name in OWN else "props" for name in names}
    found |= {name: name for name in KEPT if name in names}
    found |= {dated: "observed_at"} if dated else {}
    found |= {"pinned": "pinned"} if "pinned" in names else {}
    return found | ({content: "content"} if content else {})


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if _content_field(value) is not None:
        return [value]
    for name in LIST_FIELDS:
        if isinstance(value.get(name), list):
            return list(value[name])
    raise _refused("The JSON is one object that holds no list of memories and no content.")


def _item(number: int, value: object, mapping: Mapping[str, str] | None = None) -> Item:
    if isinstance(value, str):
        return Item(number=number, fields={"content": value})
    if isinstance(value, Torn):
        problem = f"Line {number} is no whole JSON value."
        return Item(number=number, shown=value.text.strip(), problem=problem)
    if not isinstance(value, Mapping):
        shown = json.dumps(value, ensure_ascii=False)
        return Item(
            number=number, shown=shown, problem=f"Item {number} is neither text nor an object."
        )
    if mapping is not None:
        return mapped(number, value, mapping)
    name = _content_field(value)
    if name is None:
        wanted = ", ".join(CONTENT_FIELDS)
        shown = json.dumps(value, ensure_ascii=False, default=str)
        return Item(number=number, shown=shown, problem=f"Item {number} has none of {wanted}.")
    fields: dict[str, Any] = {"content": value[name]}
    fields |= {key: value[key] for key in KEPT if value.get(key) is not None}
    dated = next((key for key in DATE_FIELDS if value.get(key) not in (None, "")), None)
    if dated:
        fields["observed_at"] = readable_date(value[dated])
    used = {name, *KEPT, *OWN, *DATE_FIELDS[: DATE_FIELDS.index(dated) + 1 if dated else 0]}
    rest = {key: left for key, left in value.items() if key not in used and left is not None}
    given = rest.pop("props", {})
    if isinstance(given, Mapping):
        rest |= given
        if rest:
            fields["props"] = rest
    else:
        fields["props"] = given
    return Item(number=number, fields=fields, pinned=truth(value.get("pinned", False)))


def _content_field(value: Mapping[str, Any]) -> str | None:
    return next((name for name in CONTENT_FIELDS if value.get(name) is not None), None)


def _broken(text: str, body: str, broken: ValueError) -> list[tuple[int, Any]] | None:
    """A whole first value with words after it is a line of text; anything else is refused."""
    if not isinstance(broken, json.JSONDecodeError):
        raise _refused(f"The JSON can't be read: {broken}.")
    if broken.msg == "Extra data" and body[broken.pos] not in ",;]})":
        return None
    before = text[: len(text) - len(body) + broken.pos]
    line = len(split_lines(before))
    column = len(split_lines(before)[-1]) + 1
    raise _refused(f"The JSON breaks off at line {line}, column {column}: {broken.msg}.", line=line)


def _refused(message: str, **details: int) -> InvalidArgument:
    return InvalidArgument(
        message,
        hint="Send a JSON list of strings or objects, or plain text with one memory a line.",
        field="text",
        details=details,
    )
