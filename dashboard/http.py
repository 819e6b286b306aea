"""Requests as the dashboard's middleware leaves them."""

from __future__ import annotations

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class Request(HttpRequest):
    """A request behind `HtmxMiddleware`."""

    htmx: HtmxDetails


def wants_part(request: Request) -> bool:
    """Whether htmx will swap a part in; a restored history entry needs the whole page."""
    return (
        bool(request.htmx) and not request.htmx.boosted and not request.htmx.history_restore_request
    )
