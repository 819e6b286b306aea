"""What refers to an appendix file. Inside `acting_as`."""

from __future__ import annotations

from django.db.models import Q

from memory_app.models import Memory
from memory_app.queries.access import Access


def referring(access: Access, path: str, *, limit: int) -> list[Memory]:
    """Live memories whose source is the path or whose text names it, newest first.

    One query, which passes over the bank's memories where few refer to it.
    """
    rows = Memory.objects.filter(
        Q(source=path) | Q(content__contains=path),
        bank_id=access.bank.id,
        organization_id=access.actor.organization_id,
        retired_at=None,
        deleted_at=None,
    )
    return list(rows.order_by("-id")[:limit])
