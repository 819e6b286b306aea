from __future__ import annotations

from dataclasses import replace

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import REFUSALS, local, show
from dashboard.forms.writing import Written, read_written
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.presenters.bulk import counted
from dashboard.presenters.editing import present_editor
from dashboard.presenters.merging import draft_of, present_sides
from memory_app.domain.errors import CasConflict, InvalidArgument, ProductError
from memory_app.models import Memory
from memory_app.queries.memories import find
from memory_app.queries.sidebar import Sidebar, load_sidebar
from memory_app.services import bulk
from memory_app.services.bulk.merging import MOST

PAGE = "dashboard/merge/index.html"


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """The memories side by side and what would stand afterwards; a POST merges them."""
    given = place.request.POST if place.request.method == "POST" else place.request.GET
    ids = list(dict.fromkeys(given.getlist("id")))
    if not 2 <= len(ids) <= MOST:
        raise InvalidArgument(
            f"A merge takes 2 to {MOST} memories; {len(ids)} are selected.",
            hint="Tick those that say the same, and leave the others.",
            field="id",
        )
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        sidebar.access.require("full")
        memories = [find(sidebar.access, one) for one in ids]
    kept = next((one for one in memories if one.id == given.get("keep")), memories[0])
    if place.request.method == "GET":
        worded = next((one for one in memories if one.id == given.get("text")), kept)
        return _compare(place, sidebar, memories, kept, draft_of(kept, worded, memories))
    written = read_written(given)

    def work() -> Landing:
        merged = bulk.merge(
            place.actor,
            place.bank,
            keep=kept.id,
            others=[one.id for one in memories if one.id != kept.id],
            changes=written.changes(),
            expected_watermark=written.watermark(),
        )
        return Landing(
            url=place.url("memory", merged.memory.id),
            text=f"Merged {counted(len(memories))} into one.",
            undo=place.url("bulk-undo", merged.operation_id),
        )

    try:
        return once(place, work)
    except CasConflict as error:
        written = replace(written, expected_watermark=str(kept.head_watermark))
        return _compare(place, sidebar, memories, kept, written, problem=error)
    except REFUSALS as error:
        return _compare(place, sidebar, memories, kept, written, problem=error)


def _compare(
    place: Place,
    sidebar: Sidebar,
    memories: list[Memory],
    kept: Memory,
    written: Written,
    *,
    problem: ProductError | None = None,
) -> HttpResponse:
    with acting_as(place.actor):
        names = names_of(place.actor, {memory.author for memory in memories})
    given = place.request.POST if place.request.method == "POST" else place.request.GET
    next_url = local(place.request, given.get("next", ""), place.url("memories"))
    context = {
        "heading": "Merge",
        "section": "memories",
        "keep": kept.id,
        "sides": present_sides(place, kept, memories, names),
        "editor": present_editor(written, cancel_url=next_url),
        "categories": sorted({one.category for one in memories if one.category}),
        "collections": sorted({one.collection for one in memories if one.collection}),
        "next": next_url,
        "problem": problem,
    }
    return show(place, sidebar, PAGE, context, status=problem.status if problem else 200)
