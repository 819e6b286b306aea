"""Who is asking: an agent by its key, or a person by the dashboard's session.

OpenAPI descriptions of both stand here too, since drf-spectacular finds them by the classes.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from accounts.actor import Actor
from accounts.auth.api_keys import authenticate_asking
from accounts.auth.sessions import authenticate_session
from accounts.queries.organizations import is_own
from accounts.questions import Question
from memory_app.domain.errors import NotFound, Unauthenticated
from memory_app.rest.requests import client, request_id
from memory_app.services.usage import rate_question

ORGANIZATION_HEADER = "X-Organization"


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer cpl_...`; any other credential in that header is refused, not skipped."""

    def authenticate(self, request: Request) -> tuple[Any, Actor] | None:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, secret = header.strip().partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated(
                "The Authorization header doesn't hold a bearer key.",
                hint="Send it as 'Authorization: Bearer cpl_...'.",
            )
        foreseen = request.parser_context["view"].foresees(request)

        def questions(owner: Actor) -> list[Question]:
            return [rate_question(owner), *(foreseen.questions(owner) if foreseen else ())]

        actor, answers = authenticate_asking(
            secret.strip(),
            questions,
            door="rest",
            client=client(request),
            request_id=request_id(request),
        )
        _refuse_other_organization(request, actor)
        if answers is not None:
            raw: Any = request
            raw.rate_counted = answers[0]
            raw.foreseen = foreseen.answered(answers[1:]) if foreseen else None
        return None, actor

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="commonplace"'


class SessionAuthentication(BaseAuthentication):
    """The signed-in person, in the organization that `X-Organization` names, else the first."""

    def authenticate(self, request: Request) -> tuple[Any, Actor] | None:
        raw: Any = request._request
        user = getattr(raw, "user", None)
        if user is None or not user.is_authenticated:
            return None
        _enforce_csrf(raw)
        organization = request.headers.get(ORGANIZATION_HEADER) or None
        actor = authenticate_session(
            user,
            organization,
            door="rest",
            client=client(request),
            request_id=request_id(request),
        )
        return user, actor


def _refuse_other_organization(request: Request, actor: Actor) -> None:
    """A key belongs to one organization. Whoever names another one with it means that other one."""
    named = request.headers.get(ORGANIZATION_HEADER)
    if named and not is_own(actor, named):
        raise NotFound("organization")


def _no_view(*_: Any) -> Any:
    """The check asks for a view and looks only whether it is exempt."""


def _enforce_csrf(request: Any) -> None:
    check = CSRFCheck(lambda _: None)  # type: ignore[arg-type]
    check.process_request(request)
    reason = check.process_view(request, _no_view, (), {})
    if reason:
        raise PermissionDenied(f"CSRF check failed: {reason}")


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = KeyAuthentication
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An agent's API key, `cpl_` and 36 characters.",
        }


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = SessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The dashboard's session; writes also need the CSRF token.",
        }
