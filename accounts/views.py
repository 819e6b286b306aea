"""One-time links. A browser that only looks ahead (prefetch, HEAD) uses nothing up."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.auth.sign_in import INVITATION_KEY, redeem
from accounts.models import User
from accounts.services.invitations import accept_invitation, look_up_invitation
from memory_app.domain.errors import ProductError

BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_GET
@never_cache
def sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by a one-time link; a void one leads to the password form."""
    if "prefetch" in request.headers.get("Sec-Purpose", ""):
        return HttpResponse(status=204)
    try:
        user = redeem(token)
    except ProductError as error:
        messages.error(request, f"{error.message} {error.hint}")
        return redirect(settings.LOGIN_URL)
    login(request, user, backend=BACKEND)
    return redirect(settings.LOGIN_REDIRECT_URL)


@require_GET
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join when signed in; otherwise sign-up is open to the holder of this token."""
    try:
        if isinstance(request.user, User):
            accept_invitation(request.user, token)
            return redirect(settings.LOGIN_REDIRECT_URL)
        look_up_invitation(token)
    except ProductError as error:
        messages.error(request, f"{error.message} {error.hint}")
        return redirect(settings.LOGIN_REDIRECT_URL)
    request.session[INVITATION_KEY] = token
    return redirect("account_signup")
