"""Where a person is signed in: the list that the person can end sessions in."""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.core.cache import cache
from django.http import HttpRequest

SECONDS = 300


def note_session(request: HttpRequest) -> None:
    """Remember address, browser and moment of a signed-in session, at most every five minutes.

    One look into the cache. Never inside `acting_as`: sessions are of no organization.
    """
    key = request.session.session_key
    if key and cache.add(f"session:{key}", 1, SECONDS):
        UserSession.objects.create_from_request(request)


def end_session(user_id: str, session: str) -> bool:
    """Sign out one of the person's own sessions; whether there was one."""
    found = UserSession.objects.filter(user_id=user_id, id=session).first()
    if found is None:
        return False
    found.end()
    return True
