"""mem0 exports: memories with categories and metadata, and the graph's relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_app.formats.items import Item
from memory_app.formats.mapping import readable_date

_LISTS = ("results", "memories", "data")
_OWN = {"id", "hash", "memory", "data", "text", "metadata", "categories", "created_at"}
_OWN |= {"updated_at", "score", "run_id", "relations", "event"}


def is_mem0(value: object) -> bool:
    """Objects with `memory` beside what only mem0 writes."""
    listed = _listed(value)
    marks = {"hash", "categories", "user_id", "agent_id", "run_id", "metadata"}
    first = [one for one in listed[:20] if isinstance(one, Mapping)]
    return bool(first) and all("memory" in one and marks & set(one) for one in first)


def read_mem0(value: object) -> tuple[Item, ...]:
    """Every memory, then every relation, numbered on."""
    memories = _listed(value)
    items = [_memory(number, one) for number, one in enumerate(memories, start=1)]
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


def _memory(number: int, one: Any) -> Item:
    if not isinstance(one, Mapping):
        return Item(number=number, shown=str(one), problem="The entry is no object.")
    given = one.get("metadata")
    metadata: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    fields: dict[str, Any] = {"content": one.get("memory", one.get("text", one.get("data")))}
    categories = one.get("categories")
    if isinstance(categories, list) and categories:
        fields["tags"] = [str(tag).replace(",", " ") for tag in categories]
    dated = metadata.get("observed_at") or one.get("created_at")
    if dated:
        fields["observed_at"] = readable_date(dated)
    if one.get("run_id"):
        fields["session"] = str(one["run_id"])
    if isinstance(metadata.get("category"), str):
        fields["category"] = metadata["category"]
    props = {key: left for key, left in one.items() if key not in _OWN and left is not None}
    props |= {key: left for key, left in metadata.items() if key not in ("category", "observed_at")}
    if props:
        fields["props"] = props
    if fields["content"] is None:
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
