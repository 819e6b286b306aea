from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.actor import COMMAND, system_actor
from accounts.models import Membership
from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.joining import join_client
from accounts.tenancy import acting_as
from dashboard.presenters import agents as presenters
from memory_app.mcp.registry import all_tools
from tests.dashboard.conftest import Desk
from tests.factories import World, make_bank

SECRET = re.compile(r"cpl_[0-9A-Za-z]{36}")


def test_a_key_is_shown_once_and_then_only_its_first_characters(desk: Desk) -> None:
    made = desk.client.post(desk.url(f"agents/{desk.world.agent.id}/keys"), follow=True)
    again = desk.client.get(desk.url("agents/"))

    secret = SECRET.search(made.content.decode())
    assert secret is not None
    assert not SECRET.search(again.content.decode())
    assert f"{secret.group()[:8]}…" in again.content.decode()


def test_a_rotated_key_leaves_the_old_one_a_day(desk: Desk) -> None:
    desk.client.post(desk.url(f"agents/{desk.world.agent.id}/keys"), follow=True)
    key = _agents(desk)[0].keys[0]

    rotated = desk.client.post(key.url, {"action": "rotate"}, follow=True)

    assert SECRET.search(rotated.content.decode())
    assert [each.expires_at is not None for each in _agents(desk)[0].keys] == [False, True]


def test_a_revoked_key_says_so(desk: Desk) -> None:
    desk.client.post(desk.url(f"agents/{desk.world.agent.id}/keys"), follow=True)
    key = _agents(desk)[0].keys[0]

    desk.client.post(key.url, {"action": "revoke"})

    assert _agents(desk)[0].keys[0].revoked


@pytest.mark.parametrize("action", ["", "rename", "\x00"])
def test_what_names_no_change_revokes_no_key_and_empties_no_connection(
    desk: Desk, action: str
) -> None:
    desk.client.post(desk.url(f"agents/{desk.world.agent.id}/keys"), follow=True)
    before = _agents(desk)[0]

    desk.client.post(before.keys[0].url, {"action": action})
    desk.client.post(before.connections[0].url, {"action": action})

    after = _agents(desk)[0]
    assert not after.keys[0].revoked
    assert after.connections[0].toolsets == before.connections[0].toolsets


def test_tier_and_toolsets_are_saved_for_one_bank(desk: Desk) -> None:
    connection = _agents(desk)[0].connections[0]

    desk.client.post(connection.url, {"tier": "read", "toolsets": ["essential", "notes"]})

    saved = _agents(desk)[0].connections[0]
    assert saved.tier_label == "read"
    assert saved.toolsets == ("essential", "notes")


