"""Every failure below /api/ as one RFC 9457 problem document, with the same keys in the same order."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.core.signals import got_request_exception
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as _note_rollback

from memory_app.domain.errors import NotFound, ProductError, Unauthenticated, Unavailable
from memory_app.rest.requests import request_id

CONTENT_TYPE = "application/problem+json"
TITLES = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    412: "Changed meanwhile",
    413: "Request too large",
    415: "Unsupported media type",
    422: "Idempotency key reused",
    429: "Too many requests",
    500: "Internal error",
    503: "Unavailable",
}
_RESERVED = ("type", "title", "status", "detail", "code", "hint", "field", "request_id")
_logger = logging.getLogger(__name__)


class MethodRefused(ProductError):
    """The route exists, but not with this method."""

    code = "method_not_allowed"
    status = 405


class RequestTooLarge(ProductError):
    """The body is over the server's limit."""

    code = "request_too_large"
    status = 413


class MediaTypeRefused(ProductError):
    """The body isn't JSON, or not the file that is due."""

    code = "unsupported_media_type"
    status = 415


class Malformed(ProductError):
    """The request can't be read at all."""

    code = "malformed_request"
    status = 400


class Forbidden(ProductError):
    """Refused by the framework before a service was asked: a missing CSRF token, for example."""

    code = "forbidden"
    status = 403


class Internal(ProductError):
    """A defect of ours; the details are in the server's log under the request id."""

    code = "internal_error"
    status = 500


def answer(error: Exception, context: Mapping[str, Any]) -> Response:
    """The one exception handler of REST."""
    request = context["request"]
    known = as_product_error(error)
    if known is None:
        if settings.DEBUG_PROPAGATE_EXCEPTIONS:
            raise error
        _logger.error("unanswered exception below /api/", exc_info=error)
        got_request_exception.send(sender=None, request=request)
        known = internal()
    else:
        _note_rollback(error, dict(context))
    response = Response(
        document(known, request_id(request)), status=known.status, headers=headers(known)
    )
    # Read by Response.rendered_content: a problem stays a problem whatever the view negotiates.
    response.content_type = CONTENT_TYPE
    return response


def plain_answer(error: Exception | None, request: HttpRequest) -> HttpResponse:
    """The same document for what failed before a view of REST was reached, in middleware."""
    known = (as_product_error(error) if error is not None else None) or internal()
    return JsonResponse(
        document(known, request_id(request)),
        status=known.status,
        headers=headers(known),
        content_type=CONTENT_TYPE,
    )


def internal() -> Internal:
    """A failure of ours."""
    return Internal(
        "The server failed to answer this request.",
        hint="Nothing was half-done. Report the request id if it happens again.",
    )


def document(error: ProductError, request: str) -> dict[str, Any]:
    """The body: fixed members first, then the error's own details."""
    # What a caller sent may be quoted here: half a surrogate pair must not break the answer.
    detail, hint = (_encodable(text) for text in (error.message, error.hint))
    body: dict[str, Any] = {
        "type": f"urn:commonplace:problem:{error.code}",
        "title": TITLES.get(error.status, "Failed"),
        "status": error.status,
        "detail": detail,
        "code": error.code,
        "hint": hint,
    }
    if error.field is not None:
        body["field"] = _encodable(error.field)
    details = {name: value for name, value in error.details.items() if name not in _RESERVED}
    return body | details | {"request_id": request}


def headers(error: ProductError) -> dict[str, str]:
    """What HTTP itself wants said with some refusals."""
    found: dict[str, str] = {}
    if error.status == 401:
        found["WWW-Authenticate"] = 'Bearer realm="commonplace"'
    wait = error.details.get("retry_after", 5 if error.status == 503 else None)
    if wait is not None:
        found["Retry-After"] = str(wait)
    if error.status == 405 and "allowed" in error.details:
        found["Allow"] = ", ".join(error.details["allowed"])
    return found


def as_product_error(error: Exception) -> ProductError | None:
    """The framework's exceptions in our terms; None for one that nobody foresaw."""
    if isinstance(error, ProductError):
        return error
    if isinstance(error, exceptions.APIException):
        return _of_framework(error)
    if isinstance(error, Http404):
        return NotFound("route")
    if isinstance(error, PermissionDenied):
        return Forbidden("This request is not allowed.", hint="Check the credential.")
    if isinstance(error, RequestDataTooBig):
        return _too_large()
    if isinstance(error, (OperationalError, InterfaceError)):
        return Unavailable(
            "The database can't be reached or took too long.",
            hint="Send the same request again in a few seconds; nothing was half-done.",
        )
    if isinstance(error, DisallowedHost):
        return Malformed(
            "The Host of this request is not one that this service has.",
            hint="The operator sets ALLOWED_HOSTS.",
            field="Host",
        )
    unreadable = (SuspiciousOperation, BadRequest, UnreadablePostError, MultiPartParserError)
    if isinstance(error, unreadable):
        return Malformed(
            "The request can't be read.", hint="Send well-formed HTTP with a JSON body."
        )
    return None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _of_framework(error: exceptions.APIException) -> ProductError:
    detail = str(error.detail)
    if isinstance(error, (exceptions.NotAuthenticated, exceptions.AuthenticationFailed)):
        return no_credential()
    if isinstance(error, exceptions.PermissionDenied):
        return Forbidden(
            detail, hint="With a browser session send the CSRF token in the X-CSRFToken header."
        )
    if isinstance(error, exceptions.NotFound):
        return NotFound("route")
    if isinstance(error, exceptions.MethodNotAllowed):
        return method_refused("This method", [])
    if isinstance(error, exceptions.UnsupportedMediaType):
        return MediaTypeRefused(
            "The body's media type is not JSON.",
            hint="Send the body as JSON with 'Content-Type: application/json'.",
            field="Content-Type",
        )
    if isinstance(error, exceptions.ParseError):
        return Malformed(detail, hint="Send one JSON object, encoded as UTF-8.")
    return Malformed(detail, hint="Check the request against the schema at /api/v1/schema/.")


def method_refused(method: str, allowed: list[str]) -> MethodRefused:
    """This route answers other methods."""
    return MethodRefused(
        f"{method:.20} is not possible here.",
        hint=f"Use {', '.join(allowed)}." if allowed else "See /api/v1/docs/.",
        details={"allowed": allowed},
    )


def no_credential() -> Unauthenticated:
    """Nothing was sent that says who is asking."""
    return Unauthenticated(
        "This needs an API key or a signed-in session.",
        hint="Send the key as 'Authorization: Bearer cpl_...'.",
    )


def _too_large() -> RequestTooLarge:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
    return RequestTooLarge(
        f"The body is larger than {limit:,} bytes.",
        hint="Send fewer memories in one request.",
        details={"limit": limit},
    )
