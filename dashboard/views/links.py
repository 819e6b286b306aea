from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from dashboard.answers import back, go
from dashboard.place import Place, screen
from memory_app.services import linking


@require_POST
@screen
def add(place: Place, memory: str) -> HttpResponse:
    """Link a memory to the one whose id, slug or address was given."""
    form = place.request.POST
    target = form.get("target", "").strip().rstrip("/").rpartition("/")[2]
    link, made = linking.add_link(
        place.actor, place.bank, source=memory, target=target, type=form.get("type", "")
    )
    url = place.url("memory", memory)
    if not made:
        return go(place.request, url, "They were linked like this already.")
    return go(place.request, url, "Linked.", undo=place.url("link-remove", link.id))


@require_POST
@screen
def remove(place: Place, link: str) -> HttpResponse:
    gone = linking.remove_link(place.actor, place.bank, link)
    url = place.url("memory", str(gone.source_id))
    undo = place.url("link-restore", gone.id)
    return go(place.request, back(place.request, url), "The link is gone.", undo=undo)


@require_POST
@screen
def restore(place: Place, link: str) -> HttpResponse:
    kept = linking.restore_link(place.actor, place.bank, link)
    url, undo = place.url("memory", str(kept.source_id)), place.url("link-remove", kept.id)
    return go(place.request, url, "Linked again.", undo=undo)
