from __future__ import annotations

from dataclasses import replace

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.auth.sessions import memberships_of
from accounts.tenancy import acting_as
from dashboard.answers import go
from dashboard.http import Request
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.visited import last_place
from memory_app.queries.sidebar import load_any_sidebar
from memory_app.services import banks


@require_safe
@login_required
def index(request: Request) -> HttpResponse:
    """The first organization of the person; the last visited one when a cookie names it."""
    memberships = memberships_of(request.user)
    if not memberships:
        return render(request, "dashboard/home/alone.html")
    visited, _ = last_place(request)
    here = next((m for m in memberships if m.slug == visited), memberships[0])
    return redirect("dashboard:organization", here.slug)


@screen
def organization(place: Place) -> HttpResponse:
    """To its first bank, or the form for one; a POST makes a bank."""
    if place.request.method == "POST":
        return once(place, lambda: _make(place))
    _, visited = last_place(place.request)
    with acting_as(place.actor):
        sidebar = load_any_sidebar(place.actor, visited)
    if sidebar is None:
        return render(place.request, "dashboard/home/first_bank.html", {"place": place})
    return go(place.request, _memories(place, sidebar.access.bank.slug))


def _make(place: Place) -> Landing:
    made = banks.create_bank(
        place.actor,
        name=place.request.POST.get("name"),
        visibility=place.request.POST.get("visibility") or "organization",
    )
    return Landing(url=_memories(place, made.slug), text=f"Bank “{made.name}” is ready.")


def _memories(place: Place, bank: str) -> str:
    return replace(place, bank=bank).url("memories")
