"""Replies as readable text: made from the record alone, so that the two always agree."""

from __future__ import annotations

from typing import Any

from memory_app.mcp.quoting import inline, quoted

Record = dict[str, Any]


def memory_lines(record: Record, *, number: int | None = None) -> str:
    """One line of facts about a memory and its whole text, quoted."""
    facts = [
        record["id"],
        record["created_at"][:10],
        f"by {inline(record.get('author_name') or record['author'])}",
        *_optional(record),
    ]
    place = "" if number is None else f"{number}. "
    return f"{place}{' | '.join(facts)}\n{quoted(record['content'])}"


def named_lines(records: list[Record]) -> str:
    """Memories by id and text."""
    return "\n".join(f"- {record['id']}\n{quoted(record['content'])}" for record in records)


def counted(number: int, one: str = "memory", many: str = "memories") -> str:
    return f"{number} {one if number == 1 else many}"


def _optional(record: Record) -> list[str]:
    found = []
    if record.get("title"):
        found.append(f"title: {inline(record['title'])}")
    if record["tags"]:
        found.append(f"tags: {', '.join(inline(tag) for tag in record['tags'])}")
    if record.get("observed_at"):
        found.append(f"happened {record['observed_at']}")
    if record.get("source"):
        found.append(f"source: {inline(record['source'])}")
    if "score" in record:
        found.append(f"score {record['score']:.3f}")
    if record["pinned"]:
        found.append("pinned")
    if record["status"] != "active":
        found.append(record["status"])
    if record.get("disputed_by"):
        found.append(f"disputed by {', '.join(record['disputed_by'])}")
    if record.get("truncated"):
        found.append("cut to fit")
    return found
