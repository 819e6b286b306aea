"""How views answer: a page or its part, a way back with a toast, a problem in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.http import Request, wants_part
from dashboard.presenters.shell import build_shell
from dashboard.visited import remember_place
from memory_app.domain.errors import (
    Conflict,
    DailyCapReached,
    InvalidArgument,
    ProductError,
    Unavailable,
)
from memory_app.queries.sidebar import Sidebar

if TYPE_CHECKING:
    from dashboard.place import Place

# What a form shows above what was typed, so that it can be sent again; all else is about the page itself.
REFUSALS = (InvalidArgument, Conflict, DailyCapReached, Unavailable)


def show(
    place: Place,
    sidebar: Sidebar | None,
    template: str,
    context: Mapping[str, Any],
    *,
    part: str = "",
    status: int = 200,
) -> HttpResponse:
    """The screen, or only its named part when htmx asks for it.

    Without a sidebar it is a screen of an organization that has no bank yet.
    """
    partial = bool(part) and wants_part(place.request)
    full: dict[str, Any] = {"here": place.request.get_full_path(), "partial": partial}
    if sidebar is not None:
        full |= {
            "may_change": sidebar.access.allows("full"),
            "list_url": place.url("memories"),
            "connect_url": place.url("connect"),
            "import_url": place.url("import"),
        }
    full |= context
    if not partial:
        full["shell"] = build_shell(place, sidebar)
    name = f"{template}#{part}" if partial else template
    response = render(place.request, name, full, status=status)
    patch_vary_headers(response, ["HX-Request"])
    response["Cache-Control"] = "private, no-store"
    if not partial and place.bank:
        remember_place(response, place)
    return response


def go(request: Request, url: str, text: str = "", *, undo: str = "") -> HttpResponse:
    """To `url`, where a toast says what happened; `undo` is the address that takes it back."""
    if text:
        messages.success(request, text, extra_tags=undo)
    return HttpResponseRedirect(url)


def back(request: Request, fallback: str) -> str:
    """Where the form said it came from, if that is one of our own pages."""
    return local(request, request.POST.get("next", ""), fallback)


def _origin(request: Request) -> str:
    """Where a refused form stood: it says so itself, or its address does, or the browser."""
    said = request.GET.get("next", "") or request.headers.get("Referer", "")
    return back(request, local(request, said, "/"))


def local(request: Request, wanted: str, fallback: str) -> str:
    """The address, if it is one of our own pages: nothing else may become a link."""
    # What no header and no row can hold is no address either.
    safe = wanted.isprintable() and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else fallback


def toast(
    request: Request, text: str, *, undo: str = "", template: str = "", **context: Any
) -> HttpResponse:
    """The answer to an htmx change: the new row, if any, and a toast beside it."""
    data = {"text": text, "undo_url": undo, "row_template": template, **context}
    return render(request, "components/changed.html", data)


def ask_to_sign_in(request: Request) -> HttpResponse:
    """To the sign-in page and back here; a part that htmx asked for moves the whole window."""
    here = request.htmx.current_url_abs_path if request.htmx else request.get_full_path()
    response = redirect_to_login(here or "/")
    if request.htmx:
        moved = HttpResponse(status=204)
        moved["HX-Redirect"] = response["Location"]
        return moved
    return response


def answer_problem(request: Request, error: ProductError) -> HttpResponse:
    """A refusal that no view answered itself: a toast on the way back, or a page of its own."""
    if request.method == "POST" and request.htmx:
        response = render(
            request, "components/changed.html", {"text": error.message, "level": "error"}
        )
        response["HX-Reswap"] = "none"
        return response
    if request.method == "POST":
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(_origin(request))
    return render(request, "problem.html", {"problem": error}, status=error.status)
