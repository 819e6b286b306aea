from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.connections import present_connections
from dashboard.presenters.history import present_history, present_recalls
from dashboard.presenters.reading import present_identifiers, present_properties, present_reading
from memory_app.queries.connections import connections_of
from memory_app.queries.memories import find, find_many
from memory_app.queries.provenance import origin_of, recalls_serving, story
from memory_app.queries.sidebar import load_sidebar

PAGE = "dashboard/memory/index.html"


@require_GET
@screen
def index(place: Place, memory: str) -> HttpResponse:
    """One memory with its history and the recalls that served it."""
    return memory_page(place, memory, {})


def memory_page(
    place: Place, memory: str, extra: dict[str, Any], *, part: str = "", status: int = 200
) -> HttpResponse:
    """The page with `extra` on top (the editor, a problem). A dozen queries, whatever its history."""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found = find(sidebar.access, memory)
        told = story(sidebar.access, found.id)
        origin = origin_of(sidebar.access, found)
        connected = connections_of(sidebar.access, found)
        recalls = recalls_serving(sidebar.access, found.id)
        replacement = find_many(
            sidebar.access, [found.superseded_by] if found.superseded_by else []
        )
        names = names_of(
            place.actor,
            {
                found.author,
                found.retired_by,
                *(entry.actor for entry in told.entries),
                *(recall.actor for recall in recalls),
            },
        )
    context = {
        "heading": "Memory",
        "section": "memories",
        "memory": present_reading(
            place, found, names, replacement=replacement.get(found.superseded_by or "")
        ),
        "connections": present_connections(place, connected),
        "link_url": place.url("memory-link", found.id),
        "properties": present_properties(place, found, names, origin),
        "identifiers": present_identifiers(found),
        "history": present_history(told, names),
        "expect_url": filters.address(place.url("test-new"), {"memory": found.id}),
        "recalls": present_recalls(place, recalls, found.id, names),
    }
    return show(place, sidebar, PAGE, context | extra, part=part, status=status)
