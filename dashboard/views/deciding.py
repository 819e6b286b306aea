from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.bulk import said
from dashboard.presenters.deciding import counted_questions, present_one
from dashboard.presenters.memories import snippet
from memory_app.domain.errors import InvalidArgument
from memory_app.queries import merges, proposals
from memory_app.queries.access import Access
from memory_app.queries.memories import find_many
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import bulk
from memory_app.services.bulk import deciding

PAGE = "dashboard/bulk/index.html"
_EXAMPLES = 5


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """What one decision on many questions would do, with their count first; a POST decides."""
    given = place.request.POST if place.request.method == "POST" else place.request.GET
    kind, decision = given.get("kind", ""), given.get("action", "")
    deciding.parse(kind, decision)
    ids = None if given.get("all") == "1" else given.getlist("id")[: deciding.LIMIT]
    if ids is not None and not ids:
        raise InvalidArgument(
            "No question is selected.",
            hint="Tick the ones you mean, or choose all of their kind.",
            field="id",
        )
    if place.request.method == "POST":
        return once(place, lambda: _decide(place, kind, decision, ids))
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        deciding.require_person(sidebar.access)
        found = deciding.waiting(sidebar.access, kind, ids)
        examples = _examples(sidebar.access, kind, found[:_EXAMPLES])
    chosen: list[tuple[str, str]] = [("all", "1")] if ids is None else [("id", one) for one in ids]
    choice = present_one(kind, decision)
    context: dict[str, Any] = {
        "heading": choice.label,
        "section": "review",
        "from_review": True,
        "choice": choice,
        "matching": counted_questions(kind, len(found)),
        "number": len(found),
        "more": len(found) - len(examples),
        "examples": examples,
        "hidden": [("kind", kind), *chosen],
        "next": _queue(place, kind),
    }
    return show(place, sidebar, PAGE, context)


def _decide(place: Place, kind: str, decision: str, ids: list[str] | None) -> Landing:
    report = bulk.begin_decisions(place.actor, place.bank, kind, decision, ids)
    address = place.url("bulk-report", report.operation.id)
    if not report.finished:
        return Landing(url=address)
    undo = place.url("bulk-undo", report.operation.id)
    url = address if report.failures else _queue(place, kind)
    return Landing(url=url, text=said(report), undo=undo)


def _queue(place: Place, kind: str) -> str:
    return filters.address(place.url("review"), {"kind": kind})


def _examples(access: Access, kind: str, chosen: list[deciding.Chosen]) -> list[str]:
    """The first few questions, a line each. At most two queries a question."""
    if kind == deciding.PINS:
        memories = find_many(access, [one.question for one in chosen])
        return [snippet(memories[one.question].content) for one in chosen]
    if kind == deciding.ENTITIES:
        pairs = [merges.find(access, one.question) for one in chosen]
        return [f"{pair.canonical.name} · {pair.variant.name}" for pair in pairs]
    reviews = [proposals.find(access, one.question) for one in chosen]
    return [
        snippet(one.old.content)
        if one.old.id == one.new.id
        else f"{snippet(one.old.content)} · {snippet(one.new.content)}"
        for one in reviews
    ]
