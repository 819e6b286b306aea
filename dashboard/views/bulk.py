from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import back, go, local, show
from dashboard.forms.bulk import ARGUMENT, Picked, read_arguments, read_picked
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.bulk import CHOICES, choice_of, counted, present_progress, said
from dashboard.presenters.memories import snippet
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.queries.access import resolve
from memory_app.queries.memories import find_many, tag_counts
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import bulk
from memory_app.services.bulk import deciding
from memory_app.services.graph.resolution import find as find_entity

PAGE = "dashboard/bulk/index.html"
REPORT = "dashboard/bulk/report.html"
_TAGS = 100


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """What a bulk change would do, with its count first; a POST does it."""
    given = place.request.POST if place.request.method == "POST" else place.request.GET
    action = given.get("action", "")
    if action not in CHOICES:
        raise InvalidArgument("There is no such change.", hint="Choose one from the list's bar.")
    choice = choice_of(action)
    picked = read_picked(given)
    selection = picked.selection(entity_of(place, picked))
    problem: InvalidArgument | None = None
    if place.request.method == "POST":
        try:
            return once(
                place,
                lambda: _after(
                    place,
                    bulk.begin(
                        place.actor,
                        place.bank,
                        action,
                        selection,
                        read_arguments(given, choice.field),
                    ),
                ),
            )
        except InvalidArgument as error:
            problem = error
    looked = bulk.look(place.actor, place.bank, selection)
    context: dict[str, Any] = {
        "heading": choice.label,
        "section": "memories",
        "choice": choice,
        "matching": counted(looked.matching),
        "number": looked.matching,
        "more": looked.matching - len(looked.examples),
        "examples": [snippet(memory.content) for memory in looked.examples],
        "hidden": picked.hidden,
        "next": _list_url(place, picked),
        "value": given.get(ARGUMENT, ""),
        "problem": problem,
    }
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        if choice.field == "tags":
            context["known_tags"] = [tag for tag, _ in tag_counts(sidebar.access, limit=_TAGS)]
    return show(place, sidebar, PAGE, context, status=422 if problem else 200)


@require_GET
@screen
def report(place: Place, operation: str) -> HttpResponse:
    """How far an operation is, and what it left out; asks again by itself while it runs."""
    found = bulk.report(place.actor, place.bank, operation)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        names = names_of(place.actor, {found.operation.actor})
        memories = find_many(
            sidebar.access, [str(item.memory_id) for item in found.failures if item.memory_id]
        )
    snippets = {memory.id: snippet(memory.content) for memory in memories.values()}
    progress = present_progress(place, found, names[found.operation.actor], snippets)
    context = {"heading": "Bulk change", "section": "memories", "progress": progress}
    return show(place, sidebar, REPORT, context, part="progress")


@require_POST
@screen
def undo(place: Place, operation: str) -> HttpResponse:
    found = bulk.undo(place.actor, place.bank, operation)
    if not found.finished or found.failures:
        return go(place.request, place.url("bulk-report", operation), said(found))
    here = place.url("review" if found.operation.action == deciding.ACTION else "memories")
    return go(place.request, back(place.request, here), said(found))


def entity_of(place: Place, picked: Picked) -> str | None:
    """The id of the entity that the list is filtered by."""
    if not picked.listed.entity:
        return None
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        try:
            return str(find_entity(access.bank.id, picked.listed.entity).id)
        except NotFound:
            raise InvalidArgument(
                f"Nothing here is called {picked.listed.entity:.80}.",
                hint="Choose an entity that a memory names.",
                field="entity",
            ) from None


def _after(place: Place, report: bulk.Report) -> Landing:
    undo_url = place.url("bulk-undo", report.operation.id)
    address = place.url("bulk-report", report.operation.id)
    if not report.finished:
        return Landing(url=address)
    if not report.failures:
        address = back(place.request, place.url("memories"))
    return Landing(url=address, text=said(report), undo=undo_url)


def _list_url(place: Place, picked: Picked) -> str:
    wanted = place.request.GET.get("next") or place.request.POST.get("next", "")
    listed = filters.address(place.url("memories"), picked.listed.parameters)
    return local(place.request, wanted, listed)
