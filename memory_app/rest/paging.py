"""Cursors: signed, opaque, and they carry the list's filters, so that the next page can't forget them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from rest_framework import serializers

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.times import iso
from memory_app.rest.fields import Integer, Text

_SALT = "rest.cursor"
_CURSOR_LIMIT = 8_000


class PageIn(serializers.Serializer[Any]):
    """What every list can be asked for."""

    limit = Integer(least=1, most=200, required=False, help_text="Rows a page; 50 when absent.")
    cursor = Text(
        limit=_CURSOR_LIMIT, required=False, help_text="`next_cursor` of the page before."
    )


def resume(where: Mapping[str, Any], *, of: str) -> tuple[dict[str, Any], str | None]:
    """The filters of a list and the id to go on after.

    The filters of a cursor hold where none are repeated beside it. Raises `InvalidArgument` for a
    cursor that was altered, belongs to another list, or is given with other filters.
    """
    filters = {name: value for name, value in where.items() if name not in ("cursor", "limit")}
    token = where.get("cursor")
    if not token:
        return filters, None
    try:
        kept_of, kept, after = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise _refused("cursor is not one that this service gave out.") from None
    if kept_of != of:
        raise _refused("cursor belongs to another list.")
    if filters and _plain(filters) != kept:
        raise _refused("cursor belongs to a list with other filters.")
    return _parsed(kept), after


def cursor(filters: Mapping[str, Any], *, of: str, after: str) -> str:
    """Where the next page of this list starts."""
    return signing.dumps([of, _plain(filters), after], salt=_SALT)


def next_link(url: str, token: str, limit: int | None) -> str:
    """The Link header of a page (RFC 8288)."""
    asked = {"cursor": token} | ({} if limit is None else {"limit": limit})
    return f'<{url}?{urlencode(asked)}>; rel="next"'


def _plain(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Filters as JSON; an instant is marked so that it can be read back."""
    return {
        name: {"at": iso(value)}
        if isinstance(value, datetime)
        else list(value)
        if isinstance(value, tuple)
        else value
        for name, value in filters.items()
    }


def _parsed(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value["at"])
        if isinstance(value, dict)
        else tuple(value)
        if isinstance(value, list)
        else value
        for name, value in kept.items()
    }


def _refused(message: str) -> InvalidArgument:
    return InvalidArgument(
        message,
        hint="Start again without a cursor, and repeat each next_cursor exactly.",
        field="cursor",
    )
