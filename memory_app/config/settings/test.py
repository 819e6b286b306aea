"""Tests: a throw-away PostgreSQL (`tests/database.py` fills in where), no broker, quick vectors."""

from __future__ import annotations

import os

from memory_app.config.environment import database_settings
from memory_app.config.settings.base import *  # noqa: F403
from memory_app.config.settings.base import EMBEDDING, STORAGES
from memory_app.config.settings.servers import in_this_process

SECRET_KEY = "only-for-tests-0123456789-0123456789-0123456789-0123456789"  # noqa: S105
ALLOWED_HOSTS = ["*"]
DATABASES = {
    "default": database_settings(
        os.environ.get("DATABASE_URL", "postgresql://commonplace_app@/commonplace")
    ),
    "owner": database_settings(
        os.environ.get("DATABASE_OWNER_URL", "postgresql://commonplace_owner@/commonplace")
    ),
}
globals().update(in_this_process())
CELERY_TASK_ALWAYS_EAGER = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Served from where they lie, as `serve` does.
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
STORAGES = STORAGES | {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
EMBEDDING["BACKEND"] = os.environ.get("EMBEDDING_BACKEND", "hashing")
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
