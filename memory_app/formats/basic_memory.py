"""basic-memory's Markdown: `- [category] text #tag (context)` and `- relation [[Target]] (context)`.

The note's title is an entity; its observations are memories about it, its relations edges. Prose
is read as in any Markdown file, and links in it are edges too. Nothing is made of what stands in
code or in an address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from memory_app.formats.front_matter import split_front, text_of
from memory_app.formats.items import Item
from memory_app.formats.lines import split_lines
from memory_app.formats.markdown import common_fields, read_markdown
from memory_app.formats.note_lines import (
    LINKS_TO,
    Observation,
    Relation,
    links_in,
    observation,
    relation,
    without_links,
)

_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_BRACKETS = re.compile(r"\s*[-*]\s+\[(?![ xX]?\])[^\]\[()#]{1,60}\](?!\()\s+\S")


def looks_like_basic_memory(text: str) -> bool:
    """A permalink in the head, or observations and relations as only these notes have them."""
    lines = split_lines(text[:200_000])
    front, start = split_front(lines)
    if "permalink" in front:
        return True
    body = lines[start:]
    observed = any(_BRACKETS.match(line) and observation(line) for line in body)
    return observed and any("[[" in line and links_in(line) for line in body)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    title: str
    kind: str
    common: Mapping[str, Any]

    @property
    def entity(self) -> Mapping[str, Any]:
        return {"name": self.title, "type": self.kind} if self.kind else {"name": self.title}


def read_basic_memory(text: str, name: str = "") -> tuple[Item, ...]:
    """Every observation, relation and paragraph of one note."""
    lines = split_lines(text)
    front, _ = split_front(lines)
    note = _Note(
        title=text_of(front, "title") or PurePosixPath(name).stem or _first_heading(lines),
        kind=text_of(front, "type"),
        common=common_fields(front),
    )
    items = read_markdown(text)
    # The file's own word that its brackets mean nothing.
    if text_of(front, "bm_parse_semantics").casefold() == "false":
        return items
    fenced = _fenced(lines)
    return tuple(
        item if item.skipped or item.number - 1 in fenced else _read(item, lines, note)
        for item in items
    )


def _read(item: Item, lines: list[str], note: _Note) -> Item:
    line = lines[item.number - 1]
    # Lines below the entry that go on with it say no label, and no word of them is lost.
    more = str(item.fields.get("content", "")).partition("\n")[2]
    if note.title and (edge := relation(line)):
        return _with_more(_relation(item, edge, note), more, note)
    if found := observation(line):
        return _with_more(_linked(_observation(item, found, note), note), more, note)
    return _linked(item, note)


def _with_more(item: Item, more: str, note: _Note) -> Item:
    if not more:
        return item
    below = _linked(replace(item, fields={"content": more}, entities=(), relations=()), note)
    content = f"{item.fields['content']}\n{below.fields['content']}"
    return replace(
        item,
        fields={**item.fields, "content": content},
        entities=(*item.entities, *(one for one in below.entities if one not in item.entities)),
        relations=(*item.relations, *(one for one in below.relations if one not in item.relations)),
    )


def _observation(item: Item, found: Observation, note: _Note) -> Item:
    fields: dict[str, Any] = {**item.fields, **note.common, "content": found.text}
    if found.category:
        fields["category"] = found.category
    if note.title:
        fields["title"] = note.title
    tags = [*note.common.get("tags", ()), *found.tags]
    if tags:
        fields["tags"] = list(dict.fromkeys(tags))
    if found.when:
        fields["observed_at"] = found.when
    props = {"context": found.context, "valid_until": found.until}
    if said := {key: value for key, value in props.items() if value}:
        fields["props"] = said
    return replace(item, fields=fields, entities=(note.entity,) if note.title else ())


def _relation(item: Item, found: Relation, note: _Note) -> Item:
    spoken = found.type.replace("_", " ")
    fields: dict[str, Any] = {
        **note.common,
        "content": f"{note.title} {spoken} {found.target}",
    }
    edge = {"source": note.title, "type": found.type, "target": found.target}
    if found.context:
        fields["props"] = {"context": found.context}
        edge["description"] = found.context
    entities = (note.entity, {"name": found.target})
    return replace(item, fields=fields, entities=entities, relations=(edge,))


def _linked(item: Item, note: _Note) -> Item:
    """A sentence with links says them as edges and keeps its words."""
    content = item.fields.get("content")
    targets = links_in(content) if isinstance(content, str) and note.title else []
    if not targets:
        return item
    edges = tuple(
        {"source": note.title, "type": LINKS_TO, "target": target}
        for target in targets
        if target != note.title
    )
    named = tuple({"name": target} for target in targets if target != note.title)
    return replace(
        item,
        fields={**item.fields, "content": without_links(str(content))},
        entities=(note.entity, *named),
        relations=edges,
    )


def _first_heading(lines: list[str]) -> str:
    return next((line[2:].strip() for line in lines if line.startswith("# ")), "")


def _fenced(lines: list[str]) -> set[int]:
    inside, found = "", set()
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if inside:
            found.add(number)
            inside = "" if fence and fence[1] == inside else inside
        elif fence:
            found.add(number)
            inside = fence[1]
    return found
