"""The REST door as a test calls it: in process, through Django's own handler."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from accounts.models import User
from accounts.services.api_keys import issue_key
from tests.factories import World

BACKEND = "django.contrib.auth.backends.ModelBackend"
CSRF_TOKEN = "c" * 32


class Rest:
    """One credential; `bank` is the slug that short addresses are below."""

    def __init__(self, secret: str | None, *, bank: str = "main") -> None:
        self.secret = secret
        self.bank = bank
        self.shared: dict[str, str] = {}
        self._client = Client(raise_request_exception=False)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Any request; a path without a leading slash is below the bank."""
        address = path if path.startswith("/") else f"/api/v1/banks/{self.bank}/{path}"
        sent = self.shared | {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret is not None:
            sent.setdefault("Authorization", f"Bearer {self.secret}")
        data = body if isinstance(body, (str, bytes)) else "" if body is None else json.dumps(body)
        return self._client.generic(
            method,
            address,
            data,
            content_type=sent.pop("Content-Type", "application/json"),
            headers=sent,
        )

    def sign_in(self, world: World, user: User | None = None) -> None:
        """Use the session of this person, or the owner, from now on, with the CSRF token."""
        self._client = Client(raise_request_exception=False, enforce_csrf_checks=True)
        self._client.force_login(user or world.owner, backend=BACKEND)
        self._client.cookies["csrftoken"] = CSRF_TOKEN
        self.shared = {"X-CSRFToken": CSRF_TOKEN}

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.call("DELETE", path, **headers)

    def save(self, content: str, **fields: Any) -> dict[str, Any]:
        """The memory that a create answered with, which must have been accepted."""
        answer = self.post("memories", {"content": content, **fields})
        assert answer.status_code in (200, 201, 202), answer.content
        return dict(answer.json()["memory"])


def rest_of(world: World) -> Rest:
    """A client with a fresh key of the world's agent."""
    return Rest(issue_key(world.person, agent=world.agent.id).secret)


def session_of(world: World) -> Rest:
    """The owner's browser session, with its CSRF token."""
    rest = Rest(None)
    rest.sign_in(world)
    return rest
