"""The embedded default: PostgreSQL and Valkey on unix sockets below one data folder."""

from __future__ import annotations

import os

from memory_app.config.settings.base import *  # noqa: F403

SECRET_KEY = os.environ.get("SECRET_KEY", "") or "set-by-serve-before-anything-starts"
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
_database = {
    "ENGINE": "django.db.backends.postgresql",
    "NAME": os.environ.get("COMMONPLACE_DATABASE", "commonplace"),
    "HOST": os.environ.get("COMMONPLACE_SOCKET", ""),
}
DATABASES = {
    "default": _database | {"USER": "commonplace_app"},
    "owner": _database | {"USER": "commonplace_owner"},
}
