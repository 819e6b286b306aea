"""Observations and graph changes as a caller states them, parsed at the edge (A1, A5, A7, A12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.names import clean_name
from memory_app.domain.stated import ENTITIES_LIMIT, parse_entities, parse_relations
from memory_app.domain.values import Draft, EntityDraft, RelationDraft, parse_draft

# The keys of an observation's draft that say something about its graph.
GRAPH_FIELDS = ("entities", "relationships")


def parse_observation(raw: Mapping[str, Any], *, default_source: str = "") -> Draft:
    """An observation: a memory of its own even where the text repeats; every entity described."""
    plain = {name: value for name, value in raw.items() if name not in GRAPH_FIELDS}
    return replace(
        parse_draft(**plain, default_source=default_source),
        entities=parse_described(raw.get("entities")),
        relations=parse_edges(raw.get("relationships")),
        identity=None,
        compared=False,
    )


def parse_described(value: object) -> tuple[EntityDraft, ...]:
    """Entities with `name`, `description`, optional `type` and `queries` (A5)."""
    return parse_entities(value, field="entities", kind="type", described=True)


def parse_edges(value: object, *, field: str = "relationships") -> tuple[RelationDraft, ...]:
    """Relationships with `source`, `type`, `target`, optional `description` and `weight`."""
    return parse_relations(value, field=field, source="source", target="target")


def parse_names(value: object, *, field: str) -> tuple[str, ...]:
    """A list of entity names."""
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)) or len(value) > ENTITIES_LIMIT:
        raise InvalidArgument(
            f"{field} must be a list of at most {ENTITIES_LIMIT} names.",
            hint=f'Send {field} as ["First name", "Second name"].',
            field=field,
        )
    return tuple(clean_name(one, field=f"{field}[{number}]") for number, one in enumerate(value))
