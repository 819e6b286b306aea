"""The review queue as a screen shows it: open proposals with both memories."""

from __future__ import annotations

from dataclasses import dataclass

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id
from memory_app.models import Memory, Proposal
from memory_app.queries.access import Access
from memory_app.queries.memories import find_many


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPage:
    """Proposals newest first; `memories` holds both sides of each, by id."""

    proposals: tuple[Proposal, ...]
    memories: dict[str, Memory]
    older: str | None


def waiting(access: Access, *, after: str = "", limit: int = 20) -> WaitingPage:
    """One page. Two queries. Raises `InvalidArgument` for a cursor that isn't a proposal's id."""
    if after and not is_id("prop", after):
        raise InvalidArgument(
            "after is not the cursor of a page of proposals.",
            hint="Follow the link to the next page, or leave it out.",
            field="after",
        )
    rows = Proposal.objects.filter(bank_id=access.bank.id, status=Proposal.Status.OPEN)
    if after:
        rows = rows.filter(id__lt=after)
    found = tuple(rows.order_by("-id")[: limit + 1])
    page = found[:limit]
    sides = {side for row in page for side in (row.old_memory_id, row.new_memory_id)}
    return WaitingPage(
        proposals=page,
        memories=find_many(access, sorted(sides)) if sides else {},
        older=page[-1].id if len(found) > limit else None,
    )
