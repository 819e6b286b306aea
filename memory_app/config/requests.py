"""Django's request, minus one way to make it fail before any view is asked."""

from __future__ import annotations

from typing import Any

from django.core.handlers.asgi import ASGIRequest


class TolerantRequest(ASGIRequest):
    """Takes a charset that Python knows but that names no text ("hex", "zlib") for none at all."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            super()._set_content_type_params(meta)  # type: ignore[misc]
        except LookupError:
            self._encoding = None
