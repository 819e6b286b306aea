"""`/livez`: the process answers. `/readyz`: everything that a request needs is up."""

import logging
import threading
import time
from collections.abc import Callable, Mapping

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memory_app.config.heartbeat import STALE_AFTER, seconds_since_last_beat

OK = "ok"
_logger = logging.getLogger(__name__)
_was_ready = False


@require_safe
@never_cache
def livez(_request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": OK})


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """200 only when each part works; the body says which part doesn't, and nothing more."""
    parts = {name: _tried(check) for name, check in CHECKS.items()}
    ready = all(answer == OK for answer in parts.values())
    _note(parts, ready=ready)
    answer = JsonResponse(
        {"status": OK if ready else "unavailable", "parts": parts}, status=200 if ready else 503
    )
    # Who starts the server asks ten times a second; `_note` has told what there is to tell.
    answer._has_been_logged = True  # type: ignore[attr-defined]
    return answer


def _note(parts: Mapping[str, str], *, ready: bool) -> None:
    """A line when the process stops being ready; that it isn't yet, while it starts, is no news."""
    global _was_ready  # what the last probe heard, of this process
    if _was_ready and not ready:
        failing = ", ".join(f"{name} {said}" for name, said in parts.items() if said != OK)
        _logger.warning("not_ready: %s", failing)
    _was_ready = ready


def _tried(check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception as error:  # noqa: BLE001 whatever is wrong with a part is its answer
        return f"failed: {type(error).__name__}"


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    # Given back at once: while the models warm up, each impatient question would hold one, and a
    # pool that has grown hands its connections out in turns, none of which stays warm.
    connection.close()
    return OK


def _cache() -> str:
    word = str(time.monotonic_ns())
    cache.set("readyz", word, timeout=10)
    return OK if cache.get("readyz") else "failed: does not keep values"


def _worker() -> str:
    since = seconds_since_last_beat()
    if since is None:
        return "failed: no worker has started"
    return OK if since < STALE_AFTER else f"failed: silent for {since:.0f} s"


def warmed(work: Callable[[], object]) -> Callable[[], str]:
    """A check that does its work once in the life of the process.

    Who asks while it is under way hears so at once: builds side by side would take each other's time.
    """
    under_way, done = threading.Lock(), threading.Event()

    def check() -> str:
        if done.is_set():
            return OK
        if not under_way.acquire(blocking=False):
            return "failed: still starting"
        try:
            work()
            done.set()
        finally:
            under_way.release()
        return OK

    return check


def _embed_once() -> None:
    """Also warms the embedder up before the first request."""
    from memory_app.providers.embedding import get_embedder

    get_embedder().embed(["ready"])


def _judge_once() -> None:
    """The judge's first graph takes seconds to build."""
    from memory_app.providers.embedding import get_embedder
    from memory_app.providers.judging import Pair
    from memory_app.services.judging import local_judge

    pair = Pair(old="The door is open.", new="The door is closed.", cosine=0.9)
    local_judge(get_embedder().model_id).judge([pair])


CHECKS: dict[str, Callable[[], str]] = {
    "database": _database,
    "cache": _cache,
    "worker": _worker,
    "embedder": warmed(_embed_once),
    "judge": warmed(_judge_once),
}
