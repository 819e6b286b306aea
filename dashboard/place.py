"""Where a person stands: which organization and bank, as whom. The first argument of every view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts.actor import Actor
from accounts.auth.sessions import MembershipView, authenticate_session, memberships_of
from accounts.auth.tracking import note_session
from dashboard.answers import answer_problem, ask_to_sign_in
from dashboard.http import Request
from memory_app.domain.errors import (
    NotFound,
    ProductError,
    SecondFactorRequired,
    Unauthenticated,
    WrongIdPrefix,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A signed-in person in one of their organizations; `bank` is a slug that may name nothing."""

    request: Request
    actor: Actor
    organization: MembershipView
    memberships: tuple[MembershipView, ...]
    bank: str

    def url(self, name: str, *arguments: str) -> str:
        """The address of a screen of this bank."""
        return reverse(f"dashboard:{name}", args=[self.organization.slug, self.bank, *arguments])

    def organization_url(self, name: str, *arguments: str) -> str:
        """The address of a screen about the whole organization."""
        return reverse(f"dashboard:{name}", args=[self.organization.slug, *arguments])


def screen(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Sign-in, the organization, and one answer to each domain error for all screens.

    What doesn't exist and what is another organization's are the same 404. A refused change goes back
    to where it came from with a toast; a view that can show the problem beside the field catches it.
    No browser keeps any of it: signed out, the back button must show nothing.
    """

    @wraps(view)
    def wrapped(
        request: Request, organization: str, bank: str = "", **kwargs: str
    ) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return ask_to_sign_in(request)
        try:
            answer = view(enter(request, organization, bank), **kwargs)
            answer.headers.setdefault("Cache-Control", "private, no-store")
            return answer
        except (NotFound, WrongIdPrefix) as error:
            raise Http404(error.message) from None
        except SecondFactorRequired as error:
            messages.warning(request, f"{error.message} {error.hint}")
            return redirect("mfa_index")
        except Unauthenticated as error:
            raise PermissionDenied(error.message) from None
        except ProductError as error:
            if error.status == 403:
                raise PermissionDenied(error.message) from None
            return answer_problem(request, error)

    return wrapped


def enter(request: Request, organization: str, bank: str) -> Place:
    """Two queries. Raises `NotFound` for an organization the person doesn't belong to."""
    actor = authenticate_session(
        request.user,
        organization,
        door="dashboard",
        client=request.headers.get("User-Agent", ""),
        request_id=request.headers.get("X-Request-ID", "")[:64],
    )
    note_session(request)
    memberships = tuple(memberships_of(request.user))
    here = next((m for m in memberships if m.organization_id == actor.organization_id), None)
    if here is None or here.slug != organization:
        raise NotFound("organization")
    return Place(
        request=request, actor=actor, organization=here, memberships=memberships, bank=bank
    )