def test_a_toolset_without_tools_is_offered_to_nobody_and_kept_where_it_was_given(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    essential = tuple(tool for tool in all_tools() if tool.toolset != "facts")
    monkeypatch.setattr(presenters, "all_tools", lambda: essential)
    before = _agents(desk)[0].connections[0]
    given = {"action": "save", "tier": "full", "toolsets": ["essential", "facts"]}
    desk.client.post(before.url, given)
    after = _agents(desk)[0].connections[0]

    assert "facts" not in [choice.value for choice in before.choices]
    assert ("facts (no tools yet)", True) in [(each.label, each.chosen) for each in after.choices]


def test_an_agent_is_connected_to_another_bank_and_revoked(desk: Desk) -> None:
    make_bank(desk.world, "second")
    agent = _agents(desk)[0]

    desk.client.post(agent.connect_url, {"bank": agent.connectable[0].id})
    connected = {each.bank: each for each in _agents(desk)[0].connections}
    desk.client.post(connected["Second"].url, {"action": "revoke"})

    assert set(connected) == {"Main", "Second"}
    assert [each.bank for each in _agents(desk)[0].connections] == ["Main"]


def test_a_paused_agent_says_so(desk: Desk) -> None:
    desk.client.post(_agents(desk)[0].pause_url, {"paused": "1"})

    assert _agents(desk)[0].paused


def test_a_new_agent_starts_connected_to_this_bank(desk: Desk) -> None:
    desk.client.post(desk.url("agents/"), {"name": "Reviewer", "tier": "read"})

    made = next(each for each in _agents(desk) if each.name == "Reviewer")
    assert [(each.bank, each.tier_label) for each in made.connections] == [("Main", "read")]


def test_a_refused_change_comes_back_with_the_reason(desk: Desk) -> None:
    refused = desk.client.post(
        desk.url("agents/"), {"name": " ", "next": desk.url("agents/")}, follow=True
    )

    assert "name must not be empty" in refused.content.decode()


def test_a_viewer_sees_no_buttons_and_makes_no_key(desk: Desk) -> None:
    with acting_as(desk.world.person):
        Membership.objects.filter(user=desk.world.owner).update(role="viewer")

    page = desk.client.get(desk.url("agents/")).content.decode()
    refused = desk.client.post(desk.url(f"agents/{desk.world.agent.id}/keys"))

    assert "New key" not in page
    assert refused.status_code == 403


def test_a_strangers_agent_gets_no_key(desk: Desk, stranger: World) -> None:
    theirs = desk.client.post(desk.url(f"agents/{stranger.agent.id}/keys"))
    nobodys = desk.client.post(desk.url("agents/agent_01ARZ3NDEKTSV4RRFFQ69G5FAV/keys"))

    assert theirs.status_code == nobodys.status_code == 404
    assert theirs.content == nobodys.content


def test_an_agent_has_a_page_of_its_own(desk: Desk) -> None:
    agent = desk.world.agent
    url = desk.url(f"agents/{agent.id}/")

    desk.client.post(url, {"name": "Coder two", "description": "Writes."})
    desk.client.post(desk.url(f"agents/{agent.id}/keys"), {"name": "laptop", "next": url})
    page = desk.client.get(url)

    assert page.context["agent"].description == "Writes."
    assert [key.name for key in page.context["agent"].keys] == ["laptop"]
    assert "changed the agent" in page.content.decode()


def test_the_grace_of_a_rotation_is_chosen_and_shown(desk: Desk) -> None:
    desk.client.post(desk.url(f"agents/{desk.world.agent.id}/keys"))
    key = _agents(desk)[0].keys[0]

    desk.client.post(key.url, {"action": "rotate", "grace": "168"})

    page = desk.client.get(desk.url("agents/")).content.decode()
    assert "replaced, stops working" in page
    assert "In grace" in page


def test_agents_come_in_pages(desk: Desk) -> None:
    for number in range(30):
        create_agent(desk.world.person, name=f"Agent {number:02}")

    first = desk.client.get(desk.url("agents/"))
    second = desk.client.get(first.context["older_url"])

    names = [each.name for page in (first, second) for each in page.context["agents"]]
    assert names == sorted(names)
    assert len(names) == len(set(names)) == 31


def test_a_key_made_at_the_command_line_says_so(desk: Desk) -> None:
    world = desk.world
    issue_key(system_actor(world.organization.id, COMMAND), agent=world.agent.id)

    assert _agents(desk)[0].keys[0].created_by == "The operator"


def test_one_form_sent_twice_at_once_makes_one_agent(desk: Desk) -> None:
    start = threading.Barrier(4)

    def join() -> str:
        start.wait()
        try:
            return join_client(desk.world.person, name="Claude", bank="main").key.agent_id
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        made = {each.result() for each in [pool.submit(join) for _ in range(4)]}

    assert len(made) == 1
    assert sum(each.name == "Claude" for each in _agents(desk)) == 1


def test_two_agents_of_one_name_are_refused_in_words(desk: Desk) -> None:
    form = {"name": "CODER", "next": desk.url("agents/")}

    page = desk.client.post(desk.url("agents/"), form, follow=True).content.decode()

    assert "There is an agent named" in page


def _agents(desk: Desk) -> list:  # type: ignore[type-arg]
    return desk.client.get(desk.url("agents/")).context["agents"]  # type: ignore[no-any-return]
