"""What every line that is logged during a request says of it."""

from __future__ import annotations

from typing import Any

from django_structlog.middlewares import RequestMiddleware


class LoggedRequests(RequestMiddleware):
    """The request's id, its address and, in the dashboard, its person."""

    @staticmethod
    def bind_user_id(request: Any) -> None:
        """A request with a key has no person; looking for one would read a session."""
        if "Authorization" not in request.headers:
            RequestMiddleware.bind_user_id(request)
