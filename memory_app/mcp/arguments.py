"""Arguments of a call: what clients are known to mangle is mended by rule, the rest is refused.

The rules (docs/mcp.md shows them to users):
1. Missing or null `arguments` are no arguments (`bodies` reads them from other forms).
2. An optional argument that is null, or the text "null", is absent; in a list such items are left out.
3. Where a list or an object is due, its JSON text counts as the value, also when it is the only
   item of a list.
4. A number like 10.0 is a whole number.
5. Where an object that may carry an id is due, a text that is an id stands for that object.
Nothing is ever turned into text, and no text into a number or a boolean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_any_id
from memory_app.domain.notation import RepeatedName, parse_notation
from memory_app.mcp.refusals import refusal
from memory_app.mcp.registry import Tool

_MISSING = object()
_CONTAINERS: dict[str, type] = {"array": list, "object": dict}


def read_arguments(tool: Tool, raw: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments as the tool's schema has them. Raises `InvalidArgument` that names the field."""
    arguments = _mended_object(tool.input_schema, dict(raw or {}))
    errors = list(tool.validator.iter_errors(arguments))
    found = refusal(tool, arguments, errors)
    if found is not None:
        raise found
    return arguments


def idempotency_key(meta: Mapping[str, Any] | None) -> str | None:
    """The request's `_meta` key `idempotencyKey`; a prefix, case, `-` and `_` don't matter."""
    for name, value in (meta or {}).items():
        plain = str(name).rpartition("/")[2].replace("-", "").replace("_", "").lower()
        if plain == "idempotencykey" and value is not None:
            if isinstance(value, str) and value.isprintable():
                return value
            raise InvalidArgument(
                "The idempotency key in _meta must be a printable string.",
                hint="Send a fresh UUID as text with each new request.",
                field="_meta",
            )
    return None


def _mended_object(schema: Mapping[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    mended = {}
    for name, value in given.items():
        optional = name in properties and name not in required
        kept = _mended(properties.get(name, {}), value)
        if optional and (kept is _MISSING or _is_null(kept)):
            continue
        mended[name] = value if kept is _MISSING else kept
    return mended


def _mended(schema: Mapping[str, Any], value: Any) -> Any:
    """The value as the schema wants it, or `_MISSING` when nothing but nulls is left of a list."""
    kind = schema.get("type")
    if kind in _CONTAINERS:
        value = _from_json(value, _CONTAINERS[kind])
    if kind == "object" and isinstance(value, str) and "id" in schema.get("properties", {}):
        value = {"id": value} if is_any_id(value) else value
    if kind == "array" and isinstance(value, list):
        return _mended_list(schema.get("items", {}), value)
    if kind == "object" and isinstance(value, dict):
        return _mended_object(schema, value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _mended_list(items: Mapping[str, Any], values: list[Any]) -> Any:
    if len(values) == 1 and items.get("type") != "array":
        values = _from_json(values[0], list, otherwise=values)
    kept = [_mended(items, value) for value in values if not _is_null(value)]
    return kept if kept or not values else _MISSING


def _from_json(value: Any, kind: type, *, otherwise: Any = _MISSING) -> Any:
    fallback = value if otherwise is _MISSING else otherwise
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return fallback
    try:
        parsed = parse_notation(value)
    except RepeatedName as repeated:
        raise refuse_repeated(repeated) from None
    except (ValueError, RecursionError):
        return fallback
    return parsed if isinstance(parsed, kind) else fallback


def refuse_repeated(repeated: RepeatedName) -> InvalidArgument:
    """Only whoever sent it knows which of the two values was meant."""
    return InvalidArgument(
        f"The JSON can't be read: {repeated}.", hint="Give it once.", field=repeated.name
    )


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() == "null")
