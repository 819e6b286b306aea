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
FROM unnest(%(ids)s::uuid[]) AS wanted(id) JOIN LATERAL (
  SELECT * FROM memories m WHERE m.bank_id = %(bank)s AND m.id = wanted.id
    AND m.organization_id = %(organization)s OFFSET 0) AS m ON true
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
    names, columns, converters, place = _columns()
    statement = _STATEMENT.format(columns=columns)
    loaded: dict[str, Loaded] = {}
    for row in scope.rows(statement, ids=list(ids)):
        values = list(row[:-1])
        for number, convert in converters:
            values[number] = convert(values[number])
        loaded[str(row[place])] = Loaded(
            memory=Memory.from_db(connection.alias, names, values),
            disputed_by=tuple(from_uuid("mem", other) for other in row[-1]),
        )
    if scope.as_of is not None:
        turn_back(scope.bank.id, scope.as_of, [entry.memory for entry in loaded.values()])
    return loaded


@lru_cache(maxsize=1)
def _columns() -> tuple[list[str], str, list[tuple[int, Callable[[Any], Any]]], int]:
    """The fields of a memory, their columns, what turns the value of some into Python, by place, and
    where the id is.
    """
    fields = Memory._meta.concrete_fields
    names = [field.attname for field in fields]
    columns = ", ".join(f'm."{field.column}"' for field in fields)
    converters = [(number, _converter(field)) for number, field in enumerate(fields)]
    needed = [(number, convert) for number, convert in converters if convert is not None]
    return names, columns, needed, names.index("id")


def _converter(field: Any) -> Callable[[Any], Any] | None:
    steps = getattr(field, "target_field", field).get_db_converters(connection)

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, None, connection)
        return value

    return convert if steps else None


def turn_back(bank_id: str, watermark: int, memories: Sequence[Memory]) -> None:
    """Give each unsaved instance the fields it had at the watermark, when it was live. One query."""
    versions = MemoryVersion.objects.filter(
        Q(until=None) | Q(until__gt=watermark),
        bank_id=bank_id,
        memory_id__in=[memory.id for memory in memories],
        since__lte=watermark,
    )
    bodies: dict[str, dict[str, Any]] = {row.memory_id: row.body for row in versions}
    for memory in memories:
        memory.retired_at = memory.deleted_at = memory.superseded_by = None
        memory.retired_by = memory.retired_reason = ""
        for name, value in bodies.get(memory.id, {}).items():
            known = parse_datetime(value) if name == "observed_at" and value else value
            setattr(memory, name, known)
