"""Zep and Graphiti exports: facts (edges between nodes), node summaries, episodes and messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from memory_app.formats.items import Item
from memory_app.formats.mapping import readable_date

_OVER = ("invalid_at", "expired_at")
_MARKS = {"valid_at", "invalid_at", "expired_at", "source_node_uuid", "uuid", "rating"}
_ENDS = {"fact", "name", "source_node_uuid", "target_node_uuid", "source_node_name"}
_ENDS |= {"target_node_name", "created_at", "valid_at", "uuid", "uuid_", "episodes", "group_id"}
_ENDS |= {"fact_embedding", "graph_id", "reference_time", "score", "relevance", "attributes"}
_NODE = {"uuid", "uuid_", "labels", "group_id", "name_embedding"}
_EPISODE = {"source_description", "entity_edges", "role_type", "thread_id", "session_id"}


def is_zep(value: object) -> bool:
    """Facts beside what only Zep writes, or nodes or episodes as it writes them."""
    facts = [one for one in _facts(value)[:20] if isinstance(one, Mapping)]
    if facts:
        return all("fact" in one and _MARKS & set(one) for one in facts)
    nodes, episodes = _list(value, "nodes")[:20], _list(value, "episodes")[:20]
    return (
        bool(nodes or episodes)
        and all(_has(one, {"name", "summary"}, _NODE) for one in nodes)
        and all(_has(one, {"content"}, _EPISODE) for one in episodes)
    )


def _has(one: object, needed: set[str], some: set[str]) -> bool:
    return isinstance(one, Mapping) and needed <= set(one) and bool(some & set(one))


def read_zep(value: object) -> tuple[Item, ...]:
    """Every fact, then every node's summary, then every message; numbered in this order.

    A fact whose validity has ended is skipped, with the day: importing it would make it true again.
    """
    nodes = _list(value, "nodes")
    names = {
        str(node.get("uuid", node.get("uuid_"))): node["name"]
        for node in nodes
        if isinstance(node, Mapping) and isinstance(node.get("name"), str)
    }
    found: list[Item] = []
    for one in _facts(value):
        found.append(_fact(len(found) + 1, one, names))
    for node in nodes:
        found.extend(_summary(len(found) + 1, node))
    for one in [*_list(value, "messages"), *_list(value, "episodes")]:
        found.append(_message(len(found) + 1, one))
    return tuple(found)


def _facts(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    return _list(value, "edges") or _list(value, "facts") or _list(value, "relevant_facts")


def _list(value: object, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def _fact(number: int, one: Any, names: Mapping[str, str]) -> Item:
    if isinstance(one, str):
        return Item(number=number, fields={"content": one})
    if not isinstance(one, Mapping) or one.get("fact") is None:
        return Item(number=number, shown=str(one), problem="The entry has no fact.")
    ended = next((day for key in _OVER if _is_over(day := one.get(key))), None)
    if ended:
        return Item(number=number, shown=str(one["fact"]), skipped=f"no longer valid since {ended}")
    fields: dict[str, Any] = {"content": one["fact"]}
    dated = one.get("valid_at") or one.get("reference_time") or one.get("created_at")
    if dated:
        fields["observed_at"] = readable_date(dated)
    props = {key: left for key, left in one.items() if key not in _ENDS and left is not None}
    if props := props | _attributes(one):
        fields["props"] = props
    source = one.get("source_node_name") or names.get(str(one.get("source_node_uuid")))
    target = one.get("target_node_name") or names.get(str(one.get("target_node_uuid")))
    kind = one.get("name")
    if not (source and target):
        return Item(number=number, fields=fields)
    ends = tuple({"name": end} for end in dict.fromkeys((str(source), str(target))))
    if not isinstance(kind, str) or not kind:
        return Item(number=number, fields=fields, entities=ends)
    edge = {"source": str(source), "type": kind, "target": str(target)}
    return Item(number=number, fields=fields, entities=ends, relations=(edge,))


def _is_over(day: object) -> bool:
    """Whether a fact has ended; one that will end later still holds."""
    if not day:
        return False
    try:
        moment = datetime.fromisoformat(str(readable_date(day)))
    except ValueError:
        return True
    return moment.replace(tzinfo=moment.tzinfo or UTC) <= datetime.now(UTC)


def _attributes(one: Mapping[str, Any]) -> dict[str, Any]:
    given = one.get("attributes")
    kept = given.items() if isinstance(given, Mapping) else ()
    return {str(key): left for key, left in kept if left not in (None, "", [], {})}


def _summary(number: int, node: Any) -> Iterator[Item]:
    if not isinstance(node, Mapping) or not isinstance(node.get("name"), str):
        return
    summary = node.get("summary")
    labels = [one for one in _list(node, "labels") if isinstance(one, str) and one != "Entity"]
    entity = {"name": node["name"]} | ({"type": labels[0]} if labels else {})
    if isinstance(summary, str) and summary.strip():
        fields: dict[str, Any] = {"content": summary, "title": node["name"]}
        if node.get("created_at"):
            fields["observed_at"] = readable_date(node["created_at"])
        if props := _attributes(node):
            fields["props"] = props
        yield Item(number=number, fields=fields, entities=(entity,))


def _message(number: int, one: Any) -> Item:
    content = one.get("content") if isinstance(one, Mapping) else None
    if content is None:
        return Item(number=number, shown=str(one), problem="The message has no content.")
    fields: dict[str, Any] = {"content": content}
    dated = one.get("valid_at") or one.get("created_at")
    if dated:
        fields["observed_at"] = readable_date(dated)
    session = one.get("thread_id") or one.get("session_id")
    if isinstance(session, str) and session:
        fields["session"] = session
    # An episode's name is its title, a message's is who said it.
    named = one.get("name")
    titled = "source_description" in one or "entity_edges" in one
    if titled and isinstance(named, str) and named:
        fields["title"] = named
    said_by = one.get("role") if titled else named or one.get("role")
    props = {"said_by": said_by, "source_description": one.get("source_description")}
    if kept := {key: left for key, left in props.items() if left}:
        fields["props"] = kept
    return Item(number=number, fields=fields)
