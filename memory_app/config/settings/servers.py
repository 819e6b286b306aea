"""Cache, broker and channel layer on one Redis-compatible server."""

from __future__ import annotations

from typing import Any

from memory_app.config.environment import celery_broker


def on_redis(url: str) -> dict[str, Any]:
    """Settings for the server at `url`: `redis://`, `rediss://` or `unix:///path`."""
    return {
        "CACHES": {
            "default": {
                "BACKEND": "memory_app.config.cache.DispensableCache",
                "LOCATION": url,
                "KEY_PREFIX": "commonplace",
            }
        },
        "CELERY_BROKER_URL": celery_broker(url),
        # A write tells the worker after its commit: a broker that hangs may delay it by this much.
        "CELERY_BROKER_TRANSPORT_OPTIONS": {"socket_timeout": 3, "socket_connect_timeout": 1},
        "CHANNEL_LAYERS": {
            "default": {
                "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
                "CONFIG": {"hosts": [url], "prefix": "commonplace"},
            }
        },
    }


def in_this_process() -> dict[str, Any]:
    """For a command that runs alone: what it queues waits in the database for the next sweep."""
    return {
        "CACHES": {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        "CELERY_BROKER_URL": "memory://",
        "CHANNEL_LAYERS": {"default": {"BACKEND": "memory_app.config.layers.ThreadsLayer"}},
    }
