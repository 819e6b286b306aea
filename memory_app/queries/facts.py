"""Memories as facts: with the relationship they assert, where they assert one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from accounts.questions import Question, Row
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


# Step by step from the ids: without statistics (a bank that was just filled) a join of the four tables
# begins at the entities and reads the bank. `OFFSET 0` keeps a step a look-up of its own.
_ASSERTED = """
SELECT a.memory_id,
  (SELECT e.name FROM entities e WHERE e.bank_id = %(bank)s AND e.id = r.source_id),
  (SELECT e.name FROM entities e WHERE e.bank_id = %(bank)s AND e.id = r.target_id),
  r.type, a.causal_hint
FROM unnest(%(stated_by)s::uuid[]) AS wanted(id)
CROSS JOIN LATERAL (
  SELECT a.memory_id, a.relationship_id, a.causal_hint FROM assertions a
  WHERE a.bank_id = %(bank)s AND a.memory_id = wanted.id
  ORDER BY a.since DESC, a.id DESC LIMIT 1) AS a
CROSS JOIN LATERAL (
  SELECT r.source_id, r.target_id, r.type FROM relationships r
  WHERE r.bank_id = %(bank)s AND r.id = a.relationship_id OFFSET 0) AS r
"""


def as_facts(access: Access, memories: Sequence[Memory]) -> list[FactRow]:
    """The memories in their order, each with its newest assertion. One query."""
    question = asserted_question(access, memories)
    with connection.cursor() as cursor:
        cursor.execute(question.sql, question.values)
        return facts_from(memories, cursor.fetchall())


def asserted_question(access: Access, memories: Sequence[Memory]) -> Question:
    """What `facts_from` reads, for callers that ask more in the same message."""
    return Question(
        sql=_ASSERTED,
        values={
            "bank": to_uuid("bank", access.bank.id),
            "stated_by": [to_uuid("mem", memory.id) for memory in memories],
        },
    )


def facts_from(memories: Sequence[Memory], rows: Sequence[Row]) -> list[FactRow]:
    """The memories in their order, with what the rows of an `asserted_question` tell."""
    asserted = {from_uuid("mem", row[0]): row[1:] for row in rows}
    return [_fact(memory, asserted.get(memory.id)) for memory in memories]


def _fact(memory: Memory, asserted: Row | None) -> FactRow:
    if asserted is None:
        return FactRow(memory=memory)
    source, target, relation, hint = asserted
    return FactRow(
        memory=memory, source=source, target=target, relation_type=relation, causal_hint=hint
    )
