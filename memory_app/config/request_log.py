"""What every line that is logged during a request says of it."""

from __future__ import annotations

from typing import Any

import structlog
from django.conf import settings
from django_structlog.middlewares import RequestMiddleware


class LoggedRequests(RequestMiddleware):
    """The request's id, its address and, in the dashboard, its person."""

    @staticmethod
    def bind_user_id(request: Any) -> None:
        """A request with a key has no person; looking for one would read a session."""
        if "Authorization" not in request.headers:
            RequestMiddleware.bind_user_id(request)

    @classmethod
    def bind_ip(cls, request: Any) -> None:
        """As far as trusted proxies tell it: what anybody may write into a header is no address."""
        trusted = settings.ALLAUTH_TRUSTED_PROXY_COUNT
        told = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if trusted else []
        address = told[-trusted].strip() if 0 < trusted <= len(told) else ""
        structlog.contextvars.bind_contextvars(ip=address or request.META.get("REMOTE_ADDR"))
