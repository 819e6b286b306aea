"""The OpenAI-compatible endpoint, with the network replaced by a transport that answers as told."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding import endpoint
from memory_app.providers.embedding.endpoint import EndpointEmbedder

Answer = Callable[[httpx.Request], httpx.Response]


def _embedder(answer: Answer, **options: int) -> EndpointEmbedder:
    client = httpx.Client(transport=httpx.MockTransport(answer))
    return EndpointEmbedder(
        base="https://models.example/v1", key="k", model="m", client=client, **options
    )


def _vectors(request: httpx.Request) -> httpx.Response:
    texts = json.loads(request.content)["input"]
    rows = [{"index": n, "embedding": [float(len(text)), 1.0, 0.0]} for n, text in enumerate(texts)]
    return httpx.Response(200, json={"data": rows[::-1]})


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint.time, "sleep", lambda seconds: None)


def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    first, second = _embedder(_vectors).embed(["a", "aaaaaaaaa"])

    assert first[0] < second[0]


def test_the_dimensions_of_an_unknown_model_come_from_a_probe() -> None:
    assert _embedder(_vectors).dimensions == 3


def test_the_key_travels_in_the_header() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["Authorization"])
        return _vectors(request)

    _embedder(answer).embed(["a"])

    assert seen == ["Bearer k"]


def test_a_passing_failure_is_tried_again() -> None:
    left = [httpx.Response(503), httpx.Response(429, headers={"Retry-After": "1"})]

    found = _embedder(lambda request: left.pop() if left else _vectors(request)).embed(["a"])

    assert found.shape == (1, 3)


def test_a_lasting_failure_is_unavailable_after_three_tries() -> None:
    tries: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        tries.append(1)
        raise httpx.ConnectError("refused")

    with pytest.raises(Unavailable, match="can't be reached"):
        _embedder(answer).embed(["a"])
    assert len(tries) == 3


def test_a_refused_key_is_said_and_not_tried_again() -> None:
    with pytest.raises(Unavailable, match="refuses the key"):
        _embedder(lambda request: httpx.Response(401)).embed(["a"])


def test_a_text_the_endpoint_finds_too_long_is_shortened() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        longest = max(map(len, json.loads(request.content)["input"]))
        return httpx.Response(400) if longest > 10_000 else _vectors(request)

    assert _embedder(answer).embed(["🦊" * 200_000]).shape == (1, 3)


@pytest.mark.parametrize("body", ["no json", '{"data": []}', '{"data": [{"embedding": []}]}', "[]"])
def test_an_answer_in_another_form_is_unavailable(body: str) -> None:
    with pytest.raises(Unavailable):
        _embedder(lambda request: httpx.Response(200, text=body)).embed(["a"])


def test_other_dimensions_than_the_set_ones_are_refused() -> None:
    with pytest.raises(Unavailable, match="3 dimensions, not 8"):
        _embedder(_vectors, dimensions=8).embed(["a"])


def test_an_endpoint_without_address_is_not_configured() -> None:
    with pytest.raises(Unavailable, match="not configured"):
        EndpointEmbedder(base="", key="", model="")
