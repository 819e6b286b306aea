from __future__ import annotations

from datetime import timedelta

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.services import api_keys
from accounts.services.joining import join_client
from dashboard import fresh
from dashboard.answers import back, go
from dashboard.fresh import FreshKey
from dashboard.place import Place, screen
from memory_app.domain.errors import InvalidArgument

GRACES = {"0": 0, "1": 3600, "24": 24 * 3600, "168": 7 * 24 * 3600}
_DAYS = {"30": 30, "90": 90, "365": 365}


@require_POST
@screen
def issue(place: Place, agent: str) -> HttpResponse:
    """A key for an agent; `new` makes the agent first, connected to this bank (the connect page)."""
    form = place.request.POST
    if agent == "new":
        return _issue_first(place, form.get("agent", ""), form.get("tier") or None)
    days = _DAYS.get(form.get("days", ""))
    expires = timezone.now() + timedelta(days=days) if days else None
    issued = api_keys.issue_key(
        place.actor, agent=agent, name=form.get("name", ""), expires_at=expires
    )
    fresh.keep(place.request, FreshKey(agent=issued.key.agent.name, secret=issued.secret))
    return go(place.request, back(place.request, place.url("agents")))


@require_POST
@screen
def change(place: Place, key: str) -> HttpResponse:
    """Rotate with the hours of grace that were chosen, or revoke at once."""
    here = back(place.request, place.url("agents"))
    if place.request.POST.get("action") == "rotate":
        hours = place.request.POST.get("grace", "24")
        grace = GRACES.get(hours, GRACES["24"])
        issued = api_keys.rotate_key(place.actor, key, grace_seconds=grace)
        fresh.keep(place.request, FreshKey(agent=issued.key.agent.name, secret=issued.secret))
        lasting = f"works for {grace // 3600} more hours" if grace else "works no more"
        return go(place.request, here, f"Rotated. The old key {lasting}.")
    if place.request.POST.get("action") != "revoke":
        raise InvalidArgument("There is no such change of a key.", hint="Rotate or revoke it.")
    api_keys.revoke_key(place.actor, key)
    return go(place.request, here, "The key is revoked.")


def _issue_first(place: Place, name: str, tier: str | None) -> HttpResponse:
    issued = join_client(place.actor, name=name, bank=place.bank, tier=tier)
    fresh.keep(place.request, FreshKey(agent=issued.key.agent.name, secret=issued.secret))
    return go(place.request, place.url("connect"))
