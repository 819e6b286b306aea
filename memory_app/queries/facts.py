"""Memories as facts: with the relationship they assert, where they assert one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_app.models import Assertion, Memory
from memory_app.queries.access import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow:
    """A memory with source, relation and target, empty for a plain statement."""

    memory: Memory
    source: str = ""
    target: str = ""
    relation_type: str = ""
    causal_hint: str = ""


def as_facts(access: Access, memories: Sequence[Memory]) -> list[FactRow]:
    """The memories in their order, each with its newest assertion. One query."""
    rows = (
        Assertion.objects.filter(
            bank_id=access.bank.id, memory_id__in=[memory.id for memory in memories]
        )
        .select_related("relationship__source", "relationship__target")
        .order_by("since", "id")
    )
    asserted = {row.memory_id: row for row in rows}
    return [_fact(memory, asserted.get(memory.id)) for memory in memories]


def _fact(memory: Memory, assertion: Assertion | None) -> FactRow:
    if assertion is None:
        return FactRow(memory=memory)
    edge = assertion.relationship
    return FactRow(
        memory=memory,
        source=edge.source.name,
        target=edge.target.name,
        relation_type=edge.type,
        causal_hint=assertion.causal_hint,
    )
