"""Forms that are sent twice, one after the other or at once, are carried out once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections
from django.http import HttpResponse
from django.test import Client

from accounts.auth.sessions import memberships_of
from accounts.models import Agent, ApiKey
from accounts.tenancy import acting_as
from memory_app.models import Bank, BulkOperation, GapDecision, LedgerEntry, Memory, SavedView
from memory_app.recall.values import Query
from memory_app.services import gaps, recalling
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]
TWICE = 4


def _at_once(desk: Desk, path: str, form: Mapping[str, str]) -> list[HttpResponse]:
    """The same form from four windows of one person, let go together."""
    start = Barrier(TWICE)

    def send(_: int) -> HttpResponse:
        client = Client()
        client.force_login(desk.world.owner, backend="django.contrib.auth.backends.ModelBackend")
        start.wait()
        try:
            return client.post(path, form)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(TWICE) as pool:
        return list(pool.map(send, range(TWICE)))


def _count(desk: Desk, model: Any, **where: object) -> int:
    """Rows of the organization."""
    with acting_as(desk.world.person):
        return int(model.objects.filter(organization=desk.world.organization, **where).count())


def _below(desk: Desk, model: Any, **where: object) -> int:
    """Rows of the bank."""
    return _count(desk, model, bank=desk.world.bank, **where)


def _ask(desk: Desk) -> str:
    recalling.search(desk.world.caller, "main", Query(text="Where is the key?", min_score=1.0))
    return gaps.list_open(desk.world.person, "main")[0].key


def test_a_view_saved_by_four_clicks_is_one(desk: Desk) -> None:
    answers = _at_once(desk, desk.url("views/"), {"name": "Office", "query": "tag=office"})

    assert {answer["Location"] for answer in answers} == {desk.url("memories/?tag=office")}
    assert _below(desk, SavedView) == 1


def test_another_view_of_the_same_name_is_refused_in_words(desk: Desk) -> None:
    desk.client.post(desk.url("views/"), {"name": "Office", "query": "tag=office"})

    page = desk.client.post(
        desk.url("views/"),
        {"name": "OFFICE", "query": "tag=home", "next": desk.url("memories/")},
        follow=True,
    )

    assert "You have another view called “OFFICE”" in page.content.decode()
    assert _below(desk, SavedView) == 1


def test_a_removed_view_whose_name_was_given_away_stays_removed(desk: Desk) -> None:
    desk.client.post(desk.url("views/"), {"name": "Office", "query": "tag=office"})
    with acting_as(desk.world.person):
        first = SavedView.objects.get(bank_id=desk.world.bank.id)
    desk.client.post(desk.url(f"views/{first.id}/remove"))
    desk.client.post(desk.url("views/"), {"name": "Office", "query": "tag=home"})

    page = desk.client.post(
        desk.url(f"views/{first.id}/restore"), {"next": desk.url("memories/")}, follow=True
    )

    assert "You have another view of this name" in page.content.decode()
    assert _below(desk, SavedView, deleted_at=None) == 1


def test_a_key_asked_for_by_four_clicks_is_one_for_one_agent(desk: Desk) -> None:
    """The connect page: agent, connection and key in one form."""
    form = {"agent": "Claude Code", "tier": "read", "once": "a-form"}
    answers = _at_once(desk, desk.url("agents/new/keys"), form)

    assert {answer["Location"] for answer in answers} == {desk.url("connect/")}
    assert _count(desk, Agent, name="Claude Code") == 1
    assert _count(desk, ApiKey) == 1


def test_a_bank_made_by_four_clicks_is_one(desk: Desk) -> None:
    home = f"/o/{desk.world.organization.slug}/"
    answers = _at_once(desk, home, {"name": "Plans", "once": "a-form"})

    assert {answer["Location"] for answer in answers} == {f"{home}plans/memories/"}
    assert _count(desk, Bank, name="Plans") == 1


def test_an_organization_made_by_two_clicks_is_one(desk: Desk) -> None:
    name = f"Second of {desk.world.organization.slug}"
    pages = [
        desk.client.post("/organizations/new", {"name": name, "once": name}, follow=True)
        for _ in range(2)
    ]

    owned = [each.name for each in memberships_of(desk.world.owner)]
    assert owned.count(name) == 1
    assert "sent twice" in pages[1].content.decode()


@pytest.mark.parametrize(
    ("second", "banks"), [({"name": "Other", "once": "a"}, 2), ({"name": "Plans", "once": "b"}, 2)]
)
def test_another_form_counts_anew(desk: Desk, second: dict[str, str], banks: int) -> None:
    home = f"/o/{desk.world.organization.slug}/"
    desk.client.post(home, {"name": "Plans", "once": "a"})
    desk.client.post(home, second)

    assert _count(desk, Bank, created_by=desk.world.owner.id) == banks


def test_a_refused_form_may_be_sent_again(desk: Desk) -> None:
    form = {"name": "Coder", "once": "a-form", "next": desk.url("agents/")}
    refused = desk.client.post(desk.url("agents/"), form, follow=True)
    with acting_as(desk.world.person):
        Agent.objects.filter(id=desk.world.agent.id).update(name="Another")
    desk.client.post(desk.url("agents/"), form)

    assert "There is an agent named" in refused.content.decode()
    assert _count(desk, Agent, name="Coder") == 1


def test_a_bulk_change_clicked_twice_is_one_with_one_undo(desk: Desk, remember: Remember) -> None:
    memory = remember("The office closes at six.")
    form = {"action": "delete", "id": memory.id, "once": "a-form"}
    desk.client.post(desk.url("memories/bulk"), form)
    second = desk.client.post(desk.url("memories/bulk"), form, follow=True).content.decode()

    assert _below(desk, BulkOperation) == 1
    assert "/undo" in second


@pytest.mark.parametrize("decision", ["snooze", "dismiss"])
def test_a_gap_decided_by_four_clicks_is_decided_once(desk: Desk, decision: str) -> None:
    key = _ask(desk)
    answers = _at_once(desk, desk.url(f"gaps/{key}/{decision}"), {"days": "7"})

    assert {answer["Location"] for answer in answers} == {desk.url("gaps/")}
    assert _below(desk, GapDecision) == 1
    assert _below(desk, LedgerEntry, operation__endswith="_gap") == 1


def test_a_gap_decided_otherwise_is_told_and_an_unknown_one_is_not_found(desk: Desk) -> None:
    key = _ask(desk)
    desk.client.post(desk.url(f"gaps/{key}/snooze"), {"days": "7"})

    other = desk.client.post(
        desk.url(f"gaps/{key}/dismiss"), {"next": desk.url("gaps/")}, follow=True
    )
    unknown = desk.client.post(desk.url("gaps/0123/dismiss"))

    assert "decided already" in other.content.decode()
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    "path", ["connect/", "agents/", "import/", "memories/bulk?action=pin&id={memory}"]
)
def test_each_opening_of_a_form_has_a_token_of_its_own(
    desk: Desk, remember: Remember, path: str
) -> None:
    address = desk.url(path.format(memory=remember("The office closes at six.").id))
    opened = [
        re.findall(r'name="once" value="(\w{32})"', desk.client.get(address).content.decode())
        for _ in range(2)
    ]

    assert opened[0]
    assert not set(opened[0]) & set(opened[1])
