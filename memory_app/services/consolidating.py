"""Proposals to merge entities: found by the engine or asked for, decided by a person (A15)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.consolidation.pairing import (
    SAME_MEANING,
    Candidate,
    Pair,
    Pairing,
    Surroundings,
    pair,
    pairings,
)
from memory_app.domain.errors import Conflict, InvalidArgument, TierInsufficient
from memory_app.domain.ids import new_id
from memory_app.models import Entity, MergeProposal, Proposal
from memory_app.queries import merges
from memory_app.queries.access import Access, resolve
from memory_app.queries.merges import MergeReview
from memory_app.services import merging
from memory_app.services.graph import resolution
from memory_app.services.ledger import Book, opened

OPEN_LIMIT = 100
# Rows of the matrix of descriptions that are multiplied at a time.
_STRIDE = 512


def propose_merges(actor: Actor, bank: str | None) -> list[MergeReview]:
    """Look for entities that may be one and open a proposal for each new pair; nothing is merged.

    Answers up to 100 open proposals, surest first. Needs `read_write`. A pair that was ever decided
    isn't proposed again. About two seconds for the 5,000 best connected entities.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        entities = merges.compared(access)
        around = _surroundings(access, entities)
    found = pairings([_candidate(one) for one in entities], around)
    with acting_as(actor):
        access = resolve(actor, bank)
        with opened(access) as book:
            merges.fallen(access).update(status=Proposal.Status.OBSOLETE)
            made = sum(_open(book, one) is not None for one in found)
            if made:
                book.append("consolidate", access.bank.id, counters={"proposed": made})
        reviews, _ = merges.reviews(access, limit=OPEN_LIMIT)
    return sorted(reviews, key=lambda one: -one.proposal.confidence)


def propose_pair(actor: Actor, bank: str | None, *, canonical: str, variant: str) -> MergeReview:
    """Ask that two entities be merged, each by id, name or alias. Needs `read_write`.

    Raises `InvalidArgument` when both name one entity, and `Conflict` when a person has rejected
    the pair.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        if not canonical or not variant:
            raise InvalidArgument(
                "Only one of canonical and variant is given.",
                hint="Name both entities, or neither to look through the bank.",
                field="variant" if canonical else "canonical",
            )
        one = resolution.find(access.bank.id, canonical)
        two = resolution.find(access.bank.id, variant)
        _refuse_self_merge(one.id, two.id)
        with opened(access) as book:
            asked = Pairing(
                canonical=one.id, variant=two.id, confidence=1.0, evidence={"asked_by": actor.id}
            )
            row = _open(book, asked)
            if row is not None:
                book.append("consolidate", access.bank.id, counters={"proposed": 1})
            row = row or MergeProposal.objects.get(
                bank_id=access.bank.id, pair_key=_pair_key(asked)
            )
        if row.status == Proposal.Status.REJECTED:
            raise Conflict(
                "A person has decided that these two are not one.",
                hint="Undo that decision first.",
                details={"proposal": row.id},
            )
        return merges.find(access, row.id)


def merge(actor: Actor, bank: str | None, *, canonical: str, variant: str) -> MergeReview:
    """Merge two entities at once, each named by id, name or alias. People only.

    What they had decided about the pair before is overruled. `undo` parts the two again.
    """
    with _deciding(actor, bank, lambda here: resolution.find(here.bank.id, canonical)) as book:
        one = resolution.find(book.bank.id, canonical)
        two = resolution.find(book.bank.id, variant)
        _refuse_self_merge(one.id, two.id)
        row = _asked_at_once(book, one.id, two.id)
        row.undo = merging.merge_inside(book, one, two, reason="merged by hand")
        _close(book, row, Proposal.Status.ACCEPTED)
        return merges.find(book.access, row.id)


def list_proposals(
    actor: Actor, bank: str | None, *, status: str = "open", after: str | None, limit: int
) -> tuple[list[MergeReview], str | None]:
    """Proposals in a state, newest first, and the id to go on after."""
    with acting_as(actor):
        return merges.reviews(resolve(actor, bank), status=status, after=after, limit=limit)


def accept(actor: Actor, bank: str | None, proposal_id: str) -> MergeReview:
    """Merge the variant into the canonical entity. People only.

    Raises `Conflict` when it is decided already or one of the two is gone.
    """
    with _deciding(actor, bank, lambda here: merges.find(here, proposal_id)) as book:
        review = merges.find(book.access, proposal_id)
        _refuse_unless_open(review)
        _refuse_self_merge(review.canonical.id, review.variant.id)
        if review.stands:
            return decide_inside(book, review, accepted=True)
        _close(book, review.proposal, Proposal.Status.OBSOLETE)
    raise Conflict(
        "One of the two entities is gone; the question no longer stands.",
        hint="Reload the list.",
        details={"status": "obsolete"},
    )


def reject(actor: Actor, bank: str | None, proposal_id: str) -> MergeReview:
    """Decide that the two are not one: the pair is never proposed again. People only."""
    with _deciding(actor, bank, lambda here: merges.find(here, proposal_id)) as book:
        review = merges.find(book.access, proposal_id)
        _refuse_unless_open(review)
        return decide_inside(book, review, accepted=False)


def decide_inside(book: Book, review: MergeReview, *, accepted: bool) -> MergeReview:
    """Merge two standing entities, or keep them apart, inside the bank's open book."""
    row = review.proposal
    if accepted:
        row.undo = merging.merge_inside(
            book, review.canonical, review.variant, reason=f"decision on {row.id}"
        )
        _close(book, row, Proposal.Status.ACCEPTED)
    else:
        _close(book, row, Proposal.Status.REJECTED)
        book.append("reject_merge", row.id)
    return review


