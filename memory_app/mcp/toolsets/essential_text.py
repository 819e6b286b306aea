"""The readable text of the `essential` tools' replies."""

from __future__ import annotations

from memory_app.mcp.quoting import NOTICE
from memory_app.mcp.registry import Reply
from memory_app.mcp.rendering import counted, memory_lines, named_lines

_STATUS = {
    "created": "Saved.",
    "known": "Already known: nothing new was stored. This is the memory that holds it:",
    "revived": "Saved again: this text had been retired and is current once more.",
    "pending": "Saved. It is found by its words now, and by meaning once it has been indexed.",
}
_OVERRULED = (
    "Nothing was stored: people have decided that this no longer holds. Only they can undo that:"
)
_LEFT_OUT = {
    "min_score": "below min_score",
    "tokens": "for lack of room in this answer",
    "limit": "over the limit",
    "retired": "because they are outdated",
}


def render_saved(reply: Reply) -> str:
    gone = reply["status"] == "known" and reply["memory"]["status"] == "retired"
    parts = [_OVERRULED if gone else _STATUS[reply["status"]], memory_lines(reply["memory"])]
    if replaced := reply["replaced"]:
        parts.append(f"It replaces {counted(len(replaced))}, now retired:")
        parts.append(named_lines(replaced))
    if queued := reply["queued_for_review"]:
        parts.append(
            f"It may contradict {counted(len(queued))}. All stay as they are until a person decides:"
        )
        parts.append(named_lines(queued))
    return "\n".join([*parts, NOTICE])


def render_answer(reply: Reply) -> str:
    found = reply["memories"]
    parts = [_headline(reply)]
    if found:
        parts.append(NOTICE)
        parts += [memory_lines(record, number=record["rank"]) for record in found]
    if left_out := _left_out(reply):
        parts.append(left_out)
    return "\n\n".join(parts)


def _headline(reply: Reply) -> str:
    number = len(reply["memories"])
    if reply["profile"]:
        return (
            f"Profile of this bank: {counted(number)}, pinned first, then most used, then newest."
            if number
            else "The profile is empty: no memory here fits."
        )
    return f"{counted(number)} found, best first." if number else "No memory fits this query."


def _left_out(reply: Reply) -> str:
    dropped = [
        f"{number} {_LEFT_OUT.get(reason, reason)}"
        for reason, number in reply["dropped"].items()
        if number
    ]
    said = f"Left out: {', '.join(dropped)}." if dropped else ""
    best = reply.get("best_refused_score")
    refused = f"The best similarity below min_score was {best:.3f}." if best is not None else ""
    return " ".join(part for part in (said, refused) if part)
