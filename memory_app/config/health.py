"""`/livez`: the process answers. `/readyz`: everything that a request needs is up."""

import time
from collections.abc import Callable
from functools import cache as once

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memory_app.config.heartbeat import STALE_AFTER, seconds_since_last_beat

OK = "ok"


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
    return JsonResponse(
        {"status": OK if ready else "unavailable", "parts": parts}, status=200 if ready else 503
    )


def _tried(check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception as error:  # noqa: BLE001 whatever is wrong with a part is its answer
        return f"failed: {type(error).__name__}"


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
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


@once
def _embedder() -> str:
    """Embeds once in the life of the process, which also warms it up before the first request."""
    from memory_app.providers.embedding import get_embedder

    get_embedder().embed(["ready"])
    return OK


@once
def _judge() -> str:
    """Judges once in the life of the process: its first graph takes seconds to build."""
    from memory_app.providers.embedding import get_embedder
    from memory_app.providers.judging import Pair
    from memory_app.services.judging import local_judge

    pair = Pair(old="The door is open.", new="The door is closed.", cosine=0.9)
    local_judge(get_embedder().model_id).judge([pair])
    return OK


CHECKS: dict[str, Callable[[], str]] = {
    "database": _database,
    "cache": _cache,
    "worker": _worker,
    "embedder": _embedder,
    "judge": _judge,
}
