"""A deployment: everything from the environment, and no start on an unsafe value."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from memory_app.config import variables
from memory_app.config.environment import database_settings, pooled
from memory_app.config.settings.base import *  # noqa: F403
from memory_app.config.settings.base import ALLOWED_HOSTS
from memory_app.config.settings.servers import on_redis


def _required(name: str, meaning: str) -> str:
    value = variables.text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: {meaning}.")
    return value


SECRET_KEY = _required("SECRET_KEY", "a random text of at least 50 characters")
if len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 5:
    raise ImproperlyConfigured("SECRET_KEY must be random and at least 50 characters long.")

_required("ALLOWED_HOSTS", "the names under which it is reached, with commas")
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts; '*' would accept any.")
if variables.switch("DEBUG", default=False):
    raise ImproperlyConfigured("DEBUG shows secrets to visitors and cannot be switched on here.")

DATABASES = {
    "default": pooled(
        database_settings(_required("DATABASE_URL", "the database, with the application's role")),
        most=variables.whole("DATABASE_CONNECTIONS", default=20, least=1, most=10_000),
    ),
    "owner": database_settings(
        _required("DATABASE_OWNER_URL", "the same database with the owner's role, for migrations"),
        name="DATABASE_OWNER_URL",
    ),
}
if DATABASES["default"]["USER"] == DATABASES["owner"]["USER"]:
    raise ImproperlyConfigured(
        "DATABASE_URL and DATABASE_OWNER_URL use the same role; row security needs an application "
        "role that owns nothing (see docs/deploy.md)."
    )

_redis = _required("REDIS_URL", "the Redis or Valkey server")
globals().update(on_redis(variables.server("REDIS_URL", ("redis", "rediss", "unix"), _redis)))

PUBLIC_URL = variables.text("PUBLIC_URL").rstrip("/") or f"https://{ALLOWED_HOSTS[0].lstrip('.')}"
if not PUBLIC_URL.startswith("https://"):
    raise ImproperlyConfigured("PUBLIC_URL must start with https://: keys travel in each request.")
if not variables.is_origin(PUBLIC_URL):
    raise ImproperlyConfigured("PUBLIC_URL must be https:// and a host, without a path.")

CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
MEDIA_ROOT = variables.text("FILES_DIR", default="files")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
