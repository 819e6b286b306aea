from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.queries.names import ActorName, known_names, names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.forms.following import Followed, parse_feed
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.events import (
    changed,
    edits,
    group_sessions,
    memory_ids,
    present_events,
)
from dashboard.presenters.operations import known_operations, words_of
from memory_app.queries.access import resolve
from memory_app.queries.feed import changes_of, count_newer, feed
from memory_app.queries.memories import find_many
from memory_app.queries.sidebar import load_sidebar
from memory_app.queries.targets import names_of_targets

_TABS = (("", "All"), ("searched", "Searched"), ("saved", "Saved"), ("changed", "Changed"))
_CHIPS = {"who": "by", "action": "action", "q": "text", "since": "from", "until": "to"}


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What each agent and person asked and changed, newest first (E8). Ten queries, and one for each
    kind of thing other than memories that was changed.
    """
    wanted = parse_feed(place.request.GET)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = feed(sidebar.access, wanted.where, after=wanted.after)
        memories = find_many(sidebar.access, memory_ids(page.events))
        contents = changes_of(sidebar.access, edits(page.events))
        targets = names_of_targets(sidebar.access, changed(page.events))
        names = names_of(place.actor, {event.actor for event in page.events})
        authors = known_names(place.actor)
    base = place.url("activity")
    events = present_events(place, page.events, names, memories, contents, targets)
    context = _controls(base, wanted, authors) | {
        "heading": "Activity",
        "section": "activity",
        "events": events,
        "sessions": group_sessions(events),
        "authors": authors,
        "older_url": filters.address(base, {**wanted.given, "after": page.older or ""})
        if page.older
        else "",
        "newer_url": filters.address(base, wanted.given) if wanted.after else "",
        "newer_events_url": _newer_url(place, wanted, page.events[0].id)
        if page.events and not wanted.after
        else "",
    }
    return show(place, sidebar, "dashboard/activity/index.html", context, part="events")


@require_GET
@screen
def newer(place: Place) -> HttpResponse:
    """How many events came since the page was drawn; asked while somebody reads. Four queries."""
    since = place.request.GET.get("newest", "")
    wanted = parse_feed(place.request.GET)
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        number = count_newer(access, wanted.where, since=since)
    context = {
        "number": number,
        "activity_url": filters.address(place.url("activity"), wanted.given),
        "newer_events_url": _newer_url(place, wanted, since),
    }
    return render(place.request, "dashboard/activity/newer.html", context)


def _controls(base: str, wanted: Followed, authors: Sequence[ActorName]) -> dict[str, Any]:
    words = {
        "who": {author.id: author.name for author in authors},
        "action": {wanted.where.operation: words_of(wanted.where.operation).title},
    }
    return {
        "activity_url": filters.address(base, wanted.given),
        "base_url": base,
        "tabs": filters.tabs(base, wanted.given, "kind", _TABS, current=wanted.where.kind),
        "chips": filters.chips(base, wanted.given, _CHIPS, words),
        "operations": known_operations(),
        "given": wanted.given,
        "kind": wanted.where.kind,
        "who": wanted.where.who,
    }


def _newer_url(place: Place, wanted: Followed, since: str) -> str:
    return filters.address(place.url("activity-newer"), {**wanted.given, "newest": since})
