"""Memories as facts: with the relationship they assert, where they assert one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Memory
from memory_app.queries.access import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow:
    """A memory with source, relation and target, empty for a plain statement."""

    memory: Memory
    source: str = ""
    target: str = ""
    relation_type: str = ""
    causal_hint: str = ""


_ASSERTED = """
SELECT DISTINCT ON (a.memory_id) a.memory_id, s.name, t.name, r.type, a.causal_hint
FROM assertions a
JOIN relationships r ON r.bank_id = a.bank_id AND r.id = a.relationship_id
JOIN entities s ON s.bank_id = r.bank_id AND s.id = r.source_id
JOIN entities t ON t.bank_id = r.bank_id AND t.id = r.target_id
WHERE a.bank_id = %(bank)s AND a.memory_id = ANY(%(ids)s)
ORDER BY a.memory_id, a.since DESC, a.id DESC
"""


def as_facts(access: Access, memories: Sequence[Memory]) -> list[FactRow]:
    """The memories in their order, each with its newest assertion. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            _ASSERTED,
            {
                "bank": to_uuid("bank", access.bank.id),
                "ids": [to_uuid("mem", memory.id) for memory in memories],
            },
        )
        asserted = {from_uuid("mem", row[0]): row[1:] for row in cursor.fetchall()}
    return [_fact(memory, asserted.get(memory.id)) for memory in memories]


def _fact(memory: Memory, asserted: tuple[str, str, str, str] | None) -> FactRow:
    if asserted is None:
        return FactRow(memory=memory)
    source, target, relation, hint = asserted
    return FactRow(
        memory=memory, source=source, target=target, relation_type=relation, causal_hint=hint
    )
