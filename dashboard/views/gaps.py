from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET, require_POST

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import REFUSALS, back, go, show
from dashboard.forms.numbers import whole
from dashboard.forms.writing import Written, read_written
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.gaps import present_decisions, present_gaps
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.values import parse_integer
from memory_app.queries.gaps import FLOOR
from memory_app.queries.memories import find_many
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import gaps

PAGE = "dashboard/gaps/index.html"
_TABS = (
    ("", "Open"),
    ("answered", "Answered"),
    ("snoozed", "Snoozed"),
    ("dismissed", "Dismissed"),
)
_SAID = {
    "created": "Saved as a memory. The question is answered.",
    "pending": "Saved as a memory. The question is answered.",
    "revived": "An outdated memory says this; it is current again.",
    "known": "A memory says this already. The question is closed.",
}


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What agents asked in vain, grouped. About ten statements, however much was asked."""
    return _page(place)


@require_POST
@screen
def answer(place: Place, question: str) -> HttpResponse:
    """One text answers the group, and is a memory like any other from then on."""
    written = read_written(place.request.POST)
    try:
        draft = written.draft(source="Answer to a knowledge gap")
        done = gaps.answer(place.actor, place.bank, question, draft, floor=_floor(place))
    except REFUSALS as error:
        return _page(place, {"problem": error, "answering": question, "written": written}, 422)
    undo_url = place.url("gap-undo", done.decision.id)
    return go(place.request, _back(place), _SAID[done.saved.status], undo=undo_url)


@require_POST
@screen
def snooze(place: Place, question: str) -> HttpResponse:
    days = parse_integer(
        whole(place.request.POST.get("days", "7")),
        field="days",
        least=1,
        most=gaps.SNOOZE_MOST,
        default=7,
    )
    done = gaps.snooze(place.actor, place.bank, question, days=days, floor=_floor(place))
    text = f"Snoozed for {days} day{'s' * (days > 1)}."
    return go(place.request, _back(place), text, undo=place.url("gap-undo", done.id))


@require_POST
@screen
def dismiss(place: Place, question: str) -> HttpResponse:
    done = gaps.dismiss(place.actor, place.bank, question, floor=_floor(place))
    undo_url = place.url("gap-undo", done.id)
    return go(place.request, _back(place), "Dismissed.", undo=undo_url)


@require_POST
@screen
def undo(place: Place, decision: str) -> HttpResponse:
    gaps.undo(place.actor, place.bank, decision)
    return go(place.request, _back(place), "The question is open again.")


def _page(place: Place, extra: dict[str, Any] | None = None, status: int = 200) -> HttpResponse:
    given = place.request.GET
    tab = given.get("status", "")
    tab = tab if tab in gaps.STATUSES else ""
    floor = _floor(place)
    kept = {"floor": given.get("floor", "")}
    base = place.url("gaps")
    found = [] if tab else gaps.list_open(place.actor, place.bank, floor=floor)
    page = (
        gaps.list_decided(place.actor, place.bank, tab, after=given.get("after")) if tab else None
    )
    decisions = page.decisions if page else ()
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        memories = find_many(sidebar.access, [row.memory_id for row in decisions if row.memory_id])
        people = {row.decided_by for row in decisions}
        names = names_of(place.actor, people | {one for gap in found for one in gap.askers})
    context = {
        "heading": "Knowledge gaps",
        "section": "gaps",
        "tabs": filters.tabs(base, kept, "status", _TABS, current=tab),
        "tab": tab,
        "gaps": present_gaps(place, found, names, kept),
        "decisions": present_decisions(place, decisions, names, memories),
        "gaps_url": base,
        "lab_url": place.url("lab"),
        "floor": f"{FLOOR if floor is None else floor:g}",
        "written": Written(),
        "older_url": filters.address(base, {"status": tab, "after": page.next_after or ""})
        if page and page.next_after
        else "",
        "newer_url": filters.address(base, {"status": tab}) if given.get("after") else "",
    }
    return show(place, sidebar, PAGE, context | (extra or {}), part="list", status=status)


def _back(place: Place) -> str:
    return back(place.request, place.url("gaps"))


def _floor(place: Place) -> float | None:
    """The asked floor, from the address or the form. Raises `InvalidArgument`."""
    typed = place.request.GET.get("floor") or place.request.POST.get("floor") or ""
    if not typed.strip():
        return None
    try:
        found = float(typed)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise InvalidArgument(
            f"floor is {typed[:40]!r}.", hint="Give a number from 0 to 1.", field="floor"
        )
    return found
