from __future__ import annotations

from typing import cast

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from accounts.queries.names import known_names, names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.events import memory_ids, present_events
from memory_app.domain.ids import is_id
from memory_app.queries.feed import KINDS, Kind, feed
from memory_app.queries.memories import find_many
from memory_app.queries.sidebar import load_sidebar

_TABS = (("", "All"), ("searched", "Searched"), ("saved", "Saved"), ("changed", "Changed"))


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What each agent and person asked and changed, newest first (E8). Nine queries."""
    query = place.request.GET
    kind = cast(Kind, query.get("kind", "")) if query.get("kind") in KINDS else ""
    who = query.get("who", "")
    who = who if is_id("agent", who) or is_id("user", who) else ""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = feed(sidebar.access, kind=kind, who=who, after=query.get("after", ""))
        memories = find_many(sidebar.access, memory_ids(page.events))
        names = names_of(place.actor, {event.actor for event in page.events})
        authors = known_names(place.actor)
    base = place.url("activity")
    kept: dict[str, str] = {"kind": kind, "who": who}
    context = {
        "heading": "Activity",
        "section": "activity",
        "events": present_events(place, page.events, names, memories),
        "tabs": filters.tabs(base, kept, "kind", _TABS, current=kind),
        "activity_url": base,
        "authors": authors,
        "kind": kind,
        "who": who,
        "older_url": filters.address(base, {**kept, "after": page.older or ""})
        if page.older
        else "",
        "newer_url": filters.address(base, kept) if query.get("after") else "",
    }
    return show(place, sidebar, "dashboard/activity/index.html", context, part="events")