def undo(actor: Actor, bank: str | None, proposal_id: str) -> MergeReview:
    """Take a decision back: a merge is split again exactly, a rejection is open again. People only.

    Raises `Conflict` when there is nothing to undo or a later merge stands on this one.
    """
    with _deciding(actor, bank, lambda here: merges.find(here, proposal_id)) as book:
        undo_inside(book, merges.find(book.access, proposal_id))
        return merges.find(book.access, proposal_id)


def undo_inside(book: Book, review: MergeReview) -> None:
    """`undo` inside the bank's open book. Raises `Conflict`, having written nothing."""
    row = review.proposal
    if row.status == Proposal.Status.ACCEPTED:
        merging.split_inside(
            book, review.canonical, review.variant, row.undo, reason=f"decision on {row.id} undone"
        )
    elif row.status == Proposal.Status.REJECTED:
        book.append("undo_decision", row.id)
    else:
        raise Conflict("This proposal has no decision to undo.", hint="Reload the list.")
    row.status = row.evidence.get("before", Proposal.Status.OPEN)
    row.undo, row.decided_by, row.decided_at = {}, "", None
    row.save()


def _candidate(entity: Entity) -> Candidate:
    return Candidate(
        id=entity.id,
        key=entity.name_key,
        type=entity.type,
        degree=entity.degree,
        description=entity.description,
    )


def _surroundings(access: Access, entities: list[Entity]) -> Surroundings:
    ids = [one.id for one in entities]
    wanted = set(ids)
    neighbours: dict[str, set[str]] = {}
    relations: dict[Pair, set[str]] = {}
    for source, kind, target in merges.edges_among(access, ids):
        neighbours.setdefault(source, set()).add(target)
        neighbours.setdefault(target, set()).add(source)
        if {source, target} <= wanted and source != target:
            relations.setdefault(pair(source, target), set()).add(kind)
    return Surroundings(
        neighbours={one: frozenset(found) for one, found in neighbours.items()},
        relations={ids: frozenset(found) for ids, found in relations.items()},
        meanings=_meanings(*merges.description_vectors(access, ids)),
    )


def _meanings(ids: list[str], matrix: np.ndarray) -> Mapping[Pair, float]:
    """Pairs whose descriptions mean the same, with their cosine."""
    found: dict[Pair, float] = {}
    for start in range(0, len(ids), _STRIDE):
        cosines = matrix[start : start + _STRIDE] @ matrix.T
        for row, column in zip(*np.nonzero(cosines >= SAME_MEANING), strict=True):
            one, two = ids[start + int(row)], ids[int(column)]
            if one < two:
                found[pair(one, two)] = float(cosines[row, column])
    return found


def _open(book: Book, found: Pairing) -> MergeProposal | None:
    """A new proposal; None where the pair is open or was decided. An obsolete one opens again."""
    row = MergeProposal.objects.filter(bank_id=book.bank.id, pair_key=_pair_key(found)).first()
    if row is not None and row.status != Proposal.Status.OBSOLETE:
        return None
    if row is None:
        row = MergeProposal(
            organization_id=book.bank.organization_id,
            bank_id=book.bank.id,
            id=new_id("prop"),
            pair_key=_pair_key(found),
        )
    row.status = Proposal.Status.OPEN
    row.canonical_id, row.variant_id = found.canonical, found.variant
    row.confidence, row.evidence = found.confidence, dict(found.evidence)
    row.created_by, row.created_at = book.access.actor.id, book.moment
    row.save()
    return row


def _asked_at_once(book: Book, canonical: str, variant: str) -> MergeProposal:
    """The pair's row for a merge by hand; `before` is what undoing makes of it again."""
    key = "|".join(pair(canonical, variant))
    row = MergeProposal.objects.filter(bank_id=book.bank.id, pair_key=key).first()
    before = Proposal.Status.OBSOLETE.value if row is None else row.status
    row = row or MergeProposal(
        organization_id=book.bank.organization_id,
        bank_id=book.bank.id,
        id=new_id("prop"),
        pair_key=key,
        created_at=book.moment,
        created_by=book.access.actor.id,
    )
    row.canonical_id, row.variant_id, row.confidence = canonical, variant, 1.0
    row.evidence = {"asked_by": book.access.actor.id, "before": before}
    return row


def _pair_key(found: Pairing) -> str:
    return "|".join(pair(found.canonical, found.variant))


def _close(book: Book, row: MergeProposal, status: Proposal.Status) -> None:
    row.status = status
    row.decided_by, row.decided_at = book.access.actor.id, book.moment
    row.save()


def _refuse_unless_open(review: MergeReview) -> None:
    if review.proposal.status != Proposal.Status.OPEN:
        raise Conflict(
            f"This proposal is {review.proposal.status} already.",
            hint="Reload the list, or undo the decision first.",
            details={"status": review.proposal.status},
        )


def _refuse_self_merge(canonical: str, variant: str) -> None:
    if canonical == variant:
        raise InvalidArgument(
            "Both names mean one entity already; it can't be merged into itself.",
            hint="Name two different entities.",
            field="variant",
        )


@contextmanager
def _deciding(actor: Actor, bank: str | None, known: Callable[[Access], object]) -> Iterator[Book]:
    """The bank's open book, for a person who may change it; an agent that names what isn't there,
    which `known` finds out, is told so first.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        if actor.kind != "user":
            known(access)
            raise TierInsufficient(
                "Only a person decides whether two entities are one.",
                hint="Ask somebody to look at the proposals in the dashboard.",
            )
        access.require("full")
        with opened(access) as book:
            yield book
