"""Who was here last, for the connect page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import Connection

_LIVE = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    agent: str
    client: str
    last_seen_at: datetime | None
    live: bool


def present_sightings(connections: Iterable[Connection]) -> list[Sighting]:
    """`live` = within the last two minutes."""
    now = timezone.now()
    return [
        Sighting(
            agent=connection.agent.name,
            client=connection.last_client,
            last_seen_at=connection.last_seen_at,
            live=connection.last_seen_at is not None and now - connection.last_seen_at < _LIVE,
        )
        for connection in connections
    ]
