"""Values from the environment, and which settings they mean."""

import os
import sys
from email.utils import parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit

import django
from django.core.exceptions import ImproperlyConfigured

from memory_app.config import variables

EMBEDDED = "memory_app.config.settings.embedded"
PRODUCTION = "memory_app.config.settings.production"


def choose_settings() -> None:
    """Someone else's database means a deployment; without one the embedded default is meant."""
    chosen = PRODUCTION if os.environ.get("DATABASE_URL") else EMBEDDED
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", chosen)


def start_django() -> None:
    """Load settings and apps; a value that stops the start is told in one sentence."""
    choose_settings()
    try:
        django.setup()
    except ImproperlyConfigured as error:
        sys.exit(str(error))


def database_settings(url: str, *, name: str = "DATABASE_URL") -> dict[str, Any]:
    """Django's form of `postgresql://role:password@host:port/database`; a socket folder is
    written as the host, percent-encoded."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql") or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            f"{name} must look like postgresql://role:password@host:5432/database."
        )
    options = dict(pair.partition("=")[::2] for pair in parts.query.split("&") if pair)
    # `hostname` is lower-cased, which would break a socket folder's path.
    address = parts.netloc.rpartition("@")[2]
    host, _, port = address.rpartition(":") if _has_port(address) else (address, "", "")
    return {
        "ENGINE": "memory_app.config.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(host).strip("[]"),
        "PORT": port,
        "OPTIONS": {key: unquote(value) for key, value in options.items()},
    }


def mail_settings(url: str) -> dict[str, Any]:
    """Django's form of `smtp://`, `smtp+tls://` (STARTTLS) or `smtps://name:password@host:port`."""
    parts = urlsplit(url)
    kinds = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
    if parts.scheme not in kinds or not parts.hostname:
        raise ImproperlyConfigured(
            "EMAIL_URL must look like smtp+tls://name:password@host:587 (or smtp://, smtps://)."
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or kinds[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


def sender(name: str, *, default: str) -> str:
    """An address to send mail from, alone or as `Name <address>`."""
    value = variables.text(name) or default
    if "@" not in parseaddr(value)[1].strip("@"):
        raise ImproperlyConfigured(f"{name} must look like Commonplace <memory@example.com>.")
    return value


def pooled(database: dict[str, Any], *, most: int) -> dict[str, Any]:
    """With a pool; each connection is looked at before use, so a restarted server is no error."""
    options = database["OPTIONS"] | {"pool": {"min_size": 1, "max_size": most, "timeout": 15}}
    return database | {"OPTIONS": options}


def celery_broker(redis_url: str) -> str:
    """Celery's spelling of a unix socket: `redis+socket://` where redis-py says `unix://`."""
    if redis_url.startswith("unix://"):
        return "redis+socket://" + redis_url.removeprefix("unix://")
    return redis_url


def _has_port(address: str) -> bool:
    return address.rpartition(":")[2].isdigit()
