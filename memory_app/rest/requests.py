"""What a request says about itself: its id, its client, and texts that no address may hold."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import structlog
from django.http import HttpRequest

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.text import SOURCE_LIMIT

_SAFE_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")


def request_id(request: HttpRequest | Any) -> str:
    """The caller's X-Request-Id where it can be stored as it is, else one of ours; one a request."""
    raw: Any = getattr(request, "_request", request)
    if not hasattr(raw, "commonplace_request_id"):
        given = raw.headers.get("X-Request-Id", "")
        bound = str(structlog.contextvars.get_contextvars().get("request_id", ""))
        ids = [text for text in (given, bound) if _SAFE_ID.fullmatch(text)]
        raw.commonplace_request_id = ids[0] if ids else str(uuid4())
    return str(raw.commonplace_request_id)


def client(request: HttpRequest | Any) -> str:
    """The User-Agent, as one printable line that fits where it is stored."""
    agent = request.headers.get("User-Agent", "")
    return "".join(character for character in agent if character.isprintable())[
        :SOURCE_LIMIT
    ].strip()


def refuse_unstorable(value: str, *, field: str) -> str:
    """The text of a path or a query string. Raises `InvalidArgument` for NUL and half surrogates."""
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidArgument(
            f"{field} contains a character that can't be stored (NUL or half a surrogate pair).",
            hint="Remove it and send the request again.",
            field=field,
        )
    return value
