from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from dashboard.answers import back, go
from dashboard.http import Request

_YEAR = 365 * 24 * 3600


@require_POST
def theme(request: Request) -> HttpResponse:
    """Remember the theme in a cookie, so that the server draws it and nothing flashes."""
    response = go(request, back(request, "/"))
    choice = request.POST.get("theme", "")
    if choice in {"light", "dark"}:
        response.set_cookie(
            "theme", choice, max_age=_YEAR, samesite="Lax", secure=request.is_secure()
        )
    else:
        response.delete_cookie("theme")
    return response
