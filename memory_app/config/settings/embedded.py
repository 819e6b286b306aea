"""The embedded default: PostgreSQL and Valkey on unix sockets below one data folder.

`serve` and `manage.py` set the environment that is read here; without it (`check`,
`makemigrations`) the names below lead nowhere, and nothing connects.
"""

from __future__ import annotations

from memory_app.config import variables
from memory_app.config.environment import database_settings, pooled
from memory_app.config.settings.base import *  # noqa: F403
from memory_app.config.settings.base import DATA_DIR, EMAIL_URL, STORAGES
from memory_app.config.settings.servers import in_this_process, on_redis

SECRET_KEY = variables.text("SECRET_KEY") or "set-by-serve-before-anything-starts"
ALLOWED_HOSTS = variables.hosts("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
DATABASES = {
    "default": pooled(
        database_settings(
            variables.text("DATABASE_URL", default="postgresql://commonplace_app@/commonplace")
        ),
        most=20,
    ),
    "owner": database_settings(
        variables.text("DATABASE_OWNER_URL", default="postgresql://commonplace_owner@/commonplace")
    ),
}
_redis = variables.text("REDIS_URL")
globals().update(on_redis(_redis) if _redis else in_this_process())

MEDIA_ROOT = variables.text("FILES_DIR", default=str(DATA_DIR / "files"))
# No collectstatic at first start: files are served from where they lie.
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
STORAGES = STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}

# On one machine: mail becomes files to read, and a passkey works on http://localhost.
if not EMAIL_URL:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = str(DATA_DIR / "mail")
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
