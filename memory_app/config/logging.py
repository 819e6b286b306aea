"""Logs are event names with fields: lines for people, JSON with `LOG_JSON=1`; warnings and worse
unless `LOG_LEVEL` asks for more."""

import logging
import time
from collections.abc import MutableMapping
from typing import Any

import structlog
from redis.exceptions import RedisError

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
PROBES = ("/livez", "/readyz")
REPEATED_AFTER = 60.0

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


class Sparing(logging.Filter):
    """One line a minute of a logger that goes on about a server that is away, without the traceback
    and with what it means; anything else passes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._again_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, (RedisError, OSError)):
            return True
        now = time.monotonic()
        if now < self._again_at.get(record.name, 0.0):
            return False
        self._again_at[record.name] = now + REPEATED_AFTER
        if error is not None:
            record.msg = (
                "channel_layer_away: %s: %.200s. Until it answers, open pages hear of no change at "
                "once; they look again by themselves."
            )
            record.args = (type(error).__name__, str(error))
            record.exc_info, record.exc_text = None, None
        return True


def _without_probes(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Any:
    """A probe asks every few seconds: `health` tells when the answer changes, these lines nothing."""
    if str(event.get("request", "")).partition(" ")[2] in PROBES:
        raise structlog.DropEvent
    return event


def configure(level: str, *, json: bool) -> dict[str, Any]:
    """Set structlog up and return Django's `LOGGING`."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            _without_probes,
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    last: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if json
        else [
            structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            )
        ]
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "events": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *last,
                ],
            }
        },
        "filters": {"spare": {"()": Sparing}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "events"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            # Both would speak every second or two as long as the cache is away.
            "channels_redis.pubsub": {"filters": ["spare"], "propagate": True},
            "memory_app.config.cache": {"filters": ["spare"], "propagate": True},
        },
    }
