from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.receipts import lab_address, present_differences, present_receipt
from memory_app.domain.errors import ProductError
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import receipts

PAGE = "dashboard/recalls/recall.html"
_LABELS = {"today": "Today", "then": "As of then"}


@require_GET
@screen
def index(place: Place, recall: str) -> HttpResponse:
    """F5: what was asked and served then; with `at`, the same question again and the difference.

    About thirty statements, whatever the answer holds.
    """
    at = place.request.GET.get("at", "")
    problem: ProductError | None = None
    replay = None
    if at:
        try:
            replay = receipts.replay(place.actor, place.bank, recall, at=at)
        except ProductError as error:
            if error.status in (403, 404):
                raise
            problem = error
    found = replay.receipt if replay else receipts.receipt(place.actor, place.bank, recall)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        names = names_of(place.actor, {found.recall.actor})
    base = place.url("recall", found.recall.id)
    context: dict[str, Any] = {
        "heading": "Recall",
        "section": "activity",
        "receipt": present_receipt(place, found, names),
        "tabs": filters.tabs(base, {}, "at", tuple(_LABELS.items()), current=at),
        "recall_url": base,
        "at": at,
        "at_label": _LABELS.get(at, ""),
        "problem": problem,
        "replay": replay,
        "differences": present_differences(place, replay) if replay else [],
        "counts": [(kind, replay.count(kind)) for kind in ("gained", "lost", "moved", "same")]
        if replay
        else [],
        "lab_url": lab_address(place, found),
        "activity_url": place.url("activity"),
    }
    status = problem.status if problem else 200
    return show(place, sidebar, PAGE, context, part="replay", status=status)
