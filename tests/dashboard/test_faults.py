"""What a person sees when something else than the page is broken."""

from __future__ import annotations

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.test import Client

from tests.dashboard.conftest import Desk
from tests.factories import World


def browser(world: World) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(world.owner, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (OperationalError("the connection is closed"), 503, "can’t be reached"),
        (ZeroDivisionError(), 500, "broke on our side"),
    ],
)
def test_a_lost_database_is_told_apart_from_a_fault(
    error: Exception, status: int, words: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(world)

    def load(_: SessionStore) -> None:
        raise error

    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", load)
    monkeypatch.setattr("django.contrib.sessions.backends.cached_db.SessionStore.load", load)

    answer = client.get(f"/o/{world.organization.slug}/main/memories/")

    assert answer.status_code == status
    assert words in answer.content.decode()


@pytest.mark.parametrize(
    "path", ["/o/{}/people/?q=%00", "/o/{}/banks/?q=%00", "/o/{}/main/agents/?q=%00"]
)
def test_a_nul_in_a_search_for_names_is_refused_in_words(desk: Desk, path: str) -> None:
    """Case 030."""
    page = desk.client.get(path.format(desk.world.organization.slug))

    assert page.status_code == 400
    assert "q contains a NUL character" in page.content.decode()


def test_a_way_back_that_no_address_can_be_leads_to_the_usual_page(desk: Desk) -> None:
    """The key was made, and then keeping the answer failed."""
    made = desk.client.post(
        desk.url(f"agents/{desk.world.agent.id}/keys"), {"next": "a\x00b", "once": "1"}
    )

    assert (made.status_code, made["Location"]) == (302, desk.url("agents/"))
