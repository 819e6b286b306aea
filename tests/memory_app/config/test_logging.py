from __future__ import annotations

import logging
import logging.config
import sys

import pytest
import structlog
from django.test import RequestFactory
from pytest_django import Settings
from redis.exceptions import ConnectionError as RedisConnectionError

from memory_app.config.logging import REPEATED_AFTER, Sparing, _without_probes, configure
from memory_app.config.request_log import LoggedRequests


@pytest.mark.parametrize("json", [True, False])
def test_a_traceback_in_the_log_holds_no_values(json: bool) -> None:
    """Variables of a failing request are keys, passwords and what tenants remember."""
    formatter = _formatter(json=json)

    line = formatter.format(_failure("cpl_" + "secret"))

    assert "RuntimeError: it failed" in line.replace("\\n", "\n")
    assert "cpl_secret" not in line


def test_a_server_that_is_away_is_one_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("memory_app.config.logging.time.monotonic", lambda: now[0])
    spare = Sparing()
    away = [_record(RedisConnectionError("no such socket")) for _ in range(3)]

    passed = [spare.filter(away[0]), spare.filter(away[1])]
    now[0] += REPEATED_AFTER
    passed.append(spare.filter(away[2]))
    line = _formatter(json=False).format(away[0])

    assert passed == [True, False, True]
    assert "no such socket" in line
    assert "hear of no change" in line
    assert "RedisConnectionError" not in line
    assert len(line.splitlines()) == 1


def test_a_fault_of_another_kind_keeps_its_traceback() -> None:
    spare = Sparing()
    faults = [_record(RuntimeError("a fault of ours")) for _ in range(2)]

    assert [spare.filter(fault) for fault in faults] == [True, True]
    assert "RuntimeError: a fault of ours" in _formatter(json=False).format(faults[1])


@pytest.mark.parametrize("path", ["/readyz", "/livez"])
def test_probes_leave_no_line(path: str) -> None:
    with pytest.raises(structlog.DropEvent):
        _without_probes(None, "warning", {"event": "request_finished", "request": f"GET {path}"})


def test_other_requests_leave_theirs() -> None:
    event = {"event": "request_finished", "request": "GET /api/v1/banks"}

    assert _without_probes(None, "warning", dict(event)) == event


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "203.0.113.9", "127.0.0.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.1, 203.0.113.9", "198.51.100.1"),
        (2, "203.0.113.9", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_the_address_of_a_request_is_what_trusted_proxies_tell(
    proxies: int, forwarded: str, address: str, settings: Settings
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded})

    with structlog.contextvars.bound_contextvars(ip="nobody's"):
        LoggedRequests.bind_ip(request)

        assert structlog.contextvars.get_contextvars()["ip"] == address


def _record(error: Exception) -> logging.LogRecord:
    told = (type(error), error, error.__traceback__)
    return logging.LogRecord("layer", logging.ERROR, "layer.py", 1, "failed", (), told)


def _formatter(*, json: bool) -> logging.Formatter:
    described = configure("WARNING", json=json)["formatters"]["events"]
    make = described.pop("()")
    formatter: logging.Formatter = make(**described)
    return formatter


def _failure(key: str) -> logging.LogRecord:
    assert key
    try:
        raise RuntimeError("it failed")
    except RuntimeError:
        failure = sys.exc_info()
    return logging.LogRecord("web", logging.ERROR, "web.py", 1, "failed", (), failure)
