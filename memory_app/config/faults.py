"""What is answered where no view came to it: a page, and below /api/ a problem like any other."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import bad_request, server_error

from memory_app.rest import problems


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request that middleware can't read: a foreign Host, a body that breaks off."""
    if _is_api(request):
        return problems.plain_answer(exception, request)
    return bad_request(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """503 where the database went away or was too slow, wherever in the chain; 500 for the rest."""
    failure = sys.exc_info()[1]
    failure = failure if isinstance(failure, Exception) else None
    if _is_api(request):
        return problems.plain_answer(failure, request)
    if isinstance(failure, (OperationalError, InterfaceError)):
        page = render_to_string("503.html")
        return HttpResponse(page, status=503, headers={"Retry-After": "5"})
    return server_error(request)


def _is_api(request: HttpRequest) -> bool:
    return request.path == "/api" or request.path.startswith("/api/")
