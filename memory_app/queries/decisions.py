"""What people made of the system's proposals. Inside `acting_as`."""

from __future__ import annotations

from collections import defaultdict

from accounts.actor import SYSTEM_ACTORS
from memory_app.models import MergeProposal, Proposal
from memory_app.queries.access import Access

LIMIT = 10_000
MERGE = "merge"
_DECIDED = (Proposal.Status.ACCEPTED, Proposal.Status.REJECTED)


def decided(access: Access) -> dict[str, list[tuple[float, bool]]]:
    """Confidence and "a person agreed" of the newest 10,000 decided proposals, by kind."""
    found: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    rows = Proposal.objects.filter(bank_id=access.bank.id, status__in=_DECIDED).order_by("-id")
    # What agents ask for says nothing about how sure the judge may be.
    rows = rows.filter(created_by__in=SYSTEM_ACTORS)
    for kind, confidence, status in rows.values_list("kind", "confidence", "status")[:LIMIT]:
        found[kind].append((confidence, status == Proposal.Status.ACCEPTED))
    merges = MergeProposal.objects.filter(bank_id=access.bank.id, status__in=_DECIDED)
    for confidence, status in merges.order_by("-id").values_list("confidence", "status")[:LIMIT]:
        found[MERGE].append((confidence, status == Proposal.Status.ACCEPTED))
    return dict(found)
