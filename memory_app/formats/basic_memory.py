"""basic-memory's Markdown: `- [category] text #tag (context)` and `- relation [[Target]] (context)`.

The note's title is an entity; its observations are memories about it, its relations edges. Prose
is read as in any Markdown file. Nothing is made of what stands in code or in an address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from memory_app.formats.front_matter import split_front, text_of
from memory_app.formats.items import Item
from memory_app.formats.lines import split_lines
from memory_app.formats.markdown import common_fields, read_markdown

_OBSERVATION = re.compile(r"\s*[-*]\s+\[(?![ xX]?\])([^\]\[()#]{1,60})\](?!\()\s+(\S.*)$")
_RELATION = re.compile(
    r"\s*[-*]\s+(?:([^\[\]`]{1,100}?)\s+)?\[\[([^\[\]|]{1,200})(?:\|[^\]]*)?\]\](.*)$"
)
_TAG = re.compile(r"(?<![\w&/#?=])#([^\W\d_][\w/-]{0,62})")
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"\S*(?:://|@)\S*")
_CONTEXT = re.compile(r"\s*\(([^()]*)\)\s*$")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


def looks_like_basic_memory(text: str) -> bool:
    """A permalink in the head, or observations and relations as only these notes have them."""
    lines = split_lines(text[:200_000])
    front, start = split_front(lines)
    if "permalink" in front:
        return True
    body = lines[start:]
    observed = sum(bool(_OBSERVATION.match(line)) for line in body)
    related = sum(bool(_RELATION.match(_CODE.sub("", line))) for line in body)
    return bool(observed) and bool(related)


def read_basic_memory(text: str, name: str = "") -> tuple[Item, ...]:
    """Every observation, relation and paragraph of one note."""
    lines = split_lines(text)
    front, _ = split_front(lines)
    title = text_of(front, "title") or PurePosixPath(name).stem or _first_heading(lines)
    kind = text_of(front, "type")
    common = common_fields(front)
    fenced = _fenced(lines)
    found = []
    for item in read_markdown(text):
        line = lines[item.number - 1]
        if item.skipped or item.number - 1 in fenced:
            found.append(item)
        elif observation := _OBSERVATION.match(line):
            found.append(_observation(item, observation, title, kind, common))
        elif title and (relation := _RELATION.match(_CODE.sub("", line))):
            found.append(_relation(item, relation, title, kind, common))
        else:
            found.append(item)
    return tuple(found)


def _observation(
    item: Item, found: re.Match[str], title: str, kind: str, common: Mapping[str, Any]
) -> Item:
    text = found[2].strip()
    context = _CONTEXT.search(text)
    body = text[: context.start()] if context else text
    tags = tags_in(body)
    # Tags at the end are labels; one inside the sentence is part of it.
    while (shorter := re.sub(r"\s+#[^\W\d_][\w/-]*$", "", body)) != body:
        body = shorter
    fields: dict[str, Any] = {**common, "content": body.strip() or text}
    fields["category"] = found[1].strip()
    if title:
        fields["title"] = title
    if tags or common.get("tags"):
        fields["tags"] = list(dict.fromkeys([*common.get("tags", ()), *tags]))
    if context:
        fields["props"] = {"context": context[1]}
    entities = (_entity(title, kind),) if title else ()
    return replace(item, fields=fields, entities=entities)


def _relation(
    item: Item, found: re.Match[str], title: str, kind: str, common: Mapping[str, Any]
) -> Item:
    relation, target = (found[1] or "relates to").strip(), found[2].strip()
    context = _CONTEXT.search(found[3])
    fields: dict[str, Any] = {**common, "content": f"{title} {relation.replace('_', ' ')} {target}"}
    if context:
        fields["props"] = {"context": context[1]}
    edge = {"source": title, "type": relation, "target": target}
    if context:
        edge["description"] = context[1]
    return replace(
        item, fields=fields, entities=(_entity(title, kind), {"name": target}), relations=(edge,)
    )


def _entity(name: str, kind: str) -> Mapping[str, Any]:
    return {"name": name, "type": kind} if kind else {"name": name}


def tags_in(text: str) -> list[str]:
    """`#words`; not issue numbers, parts of addresses or anything in code."""
    return list(dict.fromkeys(_TAG.findall(_LINK.sub(" ", _CODE.sub(" ", text)))))


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
