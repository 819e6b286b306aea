from __future__ import annotations

import logging
import threading

import pytest
from django.test import RequestFactory

from memory_app.config import health
from memory_app.config.health import OK, readyz, warmed


def test_a_part_warms_up_once() -> None:
    done: list[int] = []
    check = warmed(lambda: done.append(1))

    answers = [check(), check()]

    assert (answers, done) == ([OK, OK], [1])


def test_who_asks_during_the_warm_up_is_told_at_once() -> None:
    started, over = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        over.wait(10)

    check = warmed(work)
    first = threading.Thread(target=check)
    first.start()
    started.wait(10)

    meanwhile = check()
    over.set()
    first.join()

    assert (meanwhile, check()) == ("failed: still starting", OK)


def test_a_warm_up_that_failed_is_tried_again() -> None:
    failures = [RuntimeError("no weights")]

    def work() -> None:
        for failure in failures:
            raise failure

    check = warmed(work)
    with pytest.raises(RuntimeError):
        check()
    failures.clear()

    assert check() == OK


def test_only_ceasing_to_be_ready_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said = {"part": "failed: still starting"}
    monkeypatch.setattr(health, "CHECKS", {"part": lambda: said["part"]})
    monkeypatch.setattr(health, "_was_ready", False)
    caplog.set_level(logging.WARNING)

    codes = []
    for answer in ("failed: still starting", OK, "failed: gone", "failed: gone"):
        said["part"] = answer
        codes.append(readyz(RequestFactory().get("/readyz")).status_code)

    assert codes == [503, 200, 503, 503]
    assert [record.getMessage() for record in caplog.records] == ["not_ready: part failed: gone"]
