"""The head of a Markdown file between `---` lines: `key: value`, lists in brackets or below.

A small part of YAML on purpose: every value stays the text that it is, so a date keeps its form and
nothing hostile expands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Front = dict[str, str | list[str]]
_KEY = re.compile(r"([\w .-]{1,60}):(?:\s+(.*))?$")
_LIMIT = 200


def split_front(lines: Sequence[str]) -> tuple[Front, int]:
    """The values and the place of the first line below; nothing and 0 where there is no head."""
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    end = next(
        (n for n in range(1, min(len(lines), _LIMIT)) if lines[n].rstrip() in ("---", "...")), 0
    )
    if not end:
        return {}, 0
    front: Front = {}
    key = ""
    for line in lines[1:end]:
        if found := _KEY.match(line):
            key = found[1].strip().casefold()
            front[key] = _value(found[2] or "")
        elif key and (entry := line.strip()).startswith("- "):
            listed = front[key]
            front[key] = [*(listed if isinstance(listed, list) else []), _plain(entry[2:])]
        elif line.strip() and not line.lstrip().startswith("#"):
            return {}, 0
    return (front, end + 1) if front else ({}, 0)


def text_of(front: Front, *keys: str) -> str:
    """The first of these that is there, as one text."""
    for key in keys:
        value = front.get(key)
        if isinstance(value, list) and value:
            return ", ".join(value)
        if isinstance(value, str) and value:
            return value
    return ""


def list_of(front: Front, *keys: str) -> list[str]:
    """The first of these that is there, as a list; a text is split at commas."""
    for key in keys:
        value = front.get(key)
        if isinstance(value, list):
            return [one for one in value if one]
        if value:
            return [part.strip().lstrip("#") for part in value.split(",") if part.strip()]
    return []


def _value(text: str) -> str | list[str]:
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        return [plain for part in bare[1:-1].split(",") if (plain := _plain(part))]
    return _plain(bare)


def _plain(text: str) -> str:
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        inner = bare[1:-1]
        return re.sub(r"\\(.)", r"\1", inner) if bare[0] == '"' else inner
    return "" if bare.lower() == "null" else bare
