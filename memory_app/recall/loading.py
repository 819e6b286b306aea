"""The memories of an answer, in one statement, as they stand or as they stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Q, UUIDField
from django.db.models.functions import Cast
from django.utils.dateparse import parse_datetime

from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.models import Memory, MemoryVersion, Proposal
from memory_app.recall.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A memory and the memories that dispute it while a person hasn't decided."""

    memory: Memory
    disputed_by: tuple[str, ...]


def load(scope: Scope, ids: Sequence[UUID]) -> dict[UUID, Loaded]:
    """One statement; a second one, for the versions, when an earlier instant was asked for."""
    if not ids:
        return {}
    disputes = (
        Proposal.objects.filter(
            Q(old_memory_id=OuterRef("id")),
            bank_id=scope.bank.id,
            status=Proposal.Status.OPEN,
            kind=Proposal.Kind.CONTRADICTION,
        )
        .annotate(by=Cast(F("new_memory_id"), UUIDField()))
        .values("by")
    )
    rows = Memory.objects.filter(
        organization_id=scope.bank.organization_id, bank_id=scope.bank.id, id__in=list(ids)
    ).annotate(disputes=ArraySubquery(disputes))
    loaded = {
        to_uuid("mem", memory.id): Loaded(
            memory=memory,
            disputed_by=tuple(from_uuid("mem", other) for other in memory.disputes),
        )
        for memory in rows
    }
    if scope.as_of is not None:
        _turn_back(scope, [entry.memory for entry in loaded.values()])
    return loaded


def _turn_back(scope: Scope, memories: Sequence[Memory]) -> None:
    """Give each unsaved instance the fields it had at the scope's watermark."""
    versions = MemoryVersion.objects.filter(
        Q(until=None) | Q(until__gt=scope.as_of),
        bank_id=scope.bank.id,
        memory_id__in=[memory.id for memory in memories],
        since__lte=scope.as_of,
    )
    bodies: dict[str, dict[str, Any]] = {row.memory_id: row.body for row in versions}
    for memory in memories:
        for name, value in bodies.get(memory.id, {}).items():
            known = parse_datetime(value) if name == "observed_at" and value else value
            setattr(memory, name, known)
