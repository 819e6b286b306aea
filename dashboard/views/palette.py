from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.tenancy import acting_as
from dashboard.place import Place, screen
from dashboard.presenters.entities import present_rows
from dashboard.presenters.memories import border_of, point_to
from dashboard.presenters.shell import action_links, organization_links, screen_links
from memory_app.domain.text import QUERY_LIMIT, clean
from memory_app.queries.access import resolve
from memory_app.queries.entities import best_named
from memory_app.recall.values import Query
from memory_app.services.looking import look

HITS = 6
ENTITIES = 4


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What the palette offers for the letters typed so far: memories, entities, screens, actions."""
    q = clean(place.request.GET.get("q", ""), field="q", limit=QUERY_LIMIT)
    hits = look(place.actor, place.bank, Query(text=q, limit=HITS)).hits if q else ()
    with acting_as(place.actor):
        named = best_named(resolve(place.actor, place.bank), q, limit=ENTITIES) if q else []
    links = [*screen_links(place), *organization_links(place)]
    context = {
        "q": q,
        "border": border_of(hits),
        "rows": [point_to(place, hit.memory) for hit in hits],
        "entities": present_rows(place, named, {}),
        "pages": [link for link in links if matches(q, link.name)],
        "actions": [link for link in action_links(place) if matches(q, link.name)],
        "search_url": f"{place.url('memories')}?{urlencode({'q': q})}" if q else "",
    }
    return render(place.request, "dashboard/palette/options.html", context)


def matches(typed: str, name: str) -> bool:
    """Whether each word typed begins a word of the name."""
    words = name.lower().split()
    return all(any(word.startswith(part) for word in words) for part in typed.lower().split())
