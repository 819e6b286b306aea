"""The queue of files that a project has written and nobody has taken in yet. Inside `acting_as`."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.questions import Question
from memory_app.domain.ids import to_uuid
from memory_app.models import PendingDocument
from memory_app.queries.access import Access

PAGE_LIMIT = 200

_ANY_WAITING = """
SELECT EXISTS (SELECT FROM pending_documents WHERE bank_id = %(queue)s AND closed_at IS NULL)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Open documents, the longest waiting first; `next_after` where there are more."""

    documents: tuple[PendingDocument, ...]
    next_after: str | None


def waiting(
    access: Access, *, project: str | None = None, after: str | None = None, limit: int = 50
) -> Waiting:
    """One page. One query."""
    rows = PendingDocument.objects.filter(bank_id=access.bank.id, closed_at=None)
    if project:
        rows = rows.filter(project=project)
    if after:
        rows = rows.filter(id__gt=after)
    found = list(rows.order_by("id")[: limit + 1])
    return Waiting(
        documents=tuple(found[:limit]),
        next_after=found[limit - 1].id if len(found) > limit else None,
    )


def recent(access: Access, *, limit: int = 20) -> tuple[PendingDocument, ...]:
    """The documents that were queued last, read ones too, those that wait first. One query."""
    rows = PendingDocument.objects.filter(bank_id=access.bank.id)
    newest = list(rows.order_by("-id")[:limit])
    return tuple(sorted(newest, key=lambda row: row.closed_at is not None))


def any_waiting_question(access: Access) -> Question:
    """Whether anything waits in this bank, for callers that ask more in the same message."""
    return Question(sql=_ANY_WAITING, values={"queue": to_uuid("bank", access.bank.id)})
