from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_GET

from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.place import Place, screen
from dashboard.presenters.exports import present_exports
from memory_app.queries.sidebar import load_sidebar
from memory_app.rest.streaming import download
from memory_app.rest.views.transfer import EXPORTS


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """The three files a bank can be taken away in. Four queries."""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
    context = {
        "heading": "Export",
        "section": "export",
        "exports": present_exports(place),
        "may_export": sidebar.access.allows("full"),
    }
    return show(place, sidebar, "dashboard/exports/index.html", context)


@require_GET
@screen
def file(place: Place, kind: str) -> HttpResponseBase:
    if kind not in EXPORTS:
        raise Http404("export")
    write, name, media_type = EXPORTS[kind]
    actor = replace(place.actor, tool="read_export")
    return download(write(actor, place.bank), name=f"{place.bank}-{name}", media_type=media_type)
