from __future__ import annotations

import logging
import logging.config
import sys

import pytest

from memory_app.config.logging import configure


@pytest.mark.parametrize("json", [True, False])
def test_a_traceback_in_the_log_holds_no_values(json: bool) -> None:
    """Variables of a failing request are keys, passwords and what tenants remember."""
    formatter = _formatter(json=json)

    line = formatter.format(_failure("cpl_" + "secret"))

    assert "RuntimeError: it failed" in line.replace("\\n", "\n")
    assert "cpl_secret" not in line


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
