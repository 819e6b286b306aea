"""No browser or proxy keeps an answer that doesn't say so itself: signed out, nothing may remain."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

KEPT_BY_NOBODY = "private, no-store"


def uncached(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Stands outside the views and their error pages; static files never come this far."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", KEPT_BY_NOBODY)
        return response

    return answer
