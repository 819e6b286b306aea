"""Tests: a throw-away PostgreSQL, no broker, honest but quick vectors."""

from __future__ import annotations

import os

from memory_app.config.settings.base import *  # noqa: F403

SECRET_KEY = "only-for-tests-0123456789-0123456789-0123456789-0123456789"
ALLOWED_HOSTS = ["*"]
_database = {
    "ENGINE": "django.db.backends.postgresql",
    "NAME": os.environ.get("COMMONPLACE_DATABASE", "commonplace"),
    "HOST": os.environ.get("COMMONPLACE_SOCKET", ""),
}
DATABASES = {
    "default": _database | {"USER": "commonplace_app"},
    "owner": _database | {"USER": "commonplace_owner"},
}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
CELERY_TASK_ALWAYS_EAGER = True
CELERY_BROKER_URL = "memory://"
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
EMBEDDING["BACKEND"] = os.environ.get("EMBEDDING_BACKEND", "hashing")  # noqa: F405
