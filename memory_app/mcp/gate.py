"""Which hosts and which web pages may reach the endpoint, before anything else is looked at."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from memory_app.domain.errors import ProductError

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_HINT = "The operator sets ALLOWED_HOSTS, PUBLIC_URL and MCP_ALLOWED_ORIGINS."


class UnknownHost(ProductError):
    """The Host header names another service."""

    code = "host_not_allowed"
    status = 421


class ForeignOrigin(ProductError):
    """A web page of somebody else's sent the request."""

    code = "origin_not_allowed"
    status = 403


def check(*, host: str, origin: str) -> None:
    """Raises `UnknownHost` unless the Host is one of `ALLOWED_HOSTS` or that of `PUBLIC_URL`.

    Raises `ForeignOrigin` unless there is no Origin (only browsers send one), or it is a page of this
    service, of this machine (the MCP Inspector) or one that `MCP_ALLOWED_ORIGINS` names.
    """
    if not _host_allowed(host):
        raise UnknownHost(
            f"The Host {host!r:.80} is not one that this service has.", hint=_HINT, field="Host"
        )
    if origin and origin not in settings.MCP_ALLOWED_ORIGINS and not _own_origin(origin):
        raise ForeignOrigin(
            f"Pages of {origin!r:.80} may not call this service.", hint=_HINT, field="Origin"
        )


def _host_allowed(host: str) -> bool:
    domain, _port = split_domain_port(host)
    public = urlsplit(settings.PUBLIC_URL).hostname
    return bool(domain) and (domain == public or validate_host(domain, settings.ALLOWED_HOSTS))


def _own_origin(origin: str) -> bool:
    parts = _split(origin)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        return False
    public = urlsplit(settings.PUBLIC_URL)
    if (parts.scheme, parts.netloc) == (public.scheme, public.netloc):
        return True
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    named = [pattern for pattern in settings.ALLOWED_HOSTS if pattern != "*"]
    return host in _LOOPBACK or validate_host(host, named)


def _split(origin: str) -> SplitResult | None:
    try:
        parts = urlsplit(origin)
        return None if parts.path or parts.query or parts.fragment else parts
    except ValueError:
        return None
