"""The address that takes a change of access back, for the toast that tells of the change."""

from __future__ import annotations

from datetime import datetime

from accounts.services.taking_back import last_change
from dashboard.answers import back
from dashboard.place import Place
from dashboard.presenters.filters import address


def way_back(place: Place, target: str, *, since: datetime, here: str) -> str:
    """Nothing where this request, begun at `since`, has changed nothing about the target."""
    event = last_change(place.actor, target, since=since)
    if not event:
        return ""
    url = place.organization_url("access-undo", event)
    return address(url, {"next": back(place.request, here)})
