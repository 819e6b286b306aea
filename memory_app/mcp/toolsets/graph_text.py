"""The readable text of the `graph` tools' replies."""

from __future__ import annotations

from memory_app.mcp.quoting import NOTICE, inline, quoted
from memory_app.mcp.registry import Reply
from memory_app.mcp.rendering import Record, counted, memory_lines


def render_written(reply: Reply) -> str:
    parts = ["Stored.", _reference(reply["observation"]), memory_lines(reply["observation"])]
    for entity in reply["entities"]:
        parts.append(entity_line(entity))
        parts += [f"  {edge_line(edge)}" for edge in entity["neighbourhood"]]
    parts += [f"Warning: {text}" for text in reply["warnings"]]
    parts += [f"Look again: {inline(text)}" for text in reply["review_hints"]]
    if gone := len(reply.get("pruned_entities", [])) + len(reply.get("pruned_relationships", [])):
        ended = counted(gone, "entity or relationship", "entities or relationships")
        parts.append(f"{ended} ended, since nothing else backed {'it' if gone == 1 else 'them'}.")
    return "\n".join([*parts, NOTICE])


def render_read(reply: Reply) -> str:
    record = reply["observation"]
    parts = [_reference(record), memory_lines(record)]
    parts += [entity_line(one) for one in record["entities"]]
    parts += [edge_line(one) for one in record["relationships"]]
    return "\n".join([*parts, NOTICE])


def render_deleted(reply: Reply) -> str:
    return (
        f"Deleted; it can be restored by a person for 30 days. With it ended "
        f"{counted(len(reply['pruned_entities']), 'entity', 'entities')} and "
        f"{counted(len(reply['pruned_relationships']), 'relationship', 'relationships')}."
    )


def render_recalled(reply: Reply) -> str:
    entities, snippets = reply["entities"], reply["observations"]
    if not entities and not snippets:
        return " ".join(part for part in ("Nothing fits.", reply.get("note", "")) if part)
    parts = [f"{counted(len(entities), 'entity', 'entities')}, best first.", NOTICE]
    parts += [entity_line(one, number=number) for number, one in enumerate(entities, 1)]
    return "\n".join([*parts, *_edges_and_snippets(reply)])


def render_inspected(reply: Reply) -> str:
    return "\n".join([entity_line(reply["entity"]), NOTICE, *_edges_and_snippets(reply)])


def entity_line(record: Record, *, number: int | None = None) -> str:
    place = "" if number is None else f"{number}. "
    kind = f" ({inline(record['type'])})" if record.get("type") else ""
    line = f"{place}{inline(record['name'])}{kind} | {record['id']} | degree {record['degree']}"
    if not record.get("description"):
        return line
    return f"{line}\n{quoted(record['description'])}"


def edge_line(record: Record) -> str:
    said = f": {inline(record['description'])}" if record.get("description") else ""
    ends = [inline(record[end]) for end in ("source", "type", "target")]
    return f"- {ends[0]} --[{ends[1]}]--> {ends[2]}{said}"


def _edges_and_snippets(reply: Reply) -> list[str]:
    parts = []
    if edges := reply["relationships"]:
        parts.append(f"{counted(len(edges), 'relationship', 'relationships')}:")
        parts += [edge_line(one) for one in edges]
    if snippets := reply["observations"]:
        parts.append(f"{counted(len(snippets), 'observation', 'observations')}:")
        parts += [_snippet(one) for one in snippets]
    if note := reply.get("note"):
        parts.append(note)
    return parts


def _snippet(record: Record) -> str:
    more = " | cut: read_observation gives the rest" if record["truncated"] else ""
    title = f" | {inline(record['title'])}" if record.get("title") else ""
    return f"{record['slug']}{title}{more}\n{quoted(record['snippet'])}"


def _reference(record: Record) -> str:
    return f"slug: {record['slug']}"
