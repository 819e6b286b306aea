"""Memories as facts: with the relationship they assert, where they assert one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from accounts.questions import Question, Row
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Memory
from memory_app.queries.access import Access
from memory_app.queries.past import fields_then
from memory_app.queries.standing import stood


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
  r.type, a.causal_hint, r.source_id, r.target_id
FROM unnest(%(stated_by)s::uuid[]) AS wanted(id)
CROSS JOIN LATERAL (
  SELECT a.memory_id, a.relationship_id, a.causal_hint FROM assertions a
  WHERE a.bank_id = %(bank)s AND a.memory_id = wanted.id AND {stood}
  ORDER BY a.since DESC, a.id DESC LIMIT 1) AS a
CROSS JOIN LATERAL (
  SELECT r.source_id, r.target_id, r.type FROM relationships r
  WHERE r.bank_id = %(bank)s AND r.id = a.relationship_id OFFSET 0) AS r
"""

# What a live memory no longer states isn't told; one that went states what it last did.
_STANDS = """(a.until IS NULL OR EXISTS (
  SELECT 1 FROM memories m WHERE m.bank_id = %(bank)s AND m.id = a.memory_id
  AND coalesce(m.deleted_at, m.retired_at) IS NOT NULL))"""


def as_facts(access: Access, memories: Sequence[Memory]) -> list[FactRow]:
    """The memories in their order, each with its newest assertion. One query."""
    question = asserted_question(access, memories)
    with connection.cursor() as cursor:
        cursor.execute(question.sql, question.values)
        return facts_from(memories, cursor.fetchall())


def asserted_question(
    access: Access, memories: Sequence[Memory], *, at: int | None = None
) -> Question:
    """What `facts_from` reads, for callers that ask more in the same message."""
    return Question(
        sql=_ASSERTED.format(stood=_STANDS if at is None else stood("a")),
        values={
            "bank": to_uuid("bank", access.bank.id),
            "stated_by": [to_uuid("mem", memory.id) for memory in memories],
            "at": at,
        },
    )


def facts_from(memories: Sequence[Memory], rows: Sequence[Row]) -> list[FactRow]:
    """The memories in their order, with what the rows of an `asserted_question` tell."""
    asserted = {from_uuid("mem", row[0]): row[1:] for row in rows}
    return [_fact(memory, asserted.get(memory.id)) for memory in memories]


def facts_then(
    access: Access, memories: Sequence[Memory], rows: Sequence[Row], *, at: int
) -> list[FactRow]:
    """`facts_from` with the names that the entities had at the watermark. One more query."""
    ends = {end for row in rows for end in row[5:]}
    ids = {end: from_uuid("ent", end) for end in ends}
    names = {
        one: was["name"]
        for one, was in fields_then(access.bank.id, ids.values(), at).items()
        if "name" in was
    }
    renamed = [
        (row[0], names.get(ids[row[5]], row[1]), names.get(ids[row[6]], row[2]), *row[3:])
        for row in rows
    ]
    return facts_from(memories, renamed)


def _fact(memory: Memory, asserted: Row | None) -> FactRow:
    if asserted is None:
        return FactRow(memory=memory)
    source, target, relation, hint, *_ = asserted
    return FactRow(
        memory=memory, source=source, target=target, relation_type=relation, causal_hint=hint
    )
