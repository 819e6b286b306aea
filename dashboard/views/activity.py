from __future__ import annotations

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.queries.names import known_names, names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.events import memory_ids, present_events
from memory_app.domain.ids import is_id
from memory_app.queries.access import resolve
from memory_app.queries.feed import KINDS, Kind, count_newer, feed
from memory_app.queries.memories import find_many
from memory_app.queries.sidebar import load_sidebar

_TABS = (("", "All"), ("searched", "Searched"), ("saved", "Saved"), ("changed", "Changed"))


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What each agent and person asked and changed, newest first (E8). Nine queries."""
    after = place.request.GET.get("after", "")
    kind, who = _conditions(place.request.GET)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = feed(sidebar.access, kind=kind, who=who, after=after)
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
        "newer_url": filters.address(base, kept) if after else "",
        "newer_events_url": _newer_url(place, kept, page.events[0].id)
        if page.events and not after
        else "",
    }
    return show(place, sidebar, "dashboard/activity/index.html", context, part="events")


@require_GET
@screen
def newer(place: Place) -> HttpResponse:
    """How many events came since the page was drawn; asked every ten seconds. Four queries."""
    since = place.request.GET.get("since", "")
    kind, who = _conditions(place.request.GET)
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        number = count_newer(access, since=since, kind=kind, who=who)
    kept: dict[str, str] = {"kind": kind, "who": who}
    context = {
        "number": number,
        "activity_url": filters.address(place.url("activity"), kept),
        "newer_events_url": _newer_url(place, kept, since),
    }
    return render(place.request, "dashboard/activity/newer.html", context)


def _conditions(query: QueryDict) -> tuple[Kind, str]:
    """Kind and actor as the address names them; what it misspells is left out."""
    kind = query.get("kind", "")
    who = query.get("who", "")
    known = is_id("agent", who) or is_id("user", who)
    return kind if kind in KINDS else "", who if known else ""


def _newer_url(place: Place, kept: dict[str, str], since: str) -> str:
    return filters.address(place.url("activity-newer"), kept | {"since": since})
