"""The review queue of a bank. All inside `acting_as`."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform

from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.models import Memory, Proposal
from memory_app.queries.access import Access

PAGE_LIMIT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A proposal with the two memories it is about, as they are now."""

    proposal: Proposal
    old: Memory
    new: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Reviews, newest first, and the id to go on after; None at the end."""

    items: list[Review]
    next_after: str | None


def list_open(
    access: Access,
    *,
    kind: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """What waits: both memories are live and worded as when it was proposed. Two queries."""
    if not 1 <= limit <= PAGE_LIMIT:
        raise InvalidArgument(
            f"limit is {limit}; it must be from 1 to {PAGE_LIMIT}.",
            hint=f"Ask for at most {PAGE_LIMIT} and follow the cursor.",
            field="limit",
            details={"least": 1, "most": PAGE_LIMIT},
        )
    rows = standing(access).order_by("-id")
    if kind is not None:
        rows = rows.filter(kind=kind)
    if after is not None:
        rows = rows.filter(id__lt=after)
    found = list(rows[: limit + 1])
    following = found[limit - 1].id if len(found) > limit else None
    return Page(items=_with_memories(access, found[:limit]), next_after=following)


def find(access: Access, proposal_id: str) -> Review:
    """A proposal in whatever state. Two queries. Raises `NotFound`."""
    row = Proposal.objects.filter(
        bank_id=access.bank.id, organization_id=access.actor.organization_id, id=proposal_id
    ).first()
    if row is None:
        raise NotFound("proposal")
    return _with_memories(access, [row])[0]


def fallen(access: Access) -> QuerySet[Proposal]:
    """Open proposals that have lost their ground: a memory was retired, binned or worded anew."""
    rows = Proposal.objects.filter(bank_id=access.bank.id, status=Proposal.Status.OPEN)
    return rows.exclude(_unchanged("old"), _unchanged("new"))


def about(access: Access, memory_id: str) -> QuerySet[Proposal]:
    """Every proposal that names a memory."""
    rows = Proposal.objects.filter(bank_id=access.bank.id)
    return rows.filter(Q(old_memory_id=memory_id) | Q(new_memory_id=memory_id))


def lost(access: Access, memory: Memory) -> bool:
    """Whether a retired memory is so by a person's decision that stands. One query.

    Whoever revived it since, and had it retired otherwise, has overruled the decision.
    """
    rows = Proposal.objects.filter(bank_id=access.bank.id, status=Proposal.Status.ACCEPTED)
    return rows.filter(
        Q(old_memory_id=memory.id) | Q(new_memory_id=memory.id),
        evidence__decided__retired=memory.id,
        decided_at=memory.retired_at,
    ).exists()


def holds(review: Review) -> bool:
    """Whether both memories are live and say what they said when the pair was proposed."""
    return all(
        memory.retired_at is None
        and memory.deleted_at is None
        and memory.content_hash == review.proposal.evidence.get(f"{side}_hash")
        for side, memory in (("old", review.old), ("new", review.new))
    )


def standing(access: Access) -> QuerySet[Proposal]:
    """Open proposals whose memories are live and worded as when it was proposed."""
    rows = Proposal.objects.filter(
        bank_id=access.bank.id,
        organization_id=access.actor.organization_id,
        status=Proposal.Status.OPEN,
    )
    return rows.filter(_unchanged("old"), _unchanged("new"))


def _unchanged(side: str) -> Exists:
    return Exists(
        Memory.objects.filter(
            bank_id=OuterRef("bank_id"),
            id=OuterRef(f"{side}_memory_id"),
            retired_at=None,
            deleted_at=None,
            content_hash=KeyTextTransform(f"{side}_hash", OuterRef("evidence")),
        )
    )


def _with_memories(access: Access, rows: list[Proposal]) -> list[Review]:
    ids = {row.old_memory_id for row in rows} | {row.new_memory_id for row in rows}
    found = {row.id: row for row in Memory.objects.filter(bank_id=access.bank.id, id__in=ids)}
    return [
        Review(proposal=row, old=found[row.old_memory_id], new=found[row.new_memory_id])
        for row in rows
    ]
