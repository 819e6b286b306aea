"""Failures as a model reads them: an `isError` result whose only content is one JSON object."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types

from memory_app.domain.errors import ProductError


def described(error: ProductError) -> dict[str, Any]:
    """The error object of the contract: code, message, hint; field and details where there are any."""
    body: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    if error.field is not None:
        body["field"] = error.field
    if error.details:
        body["details"] = error.details
    return body


def failed(error: ProductError) -> types.CallToolResult:
    """The result for a call that was refused. It has no structuredContent: a client's SDK would check
    that against the output schema."""
    return _result(described(error))


def broken(request_id: str) -> types.CallToolResult:
    """The result for a call that met a fault of ours; the log has the rest under the request id."""
    return _result(
        {
            "code": "internal_error",
            "message": f"The server failed to carry out this call (request {request_id}).",
            "hint": "Try once more; if it fails again, report the request id to the operator.",
        }
    )


def shown(text: str, limit: int = 60) -> str:
    """Something a caller sent, fit to be repeated in a message: short, one line, valid Unicode."""
    safe = text.encode("utf-8", "backslashreplace").decode()
    line = "".join(character if character.isprintable() else "?" for character in safe)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _result(error: dict[str, Any]) -> types.CallToolResult:
    text = json.dumps({"error": error}, ensure_ascii=False, default=str)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
