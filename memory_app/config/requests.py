"""Django's request, minus one way to make it fail before any view is asked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.core.handlers.asgi import ASGIRequest


class TolerantRequest(ASGIRequest):
    """Reads everything as UTF-8, which the browsers send whatever charset a header names.

    Python also knows charsets that name no text ("hex", "zlib") and some that can't be read
    leniently ("idna"); with those even the page that says "bad request" would fail.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        with suppress(LookupError, ValueError):
            super()._set_content_type_params(meta)  # type: ignore[misc]
        self._encoding = None
