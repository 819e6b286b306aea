"""A key that was just made: shown once, on the page that follows.

The secret travels in the signed-in person's session for a few minutes at most, never in an address.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from dashboard.http import Request

_SLOT = "fresh_key"
_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshKey:
    agent: str
    secret: str


def keep(request: Request, key: FreshKey) -> None:
    request.session[_SLOT] = {"agent": key.agent, "secret": key.secret, "at": time.time()}


def take(request: Request, *, keep: bool = False) -> FreshKey | None:
    """The key, once; with `keep` again until ten minutes are over (other clients' snippets)."""
    held = request.session.get(_SLOT)
    if held is None:
        return None
    current = time.time() - held["at"] < _SECONDS
    if not keep or not current:
        del request.session[_SLOT]
    return FreshKey(agent=held["agent"], secret=held["secret"]) if current else None
