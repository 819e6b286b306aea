from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_GET, require_POST

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.proposals import present_questions
from memory_app.queries.proposals import list_open
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import proposals

PAGE = 20
_SAID = {
    "replace": "The older memory is retired.",
    "keep_old": "The newer memory is retired.",
    "both_stand": "Both stand.",
    "merge": "Merged.",
}


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What the system is unsure of, for people to decide (F4)."""
    after = place.request.GET.get("after", "")
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = list_open(sidebar.access, after=after or None, limit=PAGE)
        sides = [side for review in page.items for side in (review.old, review.new)]
        names = names_of(place.actor, {memory.author for memory in sides})
    base = place.url("review")
    context = {
        "heading": "Review",
        "section": "review",
        "proposals": present_questions(place, page.items, names),
        "older_url": filters.address(base, {"after": page.next_after or ""})
        if page.next_after
        else "",
        "newer_url": base if after else "",
    }
    return show(place, sidebar, "dashboard/review/index.html", context)


@require_POST
@screen
def decide(place: Place, proposal: str) -> HttpResponse:
    decision = place.request.POST.get("decision", "")
    proposals.decide(place.actor, place.bank, proposal, decision)
    undo_url = place.url("proposal-undo", proposal)
    return go(place.request, place.url("review"), _SAID.get(decision, "Decided."), undo=undo_url)


@require_POST
@screen
def undo(place: Place, proposal: str) -> HttpResponse:
    proposals.undo_decision(place.actor, place.bank, proposal)
    return go(place.request, place.url("review"), "The decision is taken back.")
