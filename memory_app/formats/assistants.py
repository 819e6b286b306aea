"""What chat assistants remember of a person, as they show or export it.

ChatGPT lists one memory a line, with a date before it or after it. Claude writes paragraphs below
bold headings, or dated lines; its data export wraps that text in `memories.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from memory_app.formats.items import Item
from memory_app.formats.lines import read_lines, split_lines

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATE = rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}} {_MONTH} \d{{4}}|{_MONTH} \d{{1,2}}, \d{{4}})"
_BEFORE = re.compile(
    rf"\[?({_DATE}|unknown(?: date)?|no date)\]?\.?\s*(?:[-–—:|]+\s*|\s)(\S.*)", re.I
)
_AFTER = re.compile(rf"(.*\S)\s*[\[(](?:saved |added )?({_DATE})[\])]\.?$", re.I)
_HEADING = re.compile(r"\s*(?:\*\*([^*]{2,80})\*\*:?|#{1,6}\s+(.{2,80}))\s*$")
_SECTIONS = frozenset(
    {
        *("work context", "personal context", "top of mind", "brief history", "recent months"),
        *("earlier context", "long-term background", "other instructions", "instructions"),
        *("identity", "career", "projects", "preferences", "purpose & context", "current state"),
        *(
            "on the horizon",
            "key learnings & principles",
            "approach & patterns",
            "tools & resources",
        ),
    }
)
_SAMPLE = 40_000


def looks_like_chatgpt(text: str) -> bool:
    """At least three lines, and most of them dated."""
    lines = [item.text for item in read_lines(text[:_SAMPLE]) if not item.skipped]
    dated = sum(bool(_BEFORE.match(line) or _AFTER.match(line)) for line in lines)
    return len(lines) >= 3 and dated > 0.6 * len(lines)


def looks_like_claude(text: str) -> bool:
    """Two or more of the headings that Claude's memory is arranged by."""
    found = {
        (heading[1] or heading[2]).strip().casefold()
        for line in split_lines(text[:_SAMPLE])
        if (heading := _HEADING.match(line))
    }
    return len(found & _SECTIONS) >= 2


def is_claude_export(value: object) -> bool:
    """The data export's `memories.json`."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, Mapping) and "conversations_memory" in first


def is_conversations(value: object) -> bool:
    """Whole conversations of ChatGPT or Claude: talk, not memories."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, Mapping) and (
        ("mapping" in first and "create_time" in first) or "chat_messages" in first
    )


def read_chatgpt(text: str) -> tuple[Item, ...]:
    """One memory a line; a date before or after it becomes its event time."""
    return tuple(_dated(item) for item in read_lines(text))


def read_claude(text: str) -> tuple[Item, ...]:
    """One memory a paragraph or list entry; the heading above is its category."""
    lines = split_lines(text)
    found: list[Item] = []
    heading, run, start = "", list[str](), 0

    def close() -> None:
        if run:
            inner = "\n".join(run)
            fields: dict[str, Any] = {
                "content": read_lines(inner)[0].text if len(run) == 1 else inner
            }
            if heading:
                fields["category"] = heading
            found.append(_dated(Item(number=start, fields=fields)))
            run.clear()

    for number, line in enumerate(lines, start=1):
        title = _HEADING.match(line)
        listed = re.match(r"\s*(?:[-*•]|\d{1,3}[.)])\s", line)
        if title or listed or not line.strip():
            close()
        if title:
            heading = (title[1] or title[2]).strip()
            found.append(
                Item(number=number, skipped="a heading: the category below", shown=heading)
            )
        elif line.strip() and (not re.fullmatch(r"\s*[-*_=]{3,}\s*", line)):
            start = start if run else number
            run.append(line.strip())
    close()
    return _without_empty_sections(found)


def read_claude_export(value: object) -> tuple[Item, ...]:
    """The texts of `memories.json`, those of projects with the project's id."""
    found: list[Item] = []
    for account in value if isinstance(value, list) else [value]:
        if not isinstance(account, Mapping):
            continue
        texts: list[tuple[str, Any]] = [("", account.get("conversations_memory"))]
        projects = account.get("project_memories")
        texts += list(projects.items()) if isinstance(projects, Mapping) else []
        for project, text in texts:
            for item in read_claude(text) if isinstance(text, str) else ():
                fields = dict(item.fields) | ({"project": project} if project else {})
                found.append(_renumbered(item, len(found) + 1, fields))
    return tuple(found)


def _dated(item: Item) -> Item:
    content = item.fields.get("content")
    if not isinstance(content, str) or "\n" in content:
        return item
    if before := _BEFORE.match(content):
        date, text = before[1], before[2]
    elif after := _AFTER.match(content):
        text, date = after[1], after[2]
    else:
        return item
    fields = dict(item.fields) | {"content": text}
    if date[0].isdigit() or date[:3].casefold() not in ("unk", "no "):
        fields["observed_at"] = date
    return Item(number=item.number, fields=fields)


def _renumbered(item: Item, number: int, fields: Mapping[str, Any]) -> Item:
    if item.skipped:
        return Item(number=number, skipped=item.skipped, shown=item.shown)
    return Item(number=number, fields=fields)


def _without_empty_sections(items: Iterable[Item]) -> tuple[Item, ...]:
    """A heading with nothing below is a memory: nothing that was written is lost."""
    listed = list(items)
    for place, item in enumerate(listed):
        following = listed[place + 1] if place + 1 < len(listed) else None
        if item.skipped and (following is None or following.skipped):
            listed[place] = Item(number=item.number, fields={"content": item.shown})
    return tuple(listed)
