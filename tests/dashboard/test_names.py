"""Lines that name what they are about, and pages that say in words what the system knows by ids."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import Membership, User
from accounts.services import agents, api_keys, connections, invitations
from accounts.tenancy import acting_as
from dashboard.presenters.browsers import browser_of
from dashboard.presenters.reasons import plainly, told
from memory_app.models import Memory
from memory_app.services import memory_tests, saved_views
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile Safari/604.1"


@pytest.mark.parametrize("screen", ["activity/", "ledger/"])
def test_a_change_of_something_else_than_a_memory_names_it(
    desk: Desk, remember: Remember, screen: str
) -> None:
    memory = remember("Staging is reset every Monday.")
    memory_tests.create(desk.world.person, "main", query="When is staging reset?", memory=memory.id)
    saved_views.save_view(desk.world.person, "main", name="Office <b>", query="", shared=False)

    page = desk.client.get(desk.url(screen)).content.decode()

    assert "“When is staging reset?”" in page
    assert "“Office &lt;b&gt;”" in page


@pytest.mark.parametrize("screen", ["activity/", "ledger/", "ledger/1"])
def test_another_persons_private_view_stays_without_its_name(desk: Desk, screen: str) -> None:
    saved_views.save_view(desk.world.person, "main", name="Salaries", query="", shared=False)
    user = User.objects.create_user(f"v-{desk.world.organization.slug}@example.com", "a long one 1")
    with acting_as(desk.world.person):
        Membership.objects.create(organization=desk.world.organization, user=user, role="viewer")
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")

    page = client.get(desk.url(screen)).content.decode()

    assert "saved a view" in page
    assert "Salaries" not in page


def test_a_memorys_page_is_headed_by_its_title_or_first_words(
    desk: Desk, remember: Remember
) -> None:
    plain = remember("Staging is\nreset   every Monday. " + "And so on. " * 20)
    titled = remember("The limit is 100 requests.", title="Limits")

    pages = [desk.client.get(desk.memory_url(one)).context["memory"] for one in (plain, titled)]

    assert pages[0].name.startswith("Staging is reset every Monday. And so on.")
    assert pages[0].name.endswith("…")
    assert pages[1].name == "Limits"


def test_the_access_log_says_in_words_what_was_given_to_whom(desk: Desk) -> None:
    person, bank = desk.world.person, desk.world.bank
    made = agents.create_agent(person, name="Reporter")
    connections.connect(person, agent=made.id, bank=bank.id, tier="read_write")
    api_keys.issue_key(person, agent=made.id)
    invitations.invite(person, email="new@example.com", role="member")

    page = desk.client.get(f"/o/{desk.world.organization.slug}/access-log/")
    lines = {event.did: event for event in page.context["events"]}

    assert lines["made a key for"].target == "Reporter"
    assert ("may", "read and add") in lines["connected"].details
    assert lines["invited"].target == "new@example.com"
    assert "read_write" not in page.content.decode()


@pytest.mark.parametrize(
    ("user_agent", "shown"),
    [
        (FIREFOX, "Firefox on Windows"),
        (SAFARI, "Safari on iPhone"),
        ("curl/8.5.0", "curl"),
        ("reader of ours/2", "reader of ours/2"),
        ("x" * 500, "x" * 60),
        ("", "An unnamed program"),
    ],
)
def test_a_session_is_called_by_its_browser(user_agent: str, shown: str) -> None:
    assert browser_of(user_agent) == shown


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (
            "dense did not find it: its similarity is 0.082; lexical found it at place 3 with 1.2.",
            "Meaning did not find it: its similarity is 0.082; words found it at place 3 with 1.2.",
        ),
        (
            "It is served at place 1, found by dense and lexical with a similarity of 0.556.",
            "It is served at place 1, found by meaning and words with a similarity of 0.556.",
        ),
        (
            "It is retired: the dense fog is over. It was replaced by mem_01M8QRFAQHSNQQWK4BBQKNRK8C.",
            "It is retired: the dense fog is over. It was replaced by another memory.",
        ),
    ],
)
def test_reasons_use_the_dashboards_words(reason: str, shown: str) -> None:
    assert plainly(reason) == shown


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("keep_old", "the older one stays"),
        ("decision on prop_01M8RMMBNX334T0JMAYTYB7ZE0 undone", "decision undone"),
        ("merged by decision on prop_01M8RMMBNX334T0JMAYTYB7ZE0", "merged by decision"),
        ("The office moved.", "The office moved."),
    ],
)
def test_a_decision_is_told_in_words(reason: str, shown: str) -> None:
    assert told(reason) == shown
