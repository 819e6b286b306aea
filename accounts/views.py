"""One-time links and a person's own account. A browser that only looks ahead uses no link up."""

from __future__ import annotations

from typing import cast

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.auth.sign_in import INVITATION_KEY, redeem
from accounts.auth.tracking import end_session
from accounts.models import User
from accounts.services.accounts import delete_account, rename
from accounts.services.invitations import accept_invitation, look_up_invitation
from memory_app.domain.errors import NotFound, ProductError

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


@require_http_methods(["GET", "POST"])
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What is offered, and to whom; a POST of the person it was sent to joins.

    Signed out, the holder of the token may sign in or sign up; the page is the same whether the
    address has an account or not.
    """
    try:
        offer = look_up_invitation(token)
        if request.method == "POST" and isinstance(request.user, User):
            accept_invitation(request.user, token)
            request.session.pop(INVITATION_KEY, None)
            messages.success(request, f"You belong to {offer.organization_name} now.")
            return redirect("dashboard:home")
    except NotFound:
        messages.error(
            request,
            "This invitation was used or withdrawn, or is over. Ask whoever sent it for a new one.",
        )
        return redirect(settings.LOGIN_REDIRECT_URL)
    except ProductError as error:
        messages.error(request, f"{error.message} {error.hint}")
        return redirect(settings.LOGIN_REDIRECT_URL)
    request.session[INVITATION_KEY] = token
    signed_in = isinstance(request.user, User)
    context = {
        "offer": offer,
        "signed_in": signed_in,
        "theirs": isinstance(request.user, User) and request.user.email.lower() == offer.email,
    }
    return render(request, "accounts/invitation.html", context)


@require_http_methods(["GET", "POST"])
@login_required
@never_cache
def name(request: HttpRequest) -> HttpResponse:
    """How a person is called in histories and lists."""
    person = cast(User, request.user)
    problem = None
    if request.method == "POST":
        try:
            rename(person, request.POST.get("name", ""))
            messages.success(request, "Saved.")
            return redirect("accounts:name")
        except ProductError as error:
            problem = error
    context = {"problem": problem, "given": request.POST.get("name", person.name)}
    return render(request, "accounts/name.html", context, status=422 if problem else 200)


@require_POST
@login_required
def end(request: HttpRequest, session: int) -> HttpResponse:
    """Sign out one session of the person's own; another's is answered like one that is gone."""
    if end_session(cast(User, request.user).id, str(session)):
        messages.success(request, "That session is signed out.")
    else:
        messages.error(request, "That session has ended already.")
    return redirect("usersessions_list")


@require_http_methods(["GET", "POST"])
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
@never_cache
def delete(request: HttpRequest) -> HttpResponse:
    """Say what goes and what stays; a POST that repeats the address does it."""
    person = cast(User, request.user)
    problem = None
    if request.method == "POST":
        try:
            delete_account(person, confirm=request.POST.get("confirm", ""))
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect(settings.LOGIN_URL)
        except ProductError as error:
            problem = error
    context = {"problem": problem}
    return render(request, "accounts/delete.html", context, status=422 if problem else 200)
