from __future__ import annotations

import threading

import pytest

from memory_app.config.health import OK, warmed


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
