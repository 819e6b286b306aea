from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.queries.names import ActorName, known_names, names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.forms.browsing import ListQuery, parse_list
from dashboard.forms.importing import PASTED
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.bulk import offered
from dashboard.presenters.memories import present_hits, present_rows
from dashboard.presenters.saved_views import present_standing
from memory_app.domain.errors import InvalidArgument, NotFound, ProductError
from memory_app.queries.access import Access, resolve
from memory_app.queries.browsing import ORDERS, BrowsePage, browse, is_empty
from memory_app.queries.imports import find_job
from memory_app.queries.memories import count, count_newer
from memory_app.queries.sidebar import Sidebar, load_sidebar
from memory_app.recall.values import Query
from memory_app.services.graph.resolution import find as find_entity
from memory_app.services.looking import look
from memory_app.services.time_travel import browse_as_of

PAGE = "dashboard/memories/index.html"
HITS = 50
COUNTED = 10_000
NEWER_COUNTED = 50
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
    "session": "session",
    "import": "import",
    "entity": "about",
    "since": "from",
    "until": "to",
    "as_of": "as of",
    "recalled": "recalled",
    "idle": "untouched for days",
}


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """The list; searched by the same recall that agents use when there is a text to search for."""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        authors = known_names(place.actor)
    try:
        wanted = parse_list(place.request.GET)
        entity = _entity(place, sidebar, wanted)
        wanted = replace(wanted, where=replace(wanted.where, entity=entity.id if entity else None))
        imported = _imported(place, sidebar, wanted)
        if wanted.is_search:
            found = _recalled(place, wanted, entity.name if entity else "")
        else:
            found = _browsed(place, sidebar, wanted)
    except ProductError as error:
        if error.status in {403, 404}:
            raise
        wanted, found, imported = ListQuery(), {"problem": error}, {}
    return show(
        place,
        sidebar,
        PAGE,
        _controls(place, wanted, sidebar, authors, imported) | found,
        part="results",
        status=422 if "problem" in found else 200,
    )


@require_GET
@screen
def newer(place: Place) -> HttpResponse:
    """How many memories came since the list was drawn; asked when the page hears of one. Two queries."""
    wanted = parse_list(place.request.GET)
    since = place.request.GET.get("newest", "")
    number = 0
    if wanted.follows:
        with acting_as(place.actor):
            access = resolve(place.actor, place.bank)
            number = count_newer(access, wanted.where, since=since, most=NEWER_COUNTED)
    context = {
        "number": number,
        "more": number == NEWER_COUNTED,
        "fresh_url": filters.address(place.url("memories"), wanted.parameters),
        "newer_memories_url": _newer_url(place, wanted, since),
    }
    return render(place.request, "dashboard/memories/newer.html", context)


def _browsed(place: Place, sidebar: Sidebar, wanted: ListQuery) -> dict[str, Any]:
    access = sidebar.access
    if wanted.as_of:
        page = browse_as_of(
            place.actor, place.bank, wanted.where, wanted.as_of,
            after=wanted.after, order=wanted.order,
        )  # fmt: skip
    with acting_as(place.actor):
        if not wanted.as_of:
            page = browse(access, wanted.where, after=wanted.after, order=wanted.order)
        names = names_of(place.actor, {memory.author for memory in page.memories})
        nothing_yet = not page.memories and not wanted.given and is_empty(access)
        number = _number(access, wanted, len(page.memories))
    base, kept = place.url("memories"), wanted.parameters
    return {
        "rows": present_rows(place, page.memories, names, replacements=page.replacements),
        "older_url": filters.address(base, kept | {"after": page.older or ""})
        if page.older
        else "",
        "newer_url": filters.address(base, kept) if wanted.after else "",
        "nothing_yet": nothing_yet,
        "newer_memories_url": _newest_of(place, wanted, page),
        "sample_url": place.url("memory-sample"),
        "all_matching": "" if wanted.as_of else number,
        "note": f"{number} memories" if page.older and not wanted.as_of else "",
        "sample_bank_url": place.organization_url("sample"),
    }


