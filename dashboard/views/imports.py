from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.forms.importing import read_mapping, read_uploads
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.imports import (
    FATES,
    left_of,
    present_import,
    present_lines,
    targets,
)
from memory_app.domain.errors import ProductError
from memory_app.formats import FORMATS
from memory_app.models import ImportJob
from memory_app.queries import documents, imports
from memory_app.queries.sidebar import load_sidebar
from memory_app.rest.streaming import download
from memory_app.services import importing

_LISTED = 20
_LINES = 50
_ACTIONS: dict[str, tuple[Callable[..., ImportJob], str]] = {
    "check": (importing.check, ""),
    "start": (importing.start, ""),
    "start-over-days": (partial(importing.start, over_days=True), ""),
    "cancel": (importing.cancel, "The import is stopped."),
    "resume": (importing.resume, "The import goes on."),
}


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """Paste or drop what is to be imported; what was imported before; what waits to be read (E9,
    D8). Seven queries.
    """
    context: dict[str, Any] = {"text": place.request.POST.get("lines", "")}
    status = 200
    if place.request.method == "POST":
        try:
            return once(place, lambda: _receive(place))
        except ProductError as error:
            if error.status in {403, 404}:
                raise
            context["problem"], status = error, 422
    after = place.request.GET.get("after") or None
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = imports.list_page(sidebar.access, after=after, limit=_LISTED)
        queued = documents.recent(sidebar.access, limit=_LISTED)
        names = names_of(place.actor, {row.closed_by for row in queued if row.closed_by})
    base = place.url("import")
    context |= {
        "heading": "Import",
        "section": "import",
        "imports": [present_import(place, job) for job in page.items],
        "documents": [(row, names.get(row.closed_by)) for row in queued],
        "formats": FORMATS.items(),
        "export_url": place.url("export"),
        "documents_url": place.url("import-documents"),
        "may_import": sidebar.access.allows("read_write"),
        "newer_url": base if after else "",
        "older_url": filters.address(base, {"after": page.next_after}) if page.next_after else "",
    }
    return show(place, sidebar, "dashboard/imports/index.html", context, status=status)


@require_GET
@screen
def job(place: Place, job: str) -> HttpResponse:
    """One import: its progress, its columns, the fate of every line. Seven queries."""
    outcome = place.request.GET.get("outcome", "")
    outcome = outcome if outcome in FATES else ""
    after = place.request.GET.get("after", "")
    number = int(after) if after.isascii() and after.isdigit() and len(after) < 10 else None
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found = imports.find_job(sidebar.access, job)
        page = imports.lines_page(
            sidebar.access, found.id, outcome=outcome, after=number, limit=_LINES
        )
        pace = importing.pace_of(place.actor, lines=left_of(found))
    view = present_import(place, found, outcome=outcome)
    kept = {"outcome": outcome}
    context = {
        "heading": "Import",
        "imports_url": place.url("import"),
        "section": "import",
        "job": view,
        "pace": pace,
        "memories_url": filters.address(place.url("memories"), {"import": found.id}),
        "settings_url": place.organization_url("organization-settings"),
        "usage_url": place.url("usage"),
        "lines": present_lines(place, found, page.items),
        "outcome": outcome,
        "formats": FORMATS.items(),
        "targets": targets(),
        "may_import": sidebar.access.allows("read_write"),
        "newer_url": filters.address(view.url, kept) if number else "",
        "older_url": filters.address(view.url, {**kept, "after": str(page.next_after)})
        if page.next_after
        else "",
        "poll_url": place.request.get_full_path(),
    }
    return show(place, sidebar, "dashboard/imports/job.html", context, part="body")


@require_POST
@screen
def act(place: Place, job: str, action: str) -> HttpResponse:
    """Begin, stop or go on; a refusal comes back as a toast on the import."""
    if action == "configure":
        form, mapping = read_mapping(place.request.POST)
        found = importing.find_import(place.actor, place.bank, job)
        if form != found.options.get("form", ""):
            mapping = None
        importing.configure(
            place.actor,
            place.bank,
            job,
            form=form if mapping is None else None,
            mapping=_named(found, mapping),
        )
        return go(place.request, place.url("import-job", job), "Read again.")
    if action not in _ACTIONS:
        raise Http404("action")
    carry_out, told = _ACTIONS[action]
    done = carry_out(place.actor, place.bank, job)
    started = action.startswith("start") and done.status == "done"
    undo = place.url("import-undo", job) if started else ""
    text = "Imported." if undo else told
    return go(place.request, place.url("import-job", job), text, undo=undo)


@require_POST
@screen
def undo(place: Place, job: str) -> HttpResponse:
    done = importing.undo(place.actor, place.bank, job)
    text = "The import is undone." if done.status == "undone" else "The import is being undone."
    return go(place.request, place.url("import-job", job), text)


@require_GET
@screen
def errors(place: Place, job: str) -> HttpResponseBase:
    rows = importing.errors_of(place.actor, place.bank, job)
    return download(_encoded(rows), name="import-errors.csv", media_type="text/csv")


def _receive(place: Place) -> Landing:
    uploads = read_uploads(place.request)
    form = place.request.POST.get("format", "")
    job = importing.receive(place.actor, place.bank, uploads, form=form)
    return Landing(url=place.url("import-job", job.id))


def _encoded(rows: Iterator[str]) -> Iterator[bytes]:
    return (row.encode() for row in rows)


def _named(job: ImportJob, chosen: dict[int, str] | None) -> dict[str, str] | None:
    """A mapping by the columns' places as one by their names."""
    if chosen is None:
        return None
    columns = job.options.get("columns") or []
    return {columns[place]: target for place, target in chosen.items() if place < len(columns)}
