from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.usage import charts, failures, measure
from memory_app.providers.clock import now
from memory_app.queries import figures, jobs
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import health, usage

WINDOWS = ("7", "30", "90")


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What the bank was used for and how it stands. A fixed number of queries, some of which pass over
    all its rows.
    """
    window = place.request.GET.get("days", "30")
    window = window if window in WINDOWS else "30"
    stands = health.of_bank(place.actor, place.bank)
    today = usage.today(place.actor)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found = figures.figures(sidebar.access, now(), days=int(window))
        waiting = jobs.waiting(sidebar.access)
        runs = figures.consolidations(sidebar.access)
        names = names_of(place.actor, {run.actor for run in runs})
    base = place.url("usage")
    tabs = ((value, f"{value} days") for value in WINDOWS)
    context = {
        "heading": "Usage and health",
        "section": "usage",
        "tabs": filters.tabs(base, {}, "days", tabs, current=window),
        "window": int(window),
        "health": stands,
        "today": today,
        "share": round(100 * today.operations / max(1, today.cap)),
        "measures": measure(place, found, stands, waiting=sidebar.open_proposals),
        "charts": charts(found),
        "jobs": waiting,
        "failures": failures(waiting.failures),
        "runs": [(run, names[run.actor]) for run in runs],
        "runs_url": filters.address(place.url("ledger"), {"action": "consolidate"}),
    }
    return show(place, sidebar, "dashboard/usage/index.html", context)
