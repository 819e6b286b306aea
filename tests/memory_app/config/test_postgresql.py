"""What the product's database engine does with connections that stood in the pool."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import psycopg
import pytest
from django.db import connection, connections

from memory_app.config.environment import pooled


@pytest.fixture
def pooling(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The tests' database through a pool of one connection."""
    given = deepcopy(connection.settings_dict)
    monkeypatch.setitem(connections.settings, "pooling", given | pooled(given, most=1))
    wrapper: Any = connections["pooling"]
    yield wrapper
    wrapper.close()
    wrapper.close_pool()
    del connections["pooling"]


def backend_of(wrapper: Any) -> int:
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def end_session(number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [number])


def test_a_connection_that_still_stands_is_used_again_without_a_question(
    pooling: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = backend_of(pooling)
    pooling.close()
    asked: list[object] = []
    monkeypatch.setattr(psycopg.Connection, "execute", lambda *given: asked.append(given))

    assert backend_of(pooling) == first
    assert asked == []


def test_a_session_that_the_server_ended_is_replaced_before_use(pooling: Any) -> None:
    first = backend_of(pooling)
    pooling.close()
    end_session(first)

    assert backend_of(pooling) != first


def test_a_notice_from_the_server_ends_no_connection(pooling: Any) -> None:
    first = backend_of(pooling)
    with pooling.cursor() as cursor:
        cursor.execute("LISTEN news")
    pooling.close()
    with connection.cursor() as cursor:
        cursor.execute("NOTIFY news")

    assert backend_of(pooling) == first
