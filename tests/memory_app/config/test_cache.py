"""Saving and searching need neither cache nor broker: they may be gone, or hang."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.core.cache import cache
from kombu.exceptions import OperationalError

from memory_app.config.health import CHECKS
from memory_app.config.settings.servers import on_redis
from tests.factories import make_world
from tests.memory_app.rest.client import rest_of


@pytest.fixture
def gone(settings: Any, tmp_path: Path) -> None:
    settings.CACHES = on_redis(f"unix://{tmp_path}/gone.sock")["CACHES"]


@pytest.fixture
def hanging(settings: Any, tmp_path: Path) -> Iterator[None]:
    """A server that takes the connection and never says a word."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "hangs.sock"))
        listener.listen(64)
        found = on_redis(f"unix://{tmp_path}/hangs.sock")
        settings.CACHES = found["CACHES"]
        settings.CELERY_BROKER_URL = found["CELERY_BROKER_URL"]
        settings.CELERY_BROKER_TRANSPORT_OPTIONS = found["CELERY_BROKER_TRANSPORT_OPTIONS"]
        yield


@pytest.mark.usefixtures("gone")
def test_saving_and_searching_work_without_the_cache() -> None:
    rest = rest_of(make_world(tier="full"))

    saved = rest.post("memories", {"content": "The broker may lose everything."})
    found = rest.get("search?q=what+may+the+broker+lose")

    assert (saved.status_code, found.status_code) == (201, 200)
    assert [each["id"] for each in found.json()["memories"]] == [saved.json()["memory"]["id"]]


@pytest.mark.usefixtures("gone")
def test_every_look_into_a_cache_that_is_gone_is_a_miss() -> None:
    cache.set("a", 1)
    cache.set_many({"a": 1})

    assert cache.get("a", "missed") == "missed"
    assert cache.get_many(["a"]) == {}
    assert not cache.add("a", 1)
    assert not cache.touch("a")
    assert not cache.delete("a")


@pytest.mark.usefixtures("gone")
def test_a_cache_that_is_gone_shows_in_the_readiness() -> None:
    assert CHECKS["cache"]() == "failed: does not keep values"


@pytest.mark.usefixtures("hanging")
def test_a_cache_that_hangs_holds_up_a_look_for_seconds_at_most() -> None:
    begin = time.monotonic()

    assert cache.get("a", "missed") == "missed"
    assert time.monotonic() - begin < 3


@pytest.mark.usefixtures("hanging")
def test_a_broker_that_hangs_holds_up_a_write_for_seconds_at_most(settings: Any) -> None:
    """What wasn't sent waits in the database for the next sweep."""
    app = Celery(set_as_current=False)
    app.config_from_object(settings, namespace="CELERY")
    app.conf.task_always_eager = False
    begin = time.monotonic()

    with pytest.raises(OperationalError):
        app.send_task("memory_app.any", retry=False, ignore_result=True)

    assert time.monotonic() - begin < 20
