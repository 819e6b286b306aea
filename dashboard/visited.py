"""Where the person was last, so that the root address leads back there."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from django.http import HttpResponse

from dashboard.http import Request

if TYPE_CHECKING:
    from dashboard.place import Place

_COOKIE = "visited"


def remember_place(response: HttpResponse, place: Place) -> None:
    """Slugs only, quoted: they may be in any script, a cookie may not."""
    response.set_cookie(
        _COOKIE,
        quote(f"{place.organization.slug}/{place.bank}", safe="/"),
        max_age=365 * 24 * 3600,
        samesite="Lax",
        httponly=True,
        secure=place.request.is_secure(),
    )


def last_place(request: Request) -> tuple[str, str]:
    """Slugs of organization and bank, empty or stale ones too: the caller checks them."""
    organization, _, bank = unquote(request.COOKIES.get(_COOKIE, "")).partition("/")
    return organization, bank
