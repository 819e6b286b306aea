"""Whether a browser's session still may watch a bank; asked again as long as its socket is open."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError
from django.http import parse_cookie

from accounts.auth.sessions import authenticate_session, user_of_session
from accounts.tenancy import acting_as
from memory_app.domain.errors import NotFound, ProductError, Unauthenticated
from memory_app.queries.access import resolve

SIGNED_OUT = 4401
NOTHING_HERE = 4403
LATER = 1013


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Who watches which bank; with a `code` nobody does, and the socket is to be closed with it."""

    code: int = 0
    user_id: str = ""
    bank_id: str = ""


def standing(cookies: str, organization: str, bank: str) -> Standing:
    """Four queries. A bank that isn't there and one that the person may not see answer alike."""
    key = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME, "")
    try:
        user = user_of_session(key)
        actor = authenticate_session(user, organization, door="dashboard")
        with acting_as(actor):
            access = resolve(actor, bank)
    except Unauthenticated:
        return Standing(code=SIGNED_OUT)
    except (NotFound, ProductError):
        return Standing(code=NOTHING_HERE)
    except DatabaseError:
        return Standing(code=LATER)
    return Standing(user_id=actor.id, bank_id=access.bank.id)
