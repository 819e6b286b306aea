"""A form that is sent twice is carried out once: the second click gets the first one's answer.

A form says `{% once %}` and its view `once(place, work)`. Without the field each submit counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from django.core.cache import cache
from django.http import HttpResponse

from dashboard.answers import go
from dashboard.http import Request
from dashboard.place import Place
from memory_app.services.idempotency import Reply, request_digest, with_idempotency

FIELD = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """Where the browser goes after a change, and what the toast there says and undoes."""

    url: str
    text: str = ""
    undo: str = ""


def once(place: Place, work: Callable[[], Landing]) -> HttpResponse:
    """Do `work` unless this very form did it before; then to where that went.

    A form filled in otherwise counts anew, and so does a corrected one: a refusal isn't kept. Raises
    what `work` raises, and `Conflict` when the first click still works after three seconds.
    """
    form = place.request.POST
    said = {name: form.getlist(name) for name in form if name != "csrfmiddlewaretoken"}
    digest = request_digest(place.request.path, said)
    reply = with_idempotency(
        place.actor,
        f"form {digest}" if form.get(FIELD) else None,
        digest,
        lambda: Reply(status=200, body=asdict(work())),
    )
    return go(place.request, reply.body["url"], reply.body["text"], undo=reply.body["undo"])


def first_time(request: Request) -> bool:
    """Whether this very form comes for the first time: for what belongs to no organization yet.

    Remembered for ten minutes by the cache; where that is down each submit counts.
    """
    name = _name(request)
    # A cache that is down adds nothing and holds nothing.
    return not request.POST.get(FIELD) or cache.add(name, 1, 600) or cache.get(name) is None


def again(request: Request) -> None:
    """The form was refused; corrected or not, it may be sent again."""
    cache.delete(_name(request))


def _name(request: Request) -> str:
    return f"form:{request.user.pk}:{request_digest(request.POST.get(FIELD, ''))}"
