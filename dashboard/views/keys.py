from __future__ import annotations

from datetime import timedelta

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.services import api_keys
from accounts.services.api_keys import IssuedKey
from accounts.services.joining import join_client
from dashboard import fresh
from dashboard.answers import back, go
from dashboard.fresh import FreshKey
from dashboard.once import Landing, once
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

    def work() -> Landing:
        issued = api_keys.issue_key(
            place.actor, agent=agent, name=form.get("name", ""), expires_at=expires
        )
        _keep(place, issued)
        return Landing(url=back(place.request, place.url("agents")))

    return once(place, work)


@require_POST
@screen
def change(place: Place, key: str) -> HttpResponse:
    """Rotate with the hours of grace that were chosen, or revoke at once."""
    here = back(place.request, place.url("agents"))
    if place.request.POST.get("action") == "rotate":
        grace = GRACES.get(place.request.POST.get("grace", "24"), GRACES["24"])

        def rotate() -> Landing:
            _keep(place, api_keys.rotate_key(place.actor, key, grace_seconds=grace))
            hours = grace // 3600
            more = "one more hour" if hours == 1 else f"{hours} more hours"
            lasting = f"works for {more}" if grace else "works no more"
            return Landing(url=here, text=f"Rotated. The old key {lasting}.")

        return once(place, rotate)
    if place.request.POST.get("action") != "revoke":
        raise InvalidArgument("There is no such change of a key.", hint="Rotate or revoke it.")
    api_keys.revoke_key(place.actor, key)
    return go(place.request, here, "The key is revoked.")


def _issue_first(place: Place, name: str, tier: str | None) -> HttpResponse:
    def work() -> Landing:
        _keep(place, join_client(place.actor, name=name, bank=place.bank, tier=tier))
        return Landing(url=back(place.request, place.url("connect")))

    return once(place, work)


def _keep(place: Place, issued: IssuedKey) -> None:
    """For the page that follows; the secret itself is in no answer that is given twice."""
    fresh.keep(place.request, FreshKey(agent=issued.key.agent.name, secret=issued.secret))
