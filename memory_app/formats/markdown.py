"""A Markdown file as memories: a list entry, a paragraph, a table row, a code block is one each.

Lines of one paragraph belong together, unlike in pasted text. A heading becomes the title of what
stands below it and is reported as skipped; one with nothing below is a memory. Front matter gives
tags, category and date to every memory of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memory_app.formats.front_matter import Front, list_of, split_front, text_of
from memory_app.formats.items import Item
from memory_app.formats.lines import read_lines, split_lines

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*$")
_MARKER = re.compile(r"\s*(?:[-*+•>|]|\d{1,3}[.)]\s|\[[ xX]\]|```|~~~|[☐☑]|[a-z]\)\s)")
_TITLE_LIMIT = 300


def read_markdown(text: str) -> tuple[Item, ...]:
    """Every item of the file with the number of its first line."""
    lines = split_lines(text)
    front, start = split_front(lines)
    if front:
        skipped = [
            Item(number=n + 1, skipped="front matter", shown=lines[n].strip())
            for n in range(1, start - 1)
            if lines[n].strip()
        ]
    else:
        skipped, start = [], 0
    body = [*[""] * start, *lines[start:]]
    items = _titled(body, _joined(body, read_lines("\n".join(body))))
    common = common_fields(front)
    return (*skipped, *(_with(item, common) for item in items))


def common_fields(front: Front) -> dict[str, Any]:
    """What a file's head says of all its memories."""
    fields: dict[str, Any] = {}
    if tags := list_of(front, "tags", "tag", "keywords"):
        fields["tags"] = tags
    if category := text_of(front, "category"):
        fields["category"] = category
    if collection := text_of(front, "collection", "folder"):
        fields["collection"] = collection
    if date := text_of(front, "observed_at", "date", "created", "created_at"):
        fields["observed_at"] = date
    if source := text_of(front, "source", "url"):
        fields["source"] = source
    return fields


def _with(item: Item, common: dict[str, Any]) -> Item:
    if item.skipped or item.problem or not common:
        return item
    return Item(number=item.number, fields={**common, **item.fields}, shown=item.shown)


def _joined(lines: Sequence[str], items: Iterable[Item]) -> Iterator[Item]:
    """Plain lines that follow each other without a gap are one paragraph."""
    run: list[Item] = []
    for item in items:
        if run and _goes_on(lines, run[-1], item):
            run.append(item)
            continue
        yield from _paragraph(run)
        run = [item]
    yield from _paragraph(run)


def _goes_on(lines: Sequence[str], before: Item, item: Item) -> bool:
    line, above = lines[item.number - 1], lines[before.number - 1]
    plain = not (_MARKER.match(line) or _HEADING.match(line) or "|" in line)
    open_above = not (_HEADING.match(above) or "|" in above or above.lstrip()[:3] in ("```", "~~~"))
    return (
        plain
        and open_above
        and not item.skipped
        and not before.skipped
        and item.number == before.number + 1
    )


def _paragraph(run: list[Item]) -> Iterator[Item]:
    if len(run) < 2:
        yield from run
        return
    content = "\n".join(str(item.fields["content"]) for item in run)
    yield Item(number=run[0].number, fields={"content": content})


def _titled(lines: Sequence[str], items: Iterable[Item]) -> list[Item]:
    found: list[Item] = []
    titles: dict[int, str] = {}
    waiting: Item | None = None
    for item in items:
        heading = _HEADING.match(lines[item.number - 1]) if not item.skipped else None
        if heading:
            level = len(heading[1])
            if waiting is not None and level <= max(titles, default=0):
                found.append(waiting)
            elif waiting is not None:
                found.append(_as_title(waiting))
            titles = {depth: title for depth, title in titles.items() if depth < level}
            titles[level] = str(item.fields["content"])
            waiting = item
            continue
        if waiting is not None and not item.skipped:
            found.append(_as_title(waiting))
            waiting = None
        title = " › ".join(titles[depth] for depth in sorted(titles))
        if title and not item.skipped and len(title) <= _TITLE_LIMIT:
            found.append(Item(number=item.number, fields={"title": title, **item.fields}))
        else:
            found.append(item)
    if waiting is not None:
        found.append(waiting)
    return found


def _as_title(item: Item) -> Item:
    return Item(number=item.number, skipped="a heading: the title of what follows", shown=item.text)
