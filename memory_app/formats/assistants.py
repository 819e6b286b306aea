"""What chat assistants remember of a person, as they show or export it.

ChatGPT lists one memory a line, with a date before it or after it. Claude writes paragraphs below
bold headings, or dated lines; its data export wraps that text in `memories.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from memory_app.formats.items import Item
from memory_app.formats.lines import read_lines, split_lines
from memory_app.formats.markdown import read_markdown

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
_FENCE = re.compile(r"\s*(?:```|~~~)[\w-]*\s*$")
_SET_CONTEXT = re.compile(r"\s*#*\s*Model Set Context:?\s*$", re.I)


def looks_like_chatgpt(text: str) -> bool:
    """At least three lines, and most of them dated."""
    plain = "\n".join(line for line in split_lines(text[:_SAMPLE]) if not _FENCE.match(line))
    lines = [item.text for item in read_lines(plain) if not item.skipped]
    dated = sum(bool(_BEFORE.match(line) or _AFTER.match(line)) for line in lines)
    return len(lines) >= 3 and dated > 0.6 * len(lines)


def is_model_set_context(text: str) -> bool:
    """The list that ChatGPT repeats when asked for its memories word for word."""
    return any(map(_SET_CONTEXT.match, split_lines(text[:_SAMPLE])))


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
    lines = split_lines(text)
    # A whole answer stands in one code block; its fences and its heading are no memories.
    bare = "\n".join("" if _FENCE.match(line) else line for line in lines)
    found = []
    for item in read_lines(bare):
        if _SET_CONTEXT.match(lines[item.number - 1]):
            found.append(Item(number=item.number, skipped="a heading", shown=item.text))
        else:
            found.append(_dated(item))
    return tuple(found)


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
        files = account.get("memory_files")
        for file in files if isinstance(files, list) else []:
            for item in _of_memory_file(file):
                found.append(_renumbered(item, len(found) + 1, item.fields))
    return tuple(found)


def _of_memory_file(file: object) -> Iterator[Item]:
    """A note that Claude keeps by itself, with the day of its last change."""
    if not isinstance(file, Mapping) or not isinstance(file.get("content"), str):
        return
    common: dict[str, Any] = {}
    if isinstance(file.get("path"), str) and (title := PurePosixPath(file["path"]).stem):
        common["title"] = title[:300]
    if file.get("updated_at"):
        common["observed_at"] = file["updated_at"]
    for item in read_markdown(file["content"]):
        yield item if item.skipped else replace(item, fields={**common, **item.fields})


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
