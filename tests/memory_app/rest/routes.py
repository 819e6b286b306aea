"""Every operation of the OpenAPI document, with the least body that it accepts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from drf_spectacular.generators import SchemaGenerator

WRITES = ("post", "patch", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """An operation; `path` holds `{names}` to be filled in."""

    name: str
    method: str
    path: str
    parameters: tuple[str, ...]
    query: dict[str, Any]
    body: dict[str, Any] | None

    def address(self, values: dict[str, str]) -> str:
        path = self.path.format(**{name: values[name] for name in self.parameters})
        return f"{path}?{urlencode(self.query)}" if self.query else path


@cache
def document() -> dict[str, Any]:
    """The schema as the code describes it now."""
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return found


def routes() -> Iterator[Route]:
    """All of them, so that a new route is covered by every test that walks them."""
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            yield Route(
                name=operation["operationId"],
                method=method.upper(),
                path=path,
                parameters=tuple(
                    item["name"] for item in operation.get("parameters", []) if item["in"] == "path"
                ),
                query={
                    item["name"]: _sample(item["schema"])
                    for item in operation.get("parameters", [])
                    if item["in"] == "query" and item.get("required")
                },
                body=_least_body(operation),
            )


def _least_body(operation: dict[str, Any]) -> dict[str, Any] | None:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return None
    schema = _resolved(content["application/json"]["schema"])
    required = {name: _sample(schema["properties"][name]) for name in schema.get("required", [])}
    return required or {name: _sample(part) for name, part in _optional(schema)}


def _optional(schema: dict[str, Any]) -> list[tuple[str, Any]]:
    """One optional field, preferably a text: an edit has to change something."""
    properties = schema.get("properties", {})
    texts = [pair for pair in properties.items() if _resolved(pair[1]).get("type") == "string"]
    return (texts or list(properties.items()))[:1]


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    for several in ("allOf", "oneOf", "anyOf"):
        if several in schema:
            return _resolved(schema[several][0])
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return _resolved(document()["components"]["schemas"][name])
    return schema


def _sample(schema: dict[str, Any]) -> Any:
    found = _resolved(schema)
    if "example" in found:
        return found["example"]
    if found.get("type") == "array" and found["items"] == {}:
        return []
    if found.get("type") == "array" and "$ref" in found["items"]:
        least = _resolved(found["items"])
        return [{name: _sample(least["properties"][name]) for name in least.get("required", [])}]
    if "enum" in found:
        return found["enum"][0]
    if found.get("format") == "date-time":
        return "2030-01-01T00:00:00Z"
    samples = {"string": "Sample", "integer": 1, "number": 0.5, "boolean": True, "array": ["one"]}
    return samples.get(found.get("type", ""), {})
