"""A statement's embedding begins before Django reads the request, for keys that have worked here."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rest_framework.request import Request

from memory_app.config.requests import TolerantRequest
from memory_app.providers.embedding import get_embedder
from memory_app.rest.foreseeing import MOST_BYTES, begin, foreseen
from tests.factories import World
from tests.memory_app.rest.client import Rest

TEXT = "Olive drinks tea."
UNKNOWN = "cpl_000000000000000000000000000000000000"


def scope_of(secret: str | None, *, path: str = "banks/main/memories", method: str = "POST") -> Any:
    return {
        "type": "http",
        "method": method,
        "path": f"/api/v1/{path}/",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {secret}".encode())],
    }


def body_of(value: Any) -> io.BytesIO:
    return io.BytesIO(json.dumps(value).encode())


def begun(scope: Any, body: io.BytesIO) -> bool:
    begin(scope, body)
    assert body.tell() == 0
    return any(name.startswith("commonplace") for name in scope)


@pytest.fixture
def secret(rest: Rest) -> str:
    """Of a key that has worked in this process."""
    rest.get("profile")
    return str(rest.secret)


def test_what_was_begun_is_what_the_request_foresees(secret: str) -> None:
    scope, body = scope_of(secret), body_of({"content": TEXT})

    begin(scope, body)
    found = foreseen(Request(TolerantRequest(scope, body)), "main")

    assert found is not None
    assert found.ahead is not None
    assert found.ahead.serves(get_embedder(), [TEXT])
    assert found.ahead.vectors().shape == (1, get_embedder().dimensions)


def test_another_bank_than_the_one_begun_for_is_foreseen_anew(secret: str) -> None:
    scope, body = scope_of(secret), body_of({"content": TEXT})

    begin(scope, body)
    found = foreseen(Request(TolerantRequest(scope, body)), "other")

    assert found is not None
    assert (found.bank, found.ahead) == ("other", None)


@pytest.mark.parametrize("given", [None, "", UNKNOWN, "cpl_1", "\u00e9"])
def test_nothing_is_begun_for_a_key_that_has_not_worked(given: str | None, world: World) -> None:
    assert not begun(scope_of(given), body_of({"content": TEXT}))


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("banks/main/memories", "GET"),
        ("banks/main/search", "POST"),
        ("banks/main/memories/mem_1", "POST"),
        ("banks", "POST"),
    ],
)
def test_nothing_is_begun_for_another_operation(path: str, method: str, secret: str) -> None:
    assert not begun(scope_of(secret, path=path, method=method), body_of({"content": TEXT}))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"content": 7}',
        b'{"content": ""}',
        b'{"a": 1, "a": 2}',
        b"[" * 19000,
        b'{"content": "a\\u0000b"}',
        json.dumps({"content": "x" * MOST_BYTES}).encode(),
    ],
)
def test_what_will_be_refused_is_left_to_those_who_refuse_it(body: bytes, secret: str) -> None:
    assert not begun(scope_of(secret), io.BytesIO(body))
