"""Proposals to merge entities, with both as they are now. All inside `acting_as`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import QuerySet

from memory_app.domain.ids import is_id, missing
from memory_app.models import Entity, EntityProbe, MergeProposal, Proposal, Relationship
from memory_app.queries.access import Access

# So many of a bank's best connected entities are compared with each other.
COMPARED = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReview:
    """A proposal with the two entities it is about."""

    proposal: MergeProposal
    canonical: Entity
    variant: Entity

    @property
    def stands(self) -> bool:
        """Whether both are still live entities."""
        return self.canonical.until is None and self.variant.until is None


def reviews(
    access: Access,
    *,
    status: str = "open",
    after: str | None = None,
    limit: int,
) -> tuple[list[MergeReview], str | None]:
    """Proposals in a state, newest first, and the id to go on after. Two queries."""
    rows = MergeProposal.objects.filter(bank_id=access.bank.id, status=status).order_by("-id")
    if after is not None:
        rows = rows.filter(id__lt=after)
    found = list(rows[: limit + 1])
    following = found[limit - 1].id if len(found) > limit else None
    return _with_entities(access, found[:limit]), following


def find(access: Access, proposal_id: str) -> MergeReview:
    """A proposal in whatever state. Raises `NotFound`; `WrongIdPrefix` for another kind's id."""
    row = None
    if is_id("prop", proposal_id):
        row = MergeProposal.objects.filter(bank_id=access.bank.id, id=proposal_id).first()
    if row is None:
        raise missing("prop", proposal_id)
    return _with_entities(access, [row])[0]


def fallen(access: Access) -> QuerySet[MergeProposal]:
    """Open proposals one of whose entities has ended."""
    gone = Entity.objects.filter(bank_id=access.bank.id, until__isnull=False).values("id")
    rows = MergeProposal.objects.filter(bank_id=access.bank.id, status=Proposal.Status.OPEN)
    return rows.filter(canonical_id__in=gone) | rows.filter(variant_id__in=gone)


def standing(access: Access) -> QuerySet[MergeProposal]:
    """Open proposals both of whose entities are live."""
    live = Entity.objects.filter(bank_id=access.bank.id, until=None).values("id")
    rows = MergeProposal.objects.filter(bank_id=access.bank.id, status=Proposal.Status.OPEN)
    return rows.filter(canonical_id__in=live, variant_id__in=live)


def compared(access: Access) -> list[Entity]:
    """The entities that consolidation looks at, best connected first. One query."""
    rows = Entity.objects.filter(bank_id=access.bank.id, until=None)
    return list(rows.order_by("-degree", "-id")[:COMPARED])


def edges_among(access: Access, ids: Iterable[str]) -> list[tuple[str, str, str]]:
    """(source, type key, target) of live relationships that touch one of the entities. One query."""
    wanted = set(ids)
    rows = Relationship.objects.filter(bank_id=access.bank.id, until=None)
    return [
        (str(source), kind, str(target))
        for source, kind, target in rows.values_list("source_id", "type_key", "target_id")
        if source in wanted or target in wanted
    ]


def description_vectors(access: Access, ids: Iterable[str]) -> tuple[list[str], np.ndarray]:
    """Entity ids and, row by row, the unit vectors of their descriptions. One query."""
    wanted = set(ids)
    rows: Iterable[Any] = EntityProbe.objects.filter(
        bank_id=access.bank.id,
        live=True,
        kind=EntityProbe.Kind.DESCRIPTION,
        embedding__isnull=False,
    ).values_list("entity_id", "embedding")
    found = [(entity_id, vector) for entity_id, vector in rows if entity_id in wanted]
    if not found:
        return [], np.zeros((0, access.bank.dimensions), dtype=np.float32)
    matrix = np.array([vector for _, vector in found], dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return [entity_id for entity_id, _ in found], matrix / np.maximum(lengths, 1e-6)


def _with_entities(access: Access, rows: Sequence[MergeProposal]) -> list[MergeReview]:
    ids = {row.canonical_id for row in rows} | {row.variant_id for row in rows}
    found = {row.id: row for row in Entity.objects.filter(bank_id=access.bank.id, id__in=ids)}
    return [
        MergeReview(proposal=row, canonical=found[row.canonical_id], variant=found[row.variant_id])
        for row in rows
    ]
