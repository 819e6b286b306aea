from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.place import Place, screen
from dashboard.presenters.imports import present_report
from memory_app.domain.errors import ProductError
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import importing


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """Paste, look at what would happen, import, read each line's fate (E9)."""
    form = place.request.POST
    context: dict[str, Any] = {"text": form.get("lines", "")}
    status = 200
    if form.get("step") in {"preview", "run"}:
        try:
            context |= _run(place, context["text"], dry_run=form["step"] == "preview")
        except ProductError as error:
            if error.status in {403, 404}:
                raise
            context["problem"], status = error, 422
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
    context |= {"heading": "Import", "section": "import"}
    return show(place, sidebar, "dashboard/imports/index.html", context, status=status)


@require_POST
@screen
def undo(place: Place, job: str) -> HttpResponse:
    importing.undo_import(place.actor, place.bank, job)
    return go(place.request, place.url("memories"), "The import is undone.")


def _run(place: Place, text: str, *, dry_run: bool) -> dict[str, Any]:
    report = importing.run_import(place.actor, place.bank, text, dry_run=dry_run)
    return {"preview" if dry_run else "report": present_report(place, report)}
