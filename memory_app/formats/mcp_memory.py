"""The knowledge graph of the reference MCP memory server: JSON lines of entities and relations.

Every observation is a memory that names its entity, every relation one that backs an edge; an entity
with neither is a memory of its own. A whole graph as one JSON object is read alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memory_app.formats.items import Item
from memory_app.formats.mapping import readable_date


def is_graph_row(value: object) -> bool:
    """One line of the server's file."""
    if not isinstance(value, Mapping):
        return False
    if value.get("type") == "entity":
        return "name" in value and ("observations" in value or "entityType" in value)
    return value.get("type") == "relation" and {"from", "to", "relationType"} <= set(value)


def is_graph(value: object) -> bool:
    """What the server's `read_graph` answers."""
    if not isinstance(value, Mapping) or not isinstance(value.get("entities"), list):
        return False
    entities = value["entities"]
    return all(isinstance(one, Mapping) and "name" in one for one in entities) and any(
        "observations" in one or "entityType" in one for one in entities
    )


def read_graph_rows(values: Iterable[tuple[int, Any]]) -> tuple[Item, ...]:
    """Items of parsed lines, or of one whole graph; `number` is the line or the place."""
    rows = list(_flat(values))
    named = {end for _, row in rows for end in (row.get("from"), row.get("to"))}
    kinds = {
        row["name"]: row.get("entityType")
        for _, row in rows
        if isinstance(row.get("name"), str) and isinstance(row.get("entityType"), str)
    }
    return tuple(item for number, row in rows for item in _items(number, row, named, kinds))


def _flat(values: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, value in values:
        if is_graph(value):
            parts = [("entity", one) for one in value["entities"]]
            relations = value.get("relations")
            parts += [("relation", one) for one in relations if isinstance(relations, list)]
            for place, (kind, one) in enumerate(parts, start=1):
                yield place, {"type": kind, **one} if isinstance(one, Mapping) else {"wrong": one}
        else:
            yield number, value if isinstance(value, Mapping) else {"wrong": value}


def _items(
    number: int, row: Mapping[str, Any], named: set[Any], kinds: Mapping[str, Any]
) -> Iterator[Item]:
    if row.get("type") == "entity" and isinstance(row.get("name"), str):
        yield from _entity(number, row, named)
    elif row.get("type") == "relation" and _is_relation(row):
        yield _relation(number, row, kinds)
    else:
        yield Item(
            number=number,
            shown=str(dict(row)),
            problem="The line is neither an entity with a name nor a relation with two ends.",
        )


def _entity(number: int, row: Mapping[str, Any], named: set[Any]) -> Iterator[Item]:
    name, kind = row["name"], row.get("entityType")
    entity = named_entity(name, kind)
    observations = row.get("observations")
    texts: Sequence[Any] = observations if isinstance(observations, list) else []
    for observation in texts:
        text, date = said_in(observation)
        dated = {"observed_at": readable_date(date)} if date else {}
        yield Item(number=number, fields=about(name, text) | dated, entities=(entity,))
    if not texts:
        content = f"{name} ({kind})" if isinstance(kind, str) and kind else name
        reason = "an entity without observations: its relations name it" if name in named else ""
        if reason:
            yield Item(number=number, skipped=reason, shown=content)
        else:
            yield Item(number=number, fields={"content": content}, entities=(entity,))


def _is_relation(row: Mapping[str, Any]) -> bool:
    return all(isinstance(row.get(key), str) and row[key] for key in ("from", "to", "relationType"))


def _relation(number: int, row: Mapping[str, Any], kinds: Mapping[str, Any]) -> Item:
    source, kind, target = row["from"], row["relationType"], row["to"]
    return Item(
        number=number,
        fields={"content": f"{source} {kind.replace('_', ' ')} {target}"},
        entities=tuple(
            named_entity(end, kinds.get(end)) for end in dict.fromkeys((source, target))
        ),
        relations=({"source": source, "type": kind, "target": target},),
    )


def named_entity(name: str, kind: object) -> Mapping[str, Any]:
    """An entity as the graph toolset takes it."""
    return {"name": name, "type": kind} if isinstance(kind, str) and kind else {"name": name}


def said_in(observation: object) -> tuple[object, object]:
    """The text and the date of an observation; forks of the server write them as objects."""
    if not isinstance(observation, Mapping):
        return observation, None
    texts = (observation.get(key) for key in ("content", "text", "observation"))
    dates = (observation.get(key) for key in ("timestamp", "created_at", "createdAt", "date"))
    text = next((one for one in texts if isinstance(one, str)), None)
    return text, next((one for one in dates if one), None)


def about(name: str, text: object) -> dict[str, Any]:
    """An observation's fields: a text that doesn't name its subject gets it before it, so that two
    entities' alike observations stay two.
    """
    if not isinstance(text, str):
        return {"content": text, "title": name}
    said = text if name.casefold() in text.casefold() or not text.strip() else f"{name}: {text}"
    return {"content": said, "title": name}
