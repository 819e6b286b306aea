"""Variables of the environment, read so that a wrong value stops the start by name.

Guessing is worse than stopping: `LOG_JSON=perhaps` as "no", or a misspelt embedder that is noticed
when the first memory stays without vectors, costs somebody an evening.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

_env = environ.Env()
_YES = ("true", "on", "ok", "y", "yes", "1")
_NO = ("false", "off", "n", "no", "0", "")


def text(name: str, *, default: str = "") -> str:
    return str(_env.str(name, default=default)).strip()


def switch(name: str, *, default: bool) -> bool:
    """On or off; set to nothing is off."""
    value = text(name, default="on" if default else "off").lower()
    if value not in (*_YES, *_NO):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be true or false.")
    return value in _YES


def whole(name: str, *, default: int, least: int, most: int = 2**63 - 1) -> int:
    """A whole number within bounds; set to nothing is the default."""
    value = text(name) or str(default)
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number.") from None
    _bounded(name, number, least, most)
    return number


def seconds(name: str, *, default: float, least: float, most: float) -> float:
    value = text(name) or str(default)
    try:
        number = float(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a number.") from None
    _bounded(name, number, least, most)
    return number


def one_of(name: str, choices: Sequence[str], *, default: str) -> str:
    value = text(name) or default
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")
    return value


def listed(name: str, *, default: Sequence[str] = ()) -> list[str]:
    """Values with commas between them; set to nothing is none."""
    parts = text(name).split(",") if name in os.environ else default
    return [part.strip() for part in parts if part.strip()]


def hosts(name: str, *, default: Sequence[str] = ()) -> list[str]:
    """Names of hosts as Django compares them: a name or an address, without scheme, port or path."""
    found = listed(name, default=default)
    for host in found:
        bracketed = host.startswith("[") and host.endswith("]")
        if any(sign in host for sign in "/@ ") or (":" in host and not bracketed):
            raise ImproperlyConfigured(
                f"{name} holds {host!r}; it must be a host's name alone, without a scheme or a port."
            )
    return found


def origins(name: str, *, default: Sequence[str]) -> list[str]:
    """Origins as a browser sends them: `https://host` or `https://host:port`."""
    found = listed(name, default=default)
    for origin in found:
        if not is_origin(origin):
            raise ImproperlyConfigured(
                f"{name} holds {origin!r}; it must be an origin like https://example.com."
            )
    return found


def is_origin(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        return False
    address = f"{parts.scheme}://{parts.netloc}"
    named = bool(parts.hostname) and "*" not in value and "@" not in parts.netloc
    return named and parts.scheme in ("http", "https") and address == value and port != 0


def server(name: str, schemes: Sequence[str], value: str) -> str:
    """The address `value` of a server, if it has one of these schemes."""
    parts = urlsplit(value)
    if parts.scheme not in schemes or not (parts.netloc or parts.path.strip("/")):
        examples = ", ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name} must be an address that starts with {examples}.")
    return value


def _bounded(name: str, number: float, least: float, most: float) -> None:
    # Written so that NaN is refused too.
    if not least <= number <= most:
        limit = f"at least {least}" if most == 2**63 - 1 else f"from {least} to {most}"
        raise ImproperlyConfigured(f"{name} is {number}; it must be {limit}.")
