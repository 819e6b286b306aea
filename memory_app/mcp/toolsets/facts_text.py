"""The readable text of the `facts` tools' replies."""

from __future__ import annotations

from typing import Any

from memory_app.mcp.quoting import NOTICE, inline, quoted
from memory_app.mcp.registry import Reply
from memory_app.mcp.rendering import counted

_EMPTY = {
    "unknown_subject": "Nothing here has that name.",
    "no_causal_links": "It is known, but no cause or effect of it is recorded.",
    "none_in_direction": "Nothing is recorded in that direction; there is in the other, or a "
    "contradiction.",
}


def render_episode(reply: Reply) -> str:
    if reply.get("ambiguous_entities"):
        return _ambiguous(reply)
    if not reply["stored"]:
        return "Nothing was stored: the call has no facts."
    parts = [f"Stored {_facts(len(reply['facts']))}."]
    parts += [
        f"- {one['fact_id']} ({one['status']})\n{quoted(one['fact'])}" for one in reply["facts"]
    ]
    parts += [f"Superseded: {one['fact_id']} by {one['by']}." for one in reply["superseded"]]
    if reply["related_entities"]:
        names = ", ".join(inline(name) for name in reply["related_entities"])
        parts.append(f"Names already used here for what lies near: {names}.")
    return "\n".join([*parts, NOTICE])


def render_facts(reply: Reply) -> str:
    found = reply["facts"]
    parts = [f"{_facts(len(found))}, best first." if found else "Nothing is recorded that fits."]
    if found:
        parts.append(NOTICE)
        parts += [f"{one['rank']}. {_line(one)}" for one in found]
    if dropped := reply.get("dropped"):
        said = ", ".join(f"{number} by {reason}" for reason, number in dropped.items())
        parts.append(f"Left out: {said}.")
    if waiting := reply.get("pending_ingest"):
        parts.append(
            "Documents that nobody has taken in yet (read them, write_episode what they state, then "
            f"mark_ingested):\n{_documents(waiting)}"
        )
    return "\n\n".join(parts)


def render_causes(reply: Reply) -> str:
    parts: list[str] = []
    for title, chains in (("Causes", reply["causes"]), ("Effects", reply["effects"])):
        for number, chain in enumerate(chains, start=1):
            lines = "\n".join(_line(one) for one in chain)
            parts.append(f"{title}, chain {number}, outwards:\n{lines}")
    if reply["contradictions"]:
        lines = "\n".join(_line(one) for one in reply["contradictions"])
        parts.append(f"Recorded as contradicting it:\n{lines}")
    if reason := reply.get("empty_reason"):
        parts.insert(0, _EMPTY[reason])
    return "\n\n".join(
        [*parts, NOTICE] if len(parts) > 1 or not reply.get("empty_reason") else parts
    )


def render_saving(reply: Reply) -> str:
    if not reply["recorded"]:
        return "This was recorded before; nothing was added."
    return (
        "Recorded." if reply["counted"] else "Recorded; it doesn't count, as the fact is your own."
    )


def render_audit(reply: Reply) -> str:
    entries = reply["entries"]
    if not entries:
        return "No changes."
    lines = [
        f"{one['at']} | {one['operation']} | {inline(one['actor'])} | {one['target']}\n"
        f"{quoted(one['reason'])}"
        for one in entries
    ]
    more = [f"There is more: cursor {reply['next_cursor']}."] if "next_cursor" in reply else []
    return "\n".join([*lines, *more, NOTICE])


def render_waiting(reply: Reply) -> str:
    found = reply["documents"]
    if not found:
        return "No document waits."
    return f"{counted(len(found), 'document waits', 'documents wait')}:\n{_documents(found)}"


def render_closed(reply: Reply) -> str:
    parts = [f"Closed {counted(len(reply['closed']), 'document', 'documents')}."]
    if reply["unknown"]:
        parts.append("These paths don't wait; nothing was done about them:")
        parts += [quoted(path) for path in reply["unknown"]]
    return "\n".join(parts)


def _ambiguous(reply: Reply) -> str:
    parts = [
        f"NOT stored ({_facts(reply['not_stored'])}). These names may mean entities that exist; repeat the "
        "call with entity_resolutions for each, or with assume_new."
    ]
    for mention, candidates in reply["ambiguous_entities"].items():
        parts.append(f"{inline(mention)}:")
        for one in candidates:
            parts.append(f"- {one['id']} {inline(one['name'])} ({one['reason']})")
            parts += [quoted(one["description"])] if one["description"] else []
    return "\n".join([*parts, NOTICE])


def _line(one: dict[str, Any]) -> str:
    facts = [one["fact_id"], one["created_at"][:10], f"by {inline(one['author'])}"]
    if one.get("confidence"):
        facts.append(inline(one["confidence"]))
    if "score" in one:
        facts.append(f"score {one['score']:.3f}")
    if one.get("status") == "retired":
        facts.append("outdated since")
    return f"{' | '.join(facts)}\n{quoted(one['fact'])}"


def _documents(rows: list[dict[str, Any]]) -> str:
    return "\n".join(
        quoted(f"{row['path']} ({row['project']})" if row["project"] else row["path"])
        for row in rows
    )


def _facts(number: int) -> str:
    return counted(number, "fact", "facts")
