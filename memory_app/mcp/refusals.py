"""Schema violations in words: which argument, which limit, what to send instead."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Mapping
from typing import Any

from jsonschema import ValidationError

from memory_app.domain.errors import ContentTooLong, InvalidArgument
from memory_app.mcp.failures import shown
from memory_app.mcp.registry import Tool

_TYPES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
# What other systems call the arguments that tools here have.
_SYNONYMS = {
    "text": ("content",),
    "memory": ("content",),
    "fact": ("content",),
    "q": ("query",),
    "search": ("query",),
    "topk": ("limit", "k"),
    "k": ("limit",),
    "n": ("limit",),
    "count": ("limit",),
    "depth": ("max_depth", "max_hops", "hops"),
    "threshold": ("min_score",),
    "score": ("min_score",),
    "labels": ("tags",),
    "origin": ("source",),
}


def refusal(
    tool: Tool, arguments: Mapping[str, Any], errors: list[ValidationError]
) -> InvalidArgument | None:
    """One error for all violations: unknown names first, then what is missing, then wrong values."""
    unknown = [name for name in arguments if name not in tool.input_schema["properties"]]
    if unknown:
        return _unknown(tool, unknown[0])
    found = [_described(error) for error in sorted(errors, key=_order) if not _is_padding(error)]
    return found[0] if found else None


def _order(error: ValidationError) -> tuple[bool, str]:
    return error.validator != "required", error.json_path


def _unknown(tool: Tool, name: str) -> InvalidArgument:
    known = list(tool.input_schema["properties"])
    near = _nearest(name, known)
    instead = f"Did you mean '{near}'? " if near else ""
    return InvalidArgument(
        f"{shown(name)} is not an argument of {tool.name}.",
        hint=f"{instead}Arguments: {', '.join(known)}.",
        field=shown(name),
        details={"did_you_mean": near} if near else None,
    )


def _nearest(name: str, known: list[str]) -> str | None:
    plain = {_plain(candidate): candidate for candidate in known}
    wanted = _plain(name)
    meant = [candidate for candidate in _SYNONYMS.get(wanted, ()) if candidate in known]
    close = difflib.get_close_matches(wanted, plain, n=1, cutoff=0.6)
    return next(iter([*meant, *(plain[one] for one in close)]), None)


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _is_padding(error: ValidationError) -> bool:
    """Too long only by what is taken off before it is stored: white space around the text, and marks
    that are composed with their letters.
    """
    limit: Any = error.validator_value
    return error.validator == "maxLength" and _length(error.instance) <= limit


def _length(text: Any) -> int:
    return len(unicodedata.normalize("NFC", text).strip())


def _described(error: ValidationError) -> InvalidArgument:
    path = _path(error)
    limit: Any = error.validator_value
    value: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "required":
            missing = next(name for name in limit if name not in value)
            path = f"{path}.{missing}" if path else missing
            return _invalid(path, f"{path} is required.", f"Send {path}.")
        case "type":
            due = _TYPES[limit]
            return _invalid(path, f"{path} must be {due}, not {kind(value)}.", f"Send {due}.")
        case "maxLength":
            length = _length(value)
            return ContentTooLong(
                f"{path} has {length:,} characters; the limit is {limit:,}.",
                hint=f"Shorten {path}, or split it into several memories of one statement each.",
                field=path,
                details={"limit": limit, "length": length},
            )
        case "minLength":
            return _invalid(path, f"{path} must not be empty.", f"Send {path} with some text.")
        case "minimum" | "maximum":
            return _out_of_range(path, value, schema)
        case "maxItems":
            found = f"{path} has {len(value)} entries; at most {limit} are allowed."
            return _invalid(path, found, "Send fewer.")
        case "minItems":
            found = f"{path} must not be empty."
            return _invalid(path, found, f"Send {path} with at least {limit}.")
        case "enum":
            choices = ", ".join(map(str, limit))
            return _invalid(path, f"{path} must be one of {choices}.", "Send one of these.")
        case "additionalProperties":
            extra = next(name for name in value if name not in schema["properties"])
            names = ", ".join(schema["properties"])
            found = f"{path} has an unknown field {shown(extra)}."
            return _invalid(path, found, f"Fields: {names}.")
        case _:
            return _invalid(
                path, f"{path} is not valid: {shown(error.message, 200)}", "Correct it."
            )


def _out_of_range(path: str, value: Any, schema: Any) -> InvalidArgument:
    least, most = schema.get("minimum"), schema.get("maximum")
    bounds = f"from {least} to {most}" if None not in (least, most) else f"at least {least}"
    return InvalidArgument(
        f"{path} is {shown(str(value), 30)}; it must be {bounds}.",
        hint=f"Send {path} as a number {bounds}.",
        field=path,
        details={"least": least, "most": most},
    )


def _invalid(path: str, message: str, hint: str) -> InvalidArgument:
    return InvalidArgument(message, hint=hint, field=path or None)


def _path(error: ValidationError) -> str:
    """`tags[1]` or `entities[0].name`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{shown(part)}" for part in error.path)
    return "".join(parts).lstrip(".")


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return names.get(type(value), "an object")
