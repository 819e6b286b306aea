"""Opening a proposal: what the product is unsure of goes to a person, once a pair and kind (F4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_app.domain.ids import new_id
from memory_app.models import Memory, Proposal
from memory_app.services.ledger import Book


def propose(
    book: Book,
    *,
    kind: str,
    old: Memory,
    new: Memory,
    confidence: float,
    evidence: Mapping[str, Any],
    created_by: str,
) -> Proposal | None:
    """Open a proposal about two memories inside the bank's open book.

    None, and nothing written, when the pair is open already or was ever decided. A pair whose texts
    have changed since it was proposed is opened anew.
    """
    texts = {"old_hash": old.content_hash, "new_hash": new.content_hash}
    key = pair_key(old.id, new.id)
    row = Proposal.objects.filter(bank_id=book.bank.id, kind=kind, pair_key=key).first()
    if row is not None and not _outdated(row, texts):
        return None
    if row is None:
        row = Proposal(
            organization_id=book.bank.organization_id,
            bank_id=book.bank.id,
            id=new_id("prop"),
            kind=kind,
            pair_key=key,
        )
    row.status = Proposal.Status.OPEN
    row.old_memory_id, row.new_memory_id = old.id, new.id
    row.confidence = round(confidence, 4)
    row.evidence = dict(evidence) | texts
    row.created_by, row.created_at = created_by, book.moment
    row.save()
    book.append(
        "propose",
        row.id,
        actor=created_by,
        reason=f"{kind}, p = {confidence:.2f}",
        content={"old": old.id, "new": new.id},
    )
    return row


def pair_key(first: str, second: str) -> str:
    """The same for both orders of a pair."""
    return "|".join(sorted((first, second)))


def _outdated(row: Proposal, texts: Mapping[str, str]) -> bool:
    """Never for a decided pair: what a person has decided isn't asked again."""
    if row.status == Proposal.Status.OBSOLETE:
        return True
    changed = {row.evidence.get(name) for name in texts} != set(texts.values())
    return row.status == Proposal.Status.OPEN and changed
