from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from accounts import mail
from dashboard.answers import go
from dashboard.http import Request
from dashboard.place import Place, screen
from memory_app.domain.errors import NotFound
from memory_app.services import digests


@csrf_exempt
@require_http_methods(["GET", "POST"])
def stop(request: Request, token: str) -> HttpResponse:
    """The link in the mail. A GET only asks, since mail programs follow links; mail programs' own
    one-click unsubscribe posts here without a cookie, and the signed link is its proof.
    """
    try:
        done = request.method == "POST"
        name = digests.stop(token) if done else digests.organization_of(token)
    except NotFound as error:
        raise Http404(error.message) from None
    return render(request, "dashboard/digest/stop.html", {"organization": name, "done": done})


@require_POST
@screen
def choose(place: Place) -> HttpResponse:
    """Switch one's own daily mail on or off."""
    wants = place.request.POST.get("wanted") == "1"
    digests.choose(place.actor, wants=wants)
    return go(place.request, place.url("review"), _said(wants=wants))


def _said(*, wants: bool) -> str:
    if not wants:
        return "No more daily mail."
    kept = mail.stays_at()
    return (
        f"A daily mail is written into {kept}."
        if kept
        else "You get a daily mail when something waits."
    )