def _newest_of(place: Place, wanted: ListQuery, page: BrowsePage) -> str:
    """Where to ask for what is newer than the page; empty for a page that doesn't begin with the newest.

    Pinned ones come first, so a page full of them doesn't tell which is the newest of the others.
    """
    only_pinned = page.older and all(memory.pinned_at for memory in page.memories)
    if not wanted.follows or only_pinned:
        return ""
    return _newer_url(place, wanted, max((memory.id for memory in page.memories), default=""))


def _newer_url(place: Place, wanted: ListQuery, since: str) -> str:
    return filters.address(place.url("memories-newer"), wanted.parameters | {"newest": since})


def _number(access: Access, wanted: ListQuery, listed: int) -> str:
    """How many match, counted up to 10,000; at an earlier instant only what the page shows."""
    if wanted.as_of:
        return f"{listed:,}"
    counted = count(access, wanted.where, most=COUNTED)
    return f"{COUNTED:,}+" if counted == COUNTED else f"{counted:,}"


def _recalled(place: Place, wanted: ListQuery, entity: str) -> dict[str, Any]:
    asked = replace(wanted.filters, about=(entity,)) if entity else wanted.filters
    query = Query(text=wanted.q, limit=HITS, filters=asked, as_of=wanted.as_of)
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


def _controls(
    place: Place,
    wanted: ListQuery,
    sidebar: Sidebar,
    authors: Sequence[ActorName],
    imported: dict[str, str],
) -> dict[str, Any]:
    base, state = place.url("memories"), wanted.tab
    named = {author.id: author.name for author in authors}
    may_change = sidebar.access.allows("full")
    return {
        "heading": "Memories",
        "section": "memories",
        "filter": wanted.given,
        "authors": authors,
        "tabs": filters.tabs(base, wanted.given, "state", _TABS, current=state),
        "applied": filters.chips(
            base, wanted.parameters, _CHIPS, {"author": named, "import": imported}
        ),
        "state": state,
        "orders": [(order.name, order.label) for order in ORDERS.values()],
        "order": wanted.order,
        "standing": present_standing(place, sidebar.views, wanted.parameters),
        "may_share": may_change,
        "parameters": list(wanted.parameters.items()),
        "choices": offered(state) if may_change else (),
        "picks": True,
        "bulk_url": place.url("bulk"),
        "export_url": place.url("memories-export"),
        "merge_url": place.url("memories-merge") if may_change and state in {"", "pinned"} else "",
        "new_url": place.url("memory-new"),
        "may_add": sidebar.access.allows("read_write"),
        "empty_text": "Try other words, or fewer filters.",
    }


def _entity(place: Place, sidebar: Sidebar, wanted: ListQuery) -> Any:
    """The entity that the list is about, if it is. Raises `InvalidArgument` for an unknown one."""
    if not wanted.entity:
        return None
    with acting_as(place.actor):
        try:
            return find_entity(sidebar.access.bank.id, wanted.entity)
        except NotFound:
            raise InvalidArgument(
                f"Nothing here is called “{wanted.entity:.80}”.",
                hint="Choose an entity that a memory names.",
                field="entity",
            ) from None


def _imported(place: Place, sidebar: Sidebar, wanted: ListQuery) -> dict[str, str]:
    """What the import is called whose memories are listed. Raises `NotFound` for an unknown one."""
    if wanted.where.import_id is None:
        return {}
    with acting_as(place.actor):
        job = find_job(sidebar.access, wanted.where.import_id)
    return {job.id: job.name or PASTED}


def _refused(best: float | None) -> str:
    if best is None:
        return "Try other words, or fewer filters."
    return f"The closest memory had a similarity of {max(best, 0.0):.2f}, below what counts as an answer."
