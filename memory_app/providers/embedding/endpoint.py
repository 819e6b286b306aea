"""An OpenAI-compatible `/embeddings` endpoint, with time-outs and bounded retries."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import httpx
import numpy as np

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding.protocol import Budget, Kind, Vectors, encodable, normalized

_ATTEMPTS = 3
_SECONDS = 10.0
_LONGEST_PAUSE = 5.0
_SHORTENINGS = 5
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504}
_TOO_LONG = {400, 413, 422}


class EndpointEmbedder:
    """A model served elsewhere. Its dimensions are read from a probe unless they are set."""

    def __init__(
        self,
        *,
        base: str,
        key: str,
        model: str,
        dimensions: int = 0,
        batch: int = 32,
        client: httpx.Client | None = None,
    ) -> None:
        if not base or not model:
            raise Unavailable(
                "The embedding endpoint is not configured.",
                hint="Set EMBEDDING_API_BASE and EMBEDDING_MODEL, and EMBEDDING_API_KEY if needed.",
            )
        self._url = f"{base.rstrip('/')}/embeddings"
        self._model = model
        self._asked = dimensions
        self._batch = batch
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = client or httpx.Client()
        self._client.headers.update(headers)
        self.max_tokens = 8_191
        self.single_core = False

    @cached_property
    def model_id(self) -> str:
        digest = hashlib.sha256(f"{self._model}:{self._asked}".encode()).hexdigest()
        return f"{self._model}:api:{digest[:8]}"

    @cached_property
    def dimensions(self) -> int:
        return self._asked or self.embed(["probe"]).shape[1]

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        budget = Budget.of(timeout)
        whole = [encodable(text) or " " for text in texts]
        rows: list[list[float]] = []
        for start in range(0, len(whole), self._batch):
            rows.extend(self._answer(whole[start : start + self._batch], budget))
        if not rows:
            return np.zeros((0, self.dimensions), np.float32)
        found = normalized(rows)
        if self._asked and found.shape[1] != self._asked:
            raise Unavailable(
                f"The embedding endpoint answers {found.shape[1]} dimensions, not {self._asked}.",
                hint="Correct EMBEDDING_DIMENSIONS, or leave it out to use what the model gives.",
            )
        return found

    def count_tokens(self, text: str) -> int:
        """An estimate: a token for four bytes, since the endpoint's own tokenizer is not here."""
        return len(text.encode("utf-8", "replace")) // 4 + 2

    def fits(self, text: str) -> bool:
        return self.count_tokens(text) <= self.max_tokens

    def _answer(self, texts: list[str], budget: Budget) -> list[list[float]]:
        """Ask; where the endpoint finds the texts too long, halve the long ones and ask again."""
        limit = self.max_tokens * 4
        for _ in range(_SHORTENINGS):
            response = self._post([text[:limit] for text in texts], budget)
            if response.status_code not in _TOO_LONG or max(map(len, texts)) < 1_000:
                break
            limit //= 2
        if response.status_code != httpx.codes.OK:
            raise _refused(response)
        return _vectors(response, len(texts))

    def _post(self, texts: list[str], budget: Budget) -> httpx.Response:
        body: dict[str, Any] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._asked:
            body["dimensions"] = self._asked
        failure: Exception | None = None
        for attempt in range(_ATTEMPTS):
            budget.check()
            remaining = budget.remaining()
            seconds = _SECONDS if remaining is None else min(_SECONDS, remaining)
            pause = 0.25 * 2**attempt * random.uniform(0.8, 1.2)  # noqa: S311 - spreads retries
            try:
                response = self._client.post(self._url, json=body, timeout=seconds)
            except httpx.TransportError as error:
                failure = error
            else:
                if response.status_code not in _PASSING or attempt == _ATTEMPTS - 1:
                    return response
                pause = max(pause, _asked_pause(response))
            if attempt < _ATTEMPTS - 1:
                _sleep(pause, budget)
        raise Unavailable(
            f"The embedding endpoint can't be reached: {type(failure).__name__}.",
            hint="Check EMBEDDING_API_BASE and the network; the request can be sent again.",
        ) from failure


def _asked_pause(response: httpx.Response) -> float:
    try:
        return min(float(response.headers.get("Retry-After", "0")), _LONGEST_PAUSE)
    except ValueError:  # a date: rare, and the usual pause is as good
        return 0.0


def _sleep(pause: float, budget: Budget) -> None:
    remaining = budget.remaining()
    if remaining is not None and pause >= remaining:
        raise Unavailable(
            "The embedding endpoint did not answer in the time it was given.",
            hint="The request can be sent again.",
        )
    time.sleep(pause)


def _refused(response: httpx.Response) -> Unavailable:
    status = response.status_code
    if status in (401, 403):
        return Unavailable(
            f"The embedding endpoint refuses the key ({status}).", hint="Check EMBEDDING_API_KEY."
        )
    if status == httpx.codes.NOT_FOUND:
        return Unavailable(
            "The embedding endpoint has no such path or model (404).",
            hint="Check EMBEDDING_API_BASE (it usually ends in /v1) and EMBEDDING_MODEL.",
        )
    return Unavailable(
        f"The embedding endpoint answered {status}: {response.text[:200]}",
        hint="The request can be sent again later.",
    )


def _vectors(response: httpx.Response, count: int) -> list[list[float]]:
    try:
        rows = sorted(response.json()["data"], key=lambda row: row.get("index", 0))
        vectors = [[float(value) for value in row["embedding"]] for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unavailable(
            "The embedding endpoint's answer is not in the OpenAI form.",
            hint="EMBEDDING_API_BASE must name an OpenAI-compatible endpoint.",
        ) from error
    if len(vectors) != count or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
        raise Unavailable(
            f"The embedding endpoint gave {len(vectors)} vectors for {count} texts.",
            hint="EMBEDDING_API_BASE must name an OpenAI-compatible endpoint.",
        )
    return vectors
