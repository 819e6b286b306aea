"""The cache as what it is: a shortcut. While it is away, everything is a miss and nothing fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, RedisError
from redis.retry import Retry

_logger = logging.getLogger(__name__)
# Of one look: a server that hangs must not hang the requests.
SECONDS = 0.2
# After a failure nobody asks for so long; a request that looks several times pays once.
PAUSE_SECONDS = 2.0
_asked_again_at = 0.0


class DispensableCache(RedisCache):
    """Waits a fifth of a second for its server, once in two seconds. `readyz` still tells, since
    nothing is kept then."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        options = {
            "socket_timeout": SECONDS,
            "socket_connect_timeout": SECONDS,
            # A server that was restarted has closed its sockets; one that is slow is not asked twice.
            "retry": Retry(NoBackoff(), 1, supported_errors=(ConnectionError,)),
        }
        super().__init__(server, params | {"OPTIONS": options | params.get("OPTIONS", {})})

    def add(self, *args: Any, **options: Any) -> bool:
        return bool(_tried(super().add, None, *args, **options))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return _tried(super().get, default, key, default, version=version)

    def set(self, *args: Any, **options: Any) -> None:
        _tried(super().set, None, *args, **options)

    def touch(self, *args: Any, **options: Any) -> bool:
        return bool(_tried(super().touch, None, *args, **options))

    def delete(self, *args: Any, **options: Any) -> bool:
        return bool(_tried(super().delete, None, *args, **options))

    def get_many(self, *args: Any, **options: Any) -> Any:
        return _tried(super().get_many, {}, *args, **options)

    def set_many(self, data: Any, *args: Any, **options: Any) -> list[Any]:
        found: list[Any] = _tried(super().set_many, list(data), data, *args, **options)
        return found


def _tried(ask: Callable[..., Any], otherwise: Any, *args: Any, **options: Any) -> Any:
    global _asked_again_at
    if time.monotonic() < _asked_again_at:
        return otherwise
    try:
        return ask(*args, **options)
    except (RedisError, OSError) as error:
        _asked_again_at = time.monotonic() + PAUSE_SECONDS
        _logger.warning("cache_away: %s: %.200s", type(error).__name__, error)
        return otherwise
