from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from dashboard.answers import back, go
from dashboard.place import Place, screen
from memory_app.models import SavedView
from memory_app.services import saved_views


@require_POST
@screen
def save(place: Place) -> HttpResponse:
    """Keep the list as it stands under a name."""
    form = place.request.POST
    view = saved_views.save_view(
        place.actor,
        place.bank,
        name=form.get("name"),
        query=form.get("query"),
        shared=form.get("shared") == "1",
    )
    undo = place.url("view-remove", view.id)
    return go(place.request, _url(place, view), f"Saved as “{view.name}”.", undo=undo)


@require_POST
@screen
def change(place: Place, view: str) -> HttpResponse:
    form = place.request.POST
    shared = form.get("shared")
    changed = saved_views.change_view(
        place.actor,
        place.bank,
        view,
        name=form.get("name"),
        shared=None if shared is None else shared == "1",
    )
    said = f"The view is called “{changed.name}”."
    return go(place.request, _url(place, changed), said, undo=place.url("view-undo", changed.id))


@require_POST
@screen
def undo(place: Place, view: str) -> HttpResponse:
    """Name, query and audience as before the last change."""
    kept = saved_views.undo_view_change(place.actor, place.bank, view)
    return go(place.request, _url(place, kept), f"The view is called “{kept.name}” again.")


@require_POST
@screen
def remove(place: Place, view: str) -> HttpResponse:
    """The toast takes it back."""
    gone = saved_views.remove_view(place.actor, place.bank, view)
    undo = place.url("view-restore", gone.id)
    return go(place.request, place.url("memories"), f"Removed “{gone.name}”.", undo=undo)


@require_POST
@screen
def restore(place: Place, view: str) -> HttpResponse:
    kept = saved_views.restore_view(place.actor, place.bank, view)
    undo = place.url("view-remove", kept.id)
    url = back(place.request, _url(place, kept))
    return go(place.request, url, f"“{kept.name}” is back.", undo=undo)


def _url(place: Place, view: SavedView) -> str:
    base = place.url("memories")
    return f"{base}?{view.query}" if view.query else base
