"""The page for what no view foresaw."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error


def broken(request: HttpRequest) -> HttpResponse:
    """503 where the database went away or was too slow, wherever in the chain; 500 for the rest."""
    if isinstance(sys.exc_info()[1], (OperationalError, InterfaceError)):
        page = render_to_string("503.html")
        return HttpResponse(page, status=503, headers={"Retry-After": "5"})
    return server_error(request)
