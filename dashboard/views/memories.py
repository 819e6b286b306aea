from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from accounts.queries.names import ActorName, known_names, names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.forms.browsing import ListQuery, parse_list
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.memories import present_hits, present_rows
from memory_app.domain.errors import ProductError
from memory_app.queries.browsing import browse, is_empty
from memory_app.queries.sidebar import Sidebar, load_sidebar
from memory_app.recall.values import Query
from memory_app.services.looking import look

PAGE = "dashboard/memories/index.html"
HITS = 50
_TABS = (
    ("", "Active"),
    ("pinned", "Pinned"),
    ("retired", "Retired"),
    ("pending", "Pending"),
    ("bin", "Bin"),
)
_CHIPS = {
    "author": "by",
    "tag": "tag",
    "category": "category",
    "collection": "collection",
    "source": "source",
    "since": "from",
    "until": "to",
}


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """The list; searched by the same recall that agents use when there is a text to search for."""
    try:
        wanted = parse_list(place.request.GET)
        found = _recalled(place, wanted) if wanted.is_search else _browsed(place, wanted)
    except ProductError as error:
        if error.status in {403, 404}:
            raise
        return _frame(place, ListQuery(), {"problem": error}, status=422)
    return _frame(place, wanted, found)


def _browsed(place: Place, wanted: ListQuery) -> dict[str, Any]:
    with acting_as(place.actor):
        access = load_sidebar(place.actor, place.bank).access
        page = browse(access, wanted.where, after=wanted.after)
        names = names_of(place.actor, {memory.author for memory in page.memories})
        nothing_yet = not page.memories and not wanted.given and is_empty(access)
    base, kept = place.url("memories"), wanted.parameters
    return {
        "rows": present_rows(place, page.memories, names, replacements=page.replacements),
        "older_url": filters.address(base, kept | {"after": page.older or ""})
        if page.older
        else "",
        "newer_url": filters.address(base, kept) if wanted.after else "",
        "nothing_yet": nothing_yet,
        "sample_url": place.url("memory-sample"),
    }


def _recalled(place: Place, wanted: ListQuery) -> dict[str, Any]:
    query = Query(text=wanted.q, limit=HITS, filters=wanted.filters)
    result = look(place.actor, place.bank, query)
    hits = result.hits
    with acting_as(place.actor):
        names = names_of(place.actor, {hit.memory.author for hit in hits})
    took = sum(result.timings.values())
    return {
        "rows": present_hits(place, hits, names),
        "note": f"{len(hits)} found in {took:.0f} ms" if hits else "",
        "empty_text": _refused(result.best_refused_score),
    }


def _frame(
    place: Place, wanted: ListQuery, found: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        authors = known_names(place.actor)
    return show(
        place,
        sidebar,
        PAGE,
        _controls(place, wanted, sidebar, authors) | found,
        part="results",
        status=status,
    )


def _controls(
    place: Place, wanted: ListQuery, sidebar: Sidebar, authors: Sequence[ActorName]
) -> dict[str, Any]:
    base, state = place.url("memories"), wanted.tab
    named = {author.id: author.name for author in authors}
    return {
        "heading": "Memories",
        "section": "memories",
        "filter": wanted.given,
        "authors": authors,
        "tabs": filters.tabs(base, wanted.given, "state", _TABS, current=state),
        "applied": filters.chips(base, wanted.parameters, _CHIPS, {"author": named}),
        "state": state,
        "new_url": place.url("memory-new"),
        "may_add": sidebar.access.allows("read_write"),
        "empty_text": "Try other words, or fewer filters.",
    }


def _refused(best: float | None) -> str:
    if best is None:
        return "Try other words, or fewer filters."
    return f"The closest memory had a similarity of {best:.2f}, below what counts as an answer."
