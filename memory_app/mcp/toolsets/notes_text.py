"""The readable text of the `notes` tools' replies."""

from __future__ import annotations

from typing import Any

from memory_app.mcp.quoting import NOTICE, inline, quoted
from memory_app.mcp.registry import Reply
from memory_app.mcp.rendering import counted

SHOWN = 40


def render_remembered(reply: Reply) -> str:
    note, names = reply["memory"], _names(reply["entities"])
    parts = [f"Remembered as {note['id']}, hash {note['hash']}.", quoted(note["text"])]
    parts += [_edge(edge, names) for edge in reply["edges"]]
    if reply["entities"]:
        parts.append(f"Entities: {', '.join(map(_entity, reply['entities']))}.")
    return "\n".join([*parts, NOTICE])


def render_expanded(reply: Reply) -> str:
    found, context = reply["memories"], reply["context"]
    if not found:
        return "No memory fits." + _cut(reply)
    parts = [f"{counted(len(found))} found, best first.", NOTICE]
    for number, one in enumerate(found, start=1):
        facts = f"score {one['score']:.3f} | distance {one['distance']}"
        parts.append(f"{number}. {_note(one['memory'])} | {facts}\n{quoted(one['memory']['text'])}")
    names = _names(context["nodes"])
    edges = [edge for edge in context["edges"] if edge["type"] != "mentions"]
    if edges:
        lines = [_edge(edge, names) for edge in edges[:SHOWN]]
        more = f"\n... and {len(edges) - SHOWN} more" if len(edges) > SHOWN else ""
        parts.append("Relationships around them:\n" + "\n".join(lines) + more)
    return "\n\n".join(parts) + _cut(reply)


def render_linked(reply: Reply) -> str:
    names = _names(reply["nodes"])
    entities = ", ".join(map(_entity, reply["nodes"]))
    return f"Linked ({reply['edge']['id']}):\n{_edge(reply['edge'], names)}\nEntities: {entities}."


def render_forgotten(reply: Reply) -> str:
    return "Deleted." if reply["deleted"] else "There is no such memory; nothing was deleted."


def render_recent(reply: Reply) -> str:
    found = reply["memories"]
    if not found:
        return "This bank holds no memory yet."
    lines = [f"{_note(note)}\n{quoted(note['text'])}" for note in found]
    return "\n\n".join([f"The newest {counted(len(found))}.", NOTICE, *lines]) + _cut(reply)


def render_hash(reply: Reply) -> str:
    if "id" not in reply:
        return "There is no such memory."
    if reply["hash_valid"]:
        return f"The hash of {reply['id']} holds: {reply['stored_hash']}."
    return (
        f"The hash of {reply['id']} does NOT hold: stored {reply['stored_hash']}, "
        f"computed {reply['computed_hash']}."
    )


def _note(note: dict[str, Any]) -> str:
    return f"{note['id']} | {note['created_at'][:10]} | by {inline(note['author'])}"


def _entity(entity: dict[str, Any]) -> str:
    kind = f" ({inline(entity['label'])})" if entity.get("label") else ""
    return f"{inline(entity['name'])}{kind} {entity['id']}"


def _edge(edge: dict[str, Any], names: dict[str, str]) -> str:
    ends = [names.get(edge[end], edge[end]) for end in ("from", "to")]
    return quoted(f"{ends[0]} -[{edge['type']}]-> {ends[1]}")


def _names(nodes: list[dict[str, Any]]) -> dict[str, str]:
    return {node["id"]: node["name"] for node in nodes if "name" in node}


def _cut(reply: Reply) -> str:
    parts = []
    if reply.get("context_truncated"):
        parts.append("The graph was cut at its limit; ask with fewer hops.")
    if dropped := reply.get("dropped"):
        said = ", ".join(f"{number} by {reason}" for reason, number in dropped.items())
        parts.append(f"Left out: {said}.")
    return "\n\n" + " ".join(parts) if parts else ""
