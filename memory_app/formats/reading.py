from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_app.domain.errors import ContentTooLong, InvalidArgument
from memory_app.formats.items import Item, Reading
from memory_app.formats.json_list import read_json, read_json_lines, read_values
from memory_app.formats.lines import read_lines

TEXT_LIMIT = 8_000_000


def read_import(text: object) -> Reading:
    """The items of pasted text: a JSON list, JSON lines or plain lines, whichever it is.

    Raises `InvalidArgument` for what isn't text and for broken JSON, `ContentTooLong` above 8
    million characters. Nothing else is refused here: every item is judged by itself later.
    """
    if not isinstance(text, str):
        raise InvalidArgument(
            "text must be a string.", hint="Send the pasted text as one JSON string.", field="text"
        )
    if len(text) > TEXT_LIMIT:
        raise ContentTooLong(
            f"text has {len(text):,} characters; the limit is {TEXT_LIMIT:,}.",
            hint="Split the import; at most 500 memories go into one.",
            field="text",
            details={"limit": TEXT_LIMIT, "length": len(text)},
        )
    if (items := read_json(text)) is not None:
        return Reading(format="json", items=items)
    if (items := read_json_lines(text)) is not None:
        return Reading(format="json_lines", items=items)
    return Reading(format="lines", items=read_lines(text))


def read_items(values: object) -> Reading:
    """The items of a list that came in parsed, as a REST body carries it."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise InvalidArgument(
            "items must be a list.",
            hint='Send items as ["first", {"content": "second"}].',
            field="items",
        )
    listed: list[Any] = list(values)
    return Reading(format="json", items=read_values(listed))


def parse_import(text: str) -> list[Item]:
    """The items alone, for a preview."""
    return list(read_import(text).items)
