"""When an agent was last at a bank, whatever door it came by: what the connect page shows."""

from __future__ import annotations

from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from accounts.actor import Actor
from accounts.models import Connection
from accounts.tenancy import acting_as
from memory_app.domain.ids import is_id

SECONDS = 20


def note_seen(actor: Actor, bank: str) -> None:
    """Remember an agent's visit to a bank of that slug or id; written at most every 20 seconds.

    One look into the cache otherwise. A bank it has no connection to is nothing to remember.
    """
    if actor.kind != "agent" or not cache.add(f"seen:{actor.id}:{bank}", 1, SECONDS):
        return
    named = Q(bank=bank) if is_id("bank", bank) else Q(bank__slug=bank)
    with acting_as(actor, relaxed=True):
        Connection.objects.filter(named, agent__id=actor.id).update(
            last_seen_at=timezone.now(), last_client=actor.client[:300]
        )
