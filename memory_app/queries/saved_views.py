"""The saved views that an actor may see; call inside `acting_as`."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from memory_app.domain.errors import NotFound
from memory_app.models import SavedView
from memory_app.queries.access import Access

LIMIT = 100


def visible_views(access: Access) -> QuerySet[SavedView]:
    """Shared ones and the actor's own, by name. One query; a bank has at most a few hundred."""
    rows = SavedView.objects.filter(
        Q(shared=True) | Q(created_by=access.actor.id), bank_id=access.bank.id, deleted_at=None
    )
    return rows.order_by("name", "id")[:LIMIT]


def find_view(access: Access, view_id: str, *, removed: bool = False) -> SavedView:
    """Raises `NotFound` alike for one that never was and for another person's private one."""
    rows = SavedView.objects.filter(
        Q(shared=True) | Q(created_by=access.actor.id), bank_id=access.bank.id, id=view_id
    )
    found = rows.filter(deleted_at__isnull=not removed).first()
    if found is None:
        raise NotFound("saved view")
    return found
