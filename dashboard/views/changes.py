from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import REFUSALS, back, go, local, show, toast
from dashboard.forms.writing import (
    Written,
    parse_watermark,
    read_written,
    written_from,
    written_from_version,
)
from dashboard.http import wants_part
from dashboard.place import Place, screen
from dashboard.presenters.editing import present_conflict, present_editor
from dashboard.presenters.filters import address
from dashboard.presenters.memories import present_row
from dashboard.views.memory import memory_page
from memory_app.domain.errors import CasConflict, ProductError
from memory_app.domain.values import Draft
from memory_app.models import Memory
from memory_app.queries.access import resolve
from memory_app.queries.memories import at_watermark, find
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import memories

SAMPLE = Draft(
    content="The person who set up this bank prefers short answers with the conclusion first.",
    tags=("sample", "preferences"),
    source="sample",
)


@require_http_methods(["GET", "POST"])
@screen
def edit(place: Place, memory: str) -> HttpResponse:
    """The editor in place; a save that lost the race shows both texts and keeps what was typed."""
    if place.request.method == "GET":
        return _editor(place, memory, _opened(place, memory))
    written = read_written(place.request.POST)
    try:
        edited = memories.edit(
            place.actor,
            place.bank,
            memory,
            written.changes(),
            expected_watermark=written.watermark(),
        )
    except CasConflict:
        return _conflict(place, memory, written)
    except REFUSALS as error:
        return _editor(place, memory, written, problem=error)
    return _saved(place, edited)


@require_http_methods(["GET", "POST"])
@screen
def new(place: Place) -> HttpResponse:
    """Write a memory by hand; it takes the same way as an agent's."""
    written = read_written(place.request.POST)
    problem: ProductError | None = None
    if place.request.method == "POST":
        try:
            saved = memories.save(place.actor, place.bank, written.draft(source="dashboard"))
            said = {"known": "This was known already."}.get(saved.status, "Saved.")
            made = saved.status in {"created", "pending"} and not saved.replaced
            undo = place.url("memory-delete", saved.memory.id) if made else ""
            return go(place.request, place.url("memory", saved.memory.id), said, undo=undo)
        except REFUSALS as error:
            problem = error
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
    context = {
        "heading": "New memory",
        "section": "memories",
        "problem": problem,
        "editor": present_editor(written, cancel_url=place.url("memories")),
        "save_url": place.url("memory-new"),
    }
    return show(
        place, sidebar, "dashboard/memory/new.html", context, status=422 if problem else 200
    )


@require_POST
@screen
def sample(place: Place) -> HttpResponse:
    saved = memories.save(place.actor, place.bank, SAMPLE)
    return go(
        place.request,
        place.url("memories"),
        "A sample memory is in the bank.",
        undo=place.url("memory-delete", saved.memory.id),
    )


@require_POST
@screen
def pin(place: Place, memory: str) -> HttpResponse:
    wanted = place.request.POST.get("pinned") == "1"
    change = memories.pin if wanted else memories.unpin
    changed = change(place.actor, place.bank, memory)
    said = "Pinned. It comes first in every profile." if wanted else "Unpinned."
    if not wants_part(place.request):
        url = back(place.request, place.url("memory", changed.id))
        return go(place.request, url, said, undo=_pin_undo(place, changed.id, url))
    here = place.request.htmx.current_url_abs_path or place.url("memories")
    with acting_as(place.actor):
        names = names_of(place.actor, {changed.author})
    return toast(
        place.request,
        said,
        template="dashboard/memories/row.html",
        may_change=True,
        picks=True,
        undo=_pin_undo(place, changed.id, here),
        here=here,
        row=present_row(place, changed, names[changed.author]),
    )


@require_POST
@screen
def undo_pin(place: Place, memory: str) -> HttpResponse:
    """The pin as it was before the last change of it; back to where the toast stood."""
    kept = memories.undo_pin(place.actor, place.bank, memory)
    url = local(place.request, place.request.GET.get("next", ""), place.url("memory", kept.id))
    said = "Pinned as before." if kept.pinned_at is not None else "Not pinned any more."
    return go(place.request, url, said)


