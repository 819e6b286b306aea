"""Which of the known formats a text is in."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.formats import assistants, commonplace, mcp_memory, mem0, zep
from memory_app.formats.basic_memory import looks_like_basic_memory
from memory_app.formats.csv_table import looks_like_table
from memory_app.formats.lines import split_rows

# How people know the formats; the keys are what a caller names.
FORMATS: dict[str, str] = {
    "lines": "Plain lines",
    "markdown": "Markdown",
    "csv": "CSV table",
    "json": "JSON list",
    "json_lines": "JSON lines",
    "mem0": "mem0 export",
    "zep": "Zep export",
    "chatgpt": "ChatGPT memories",
    "claude": "Claude memory",
    "basic_memory": "basic-memory notes",
    "mcp_memory": "MCP memory server",
    "commonplace": "Commonplace export",
}
_SAMPLE_LINES = 20


def detect(text: str, name: str = "") -> str:
    """The key of a special format, or an empty text for what is told apart while it is read: a JSON
    list, JSON lines and plain lines. `name` is the file's, empty for pasted text.
    """
    suffix = PurePosixPath(name).suffix.casefold()
    body = text.lstrip("\ufeff \t\r\n")
    if body[:1] in ("[", "{") and suffix not in (".csv", ".tsv", ".md", ".markdown"):
        return _of_json(body)
    if suffix in (".csv", ".tsv"):
        return "csv"
    if commonplace.is_memory_file(text):
        return "commonplace"
    if suffix in (".md", ".markdown", ".mdx"):
        if looks_like_basic_memory(text):
            return "basic_memory"
        return "claude" if assistants.looks_like_claude(text) else "markdown"
    return _of_text(text)


def _of_text(text: str) -> str:
    if assistants.is_model_set_context(text):
        return "chatgpt"
    if looks_like_table(text):
        return "csv"
    if looks_like_basic_memory(text):
        return "basic_memory"
    if assistants.looks_like_claude(text):
        return "claude"
    return "chatgpt" if assistants.looks_like_chatgpt(text) else ""


def _of_json(body: str) -> str:
    """By the shape of the value; JSON lines by their first lines."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return _of_lines(body)
    if assistants.is_conversations(value):
        raise InvalidArgument(
            "These are whole conversations, not memories.",
            hint="Export or copy the assistant's memories, or let an agent read the conversations.",
            field="text",
        )
    if commonplace.is_bank_row(value):
        return "commonplace"
    if mcp_memory.is_graph(value) or mcp_memory.is_graph_row(value):
        return "mcp_memory"
    if assistants.is_claude_export(value):
        return "claude"
    if mem0.is_mem0(value) or mem0.is_mem0_row(value):
        return "mem0"
    return "zep" if zep.is_zep(value) else ""


def _of_lines(body: str) -> str:
    values: list[Any] = []
    for line in split_rows(body[:200_000])[:_SAMPLE_LINES]:
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            if line.strip():
                break
    if not values:
        return ""
    if commonplace.is_bank_row(values[0]):
        return "commonplace"
    if all(map(mem0.is_mem0_row, values)):
        return "mem0"
    return "mcp_memory" if all(map(mcp_memory.is_graph_row, values)) else ""
