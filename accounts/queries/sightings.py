"""When the agents of a bank were last here; the connect page asks every few seconds."""

from __future__ import annotations

from django.db.models import F

from accounts.actor import Actor
from accounts.models import Connection


def sightings(actor: Actor, bank_id: str, *, limit: int = 20) -> list[Connection]:
    """Connections of one bank with their agents, the last seen first. One query."""
    newest = F("last_seen_at").desc(nulls_last=True)
    found = Connection.objects.filter(organization_id=actor.organization_id, bank_id=bank_id)
    return list(found.select_related("agent").order_by(newest, "-id")[:limit])
