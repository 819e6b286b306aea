"""mem0 exports: memories with categories and metadata, and the graph's relations.

The same from its service, its library and OpenMemory, whose backup keeps the memories' state and
names categories in a list of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_app.formats.items import Item
from memory_app.formats.mapping import readable_date, split_tags

_LISTS = ("results", "memories", "data")
_OWN = {"id", "hash", "memory", "data", "text", "metadata", "categories", "created_at"}
_OWN |= {"updated_at", "score", "run_id", "relations", "event", "content", "state", "app"}
# What is made of a memory's own words and dates.
_OWN |= {"structured_attributes", "text_lemmatized", "internal_metadata", "category_ids"}
_OWN |= {"archived_at", "deleted_at"}
_DERIVED = {"category", "observed_at", "text_lemmatized", "data", "hash"}
# OpenMemory: one that isn't in use there doesn't come into use here.
_IN_USE = {None, "", "active"}


def is_mem0(value: object) -> bool:
    """Objects with `memory` beside what only mem0 writes."""
    listed = _listed(value)
    marks = {"hash", "categories", "user_id", "agent_id", "run_id", "metadata"}
    first = [one for one in listed[:20] if isinstance(one, Mapping)]
    named = bool(first) and all("memory" in one and marks & set(one) for one in first)
    return named or is_backup(value)


def is_backup(value: object) -> bool:
    """OpenMemory's `memories.json`."""
    return isinstance(value, Mapping) and {"memories", "memory_categories", "export_meta"} <= set(
        value
    )


def is_mem0_row(value: object) -> bool:
    """A line of OpenMemory's `memories.jsonl`, or of memories written one a line."""
    if not isinstance(value, Mapping):
        return False
    backed_up = {"content", "state", "categories", "app"} <= set(value)
    return backed_up or (
        isinstance(value.get("memory"), str) and bool({"hash", "user_id", "agent_id"} & set(value))
    )


def read_mem0(value: object) -> tuple[Item, ...]:
    """Every memory, then every relation, numbered on."""
    memories = _listed(value)
    names = _names(value)
    items = [_memory(number, one, names) for number, one in enumerate(memories, start=1)]
    related = value.get("relations") if isinstance(value, Mapping) else None
    for number, one in enumerate(
        related if isinstance(related, list) else [], start=len(items) + 1
    ):
        items.append(_relation(number, one))
    return tuple(items)


def _listed(value: object) -> Sequence[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping):
        return next((value[name] for name in _LISTS if isinstance(value.get(name), list)), [])
    return []


def read_mem0_rows(rows: Iterable[tuple[int, Any]]) -> tuple[Item, ...]:
    """Memories of parsed lines; `number` is the line."""
    return tuple(_memory(number, one, {}) for number, one in rows)


def _names(value: object) -> Mapping[str, str]:
    """OpenMemory's categories by their ids."""
    if not isinstance(value, Mapping) or not is_backup(value):
        return {}
    given = value.get("categories")
    return {
        str(one["id"]): str(one["name"])
        for one in (given if isinstance(given, list) else [])
        if isinstance(one, Mapping) and one.get("id") and one.get("name")
    }


def _memory(number: int, one: Any, names: Mapping[str, str]) -> Item:
    if not isinstance(one, Mapping):
        return Item(number=number, shown=str(one), problem="The entry is no object.")
    given = one.get("metadata")
    metadata: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    keys = ("memory", "text", "data", "content")
    content = next((one[key] for key in keys if one.get(key) is not None), None)
    fields: dict[str, Any] = {"content": content}
    if one.get("state") not in _IN_USE:
        shown = content if isinstance(content, str) else str(dict(one))
        return Item(number=number, shown=shown, skipped=f"{one['state']} in OpenMemory")
    linked = one.get("category_ids")
    categories = one.get("categories") or [
        names[key] for key in (linked if isinstance(linked, list) else []) if key in names
    ]
    if isinstance(categories, list) and categories:
        fields["tags"] = [str(tag).replace(",", " ") for tag in split_tags(categories)]
    dated = metadata.get("observed_at") or one.get("created_at")
    if dated:
        fields["observed_at"] = readable_date(dated)
    if one.get("run_id"):
        fields["session"] = str(one["run_id"])
    if isinstance(metadata.get("category"), str):
        fields["category"] = metadata["category"]
    props = {key: left for key, left in one.items() if key not in _OWN and left is not None}
    props |= {key: left for key, left in metadata.items() if key not in _DERIVED}
    if isinstance(one.get("app"), str):
        props["app"] = one["app"]
    if props:
        fields["props"] = props
    if content is None:
        return Item(number=number, shown=str(dict(one)), problem="The entry has no memory.")
    return Item(number=number, fields=fields)


def _relation(number: int, one: Any) -> Item:
    parts: list[Any] = [None, None, None]
    if isinstance(one, Mapping):
        target = one.get("target", one.get("destination"))
        parts = [one.get("source"), one.get("relationship", one.get("relation")), target]
    if not all(isinstance(part, str) and part for part in parts):
        return Item(number=number, shown=str(one), problem="The relation lacks an end or its type.")
    source, kind, target = parts
    return Item(
        number=number,
        fields={"content": f"{source} {kind.replace('_', ' ')} {target}"},
        entities=tuple({"name": end} for end in dict.fromkeys((source, target))),
        relations=({"source": source, "type": kind, "target": target},),
    )
