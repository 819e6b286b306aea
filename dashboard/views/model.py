from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_GET, require_http_methods

from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.place import Place, screen
from dashboard.presenters.memories import point_to
from dashboard.presenters.model import present_comparison
from memory_app.domain.errors import InvalidArgument
from memory_app.models import Reembedding
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import banks, reembedding
from memory_app.services.model_comparing import compare


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """The steps of another model; start, switch, back or drop by the button that was pressed."""
    if place.request.method == "POST":
        return _act(place)
    return _page(place, part="")


@require_GET
@screen
def progress(place: Place) -> HttpResponse:
    """How far the build is; asked every three seconds while it runs."""
    return _page(place, part="standing")


def _page(place: Place, *, part: str) -> HttpResponse:
    standing = reembedding.look_at(place.actor, place.bank)
    row = standing.open
    built = row is not None and row.status != Reembedding.Status.BUILDING
    compared = compare(place.actor, place.bank) if built else ()
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
    extent = standing.extent
    context = {
        "heading": "Embedding model",
        "section": "bank-settings",
        "standing": standing,
        "row": row,
        "built": built,
        "kept": row is not None and row.status == Reembedding.Status.KEPT,
        "extent": extent,
        "compared": present_comparison(compared, lambda memory: point_to(place, memory)),
        "may_tune": banks.may_tune(place.actor, sidebar.access.bank),
        "model_url": place.url("bank-model"),
        "progress_url": place.url("bank-model-progress"),
        "settings_url": place.url("bank-settings"),
    }
    return show(place, sidebar, "dashboard/bank/model.html", context, part=part)


def _act(place: Place) -> HttpResponse:
    form = place.request.POST
    here = place.url("bank-model")
    action = form.get("action", "start")
    if action == "switch":
        changed = reembedding.switch(place.actor, place.bank, to=form.get("to"))
        said = f"{changed.name} answers by {changed.embedding_model} now."
    elif action == "drop":
        reembedding.drop(place.actor, place.bank)
        said = "The second model is dropped. Nothing else changed."
    elif action != "start":
        raise InvalidArgument("There is no such step.", hint="Press one of the page's buttons.")
    else:
        reembedding.start(place.actor, place.bank, form.get("model", ""))
        said = "Building has begun. The bank is served by its own model meanwhile."
    return go(place.request, here, said)
