"""The memories of an answer, in one statement, as they stand or as they stood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils.dateparse import parse_datetime

from memory_app.domain.ids import from_uuid
from memory_app.models import Memory, MemoryVersion
from memory_app.recall.scope import Scope

# Written out, since the ORM spends more time on making this statement than the database on running it.
_STATEMENT = """
SELECT {columns}, ARRAY(
  SELECT p.new_memory_id FROM proposals p
  WHERE p.bank_id = m.bank_id AND p.old_memory_id = m.id
    AND p.status = 'open' AND p.kind = 'contradiction' ORDER BY p.id)
FROM memories m WHERE m.bank_id = %(bank)s AND m.organization_id = %(organization)s
  AND m.id = ANY(%(ids)s::uuid[])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A memory and the memories that dispute it while a person hasn't decided."""

    memory: Memory
    disputed_by: tuple[str, ...]


def load(scope: Scope, ids: Sequence[str]) -> dict[str, Loaded]:
    """One statement; a second one, for the versions, when an earlier instant was asked for."""
    if not ids:
        return {}
    names, converters, place = _columns()
    statement = _STATEMENT.format(columns=", ".join(f'm."{column}"' for column in converters))
    loaded: dict[str, Loaded] = {}
    for row in scope.rows(statement, ids=list(ids)):
        values = [
            convert(value) for convert, value in zip(converters.values(), row[:-1], strict=True)
        ]
        loaded[str(row[place])] = Loaded(
            memory=Memory.from_db(connection.alias, names, values),
            disputed_by=tuple(from_uuid("mem", other) for other in row[-1]),
        )
    if scope.as_of is not None:
        turn_back(scope.bank.id, scope.as_of, [entry.memory for entry in loaded.values()])
    return loaded


@lru_cache(maxsize=1)
def _columns() -> tuple[list[str], dict[str, Callable[[Any], Any]], int]:
    """The fields of a memory, what turns each column's value into Python, and where the id is."""
    fields = Memory._meta.concrete_fields
    names = [field.attname for field in fields]
    converters = {str(field.column): _converter(field) for field in fields}
    return names, converters, names.index("id")


def _converter(field: Any) -> Callable[[Any], Any]:
    steps = getattr(field, "target_field", field).get_db_converters(connection)

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, None, connection)
        return value

    return convert if steps else lambda value: value


def turn_back(bank_id: str, watermark: int, memories: Sequence[Memory]) -> None:
    """Give each unsaved instance the fields it had at the watermark. One query."""
    versions = MemoryVersion.objects.filter(
        Q(until=None) | Q(until__gt=watermark),
        bank_id=bank_id,
        memory_id__in=[memory.id for memory in memories],
        since__lte=watermark,
    )
    bodies: dict[str, dict[str, Any]] = {row.memory_id: row.body for row in versions}
    for memory in memories:
        for name, value in bodies.get(memory.id, {}).items():
            known = parse_datetime(value) if name == "observed_at" and value else value
            setattr(memory, name, known)