@require_POST
@screen
def undo_edit(place: Place, memory: str, watermark: int) -> HttpResponse:
    """The words and fields from before an edit, unless somebody has changed the memory since."""
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        found = find(access, memory)
        older = at_watermark(access, memory, watermark - 1)
    memories.edit(
        place.actor,
        place.bank,
        memory,
        written_from_version(found, older.body).changes(),
        expected_watermark=watermark,
    )
    return go(place.request, place.url("memory", memory), "It says what it said before.")


@require_POST
@screen
def delete(place: Place, memory: str) -> HttpResponse:
    """To the bin, where it stays for 30 days; the toast takes it back."""
    gone = memories.delete(place.actor, place.bank, memory)
    undo = place.url("memory-restore", gone.id)
    if wants_part(place.request):
        return toast(place.request, "Deleted.", undo=undo)
    url = back(place.request, place.url("memories"))
    if url == place.url(
        "memory", gone.id
    ):  # what was just written is undone: nothing is left to show
        url = place.url("memories")
    return go(place.request, url, "Deleted.", undo=undo)


@require_POST
@screen
def restore(place: Place, memory: str) -> HttpResponse:
    kept = memories.restore(place.actor, place.bank, memory)
    undo = place.url("memory-delete", kept.id)
    if wants_part(place.request):
        return toast(place.request, "Restored.", undo=undo)
    url = back(place.request, place.url("memory", kept.id))
    return go(place.request, url, "Restored.", undo=undo)


@require_POST
@screen
def revive(place: Place, memory: str) -> HttpResponse:
    kept = memories.revive(place.actor, place.bank, memory)
    return go(
        place.request,
        back(place.request, place.url("memory", kept.id)),
        "Revived. It is recalled again.",
        undo=place.url("memory-retire", kept.id),
    )


@require_POST
@screen
def retire(place: Place, memory: str) -> HttpResponse:
    """Out of recall; the toast takes it back."""
    reason = place.request.POST.get("reason", "")
    gone = memories.retire(place.actor, place.bank, memory, reason=reason[:300])
    return go(
        place.request,
        back(place.request, place.url("memory", gone.id)),
        "Retired. It is no longer recalled.",
        undo=place.url("memory-revive", gone.id),
    )


def _opened(place: Place, memory: str) -> Written:
    """The editor's text: what stands there, or the version that the address names."""
    version = place.request.GET.get("version", "")
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        found = find(access, memory)
        if not version:
            return written_from(found)
        older = at_watermark(access, memory, parse_watermark(version, field="version"))
        return written_from_version(found, older.body)


def _editor(
    place: Place, memory: str, written: Written, *, problem: ProductError | None = None
) -> HttpResponse:
    editor = present_editor(written, cancel_url=place.url("memory", memory))
    extra = {"editor": editor, "problem": problem}
    return memory_page(place, memory, extra, part="card", status=422 if problem else 200)


def _conflict(place: Place, memory: str, written: Written) -> HttpResponse:
    with acting_as(place.actor):
        current = find(resolve(place.actor, place.bank), memory)
    editor = present_conflict(written, current, cancel_url=place.url("memory", memory))
    return memory_page(place, memory, {"editor": editor}, part="card", status=412)


def _saved(place: Place, memory: Memory) -> HttpResponse:
    url = place.url("memory", memory.id)
    undo = place.url("memory-edit-undo", memory.id, str(memory.head_watermark))
    response = go(place.request, url, "Saved.", undo=undo)
    if place.request.htmx:
        response = HttpResponse(status=204)
        response["HX-Redirect"] = url
    return response


def _pin_undo(place: Place, memory: str, here: str) -> str:
    return address(place.url("memory-pin-undo", memory), {"next": here})
