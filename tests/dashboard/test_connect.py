from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from accounts.services.connections import note_seen
from dashboard.presenters.recipes import CLIENTS, Door, write_recipe
from tests.dashboard.conftest import Desk

SECRET = re.compile(r"cpl_[0-9A-Za-z]{36}")
DOOR = Door(base="https://memory.example.com", bank="team", key="cpl_secret")
JSON_CLIENTS = ("claude", "cursor", "vscode", "gemini", "windsurf", "opencode", "zed")


@pytest.mark.parametrize("client", CLIENTS)
def test_every_snippet_holds_the_real_address_and_key(client: str) -> None:
    code = "\n".join(snippet.code for snippet in write_recipe(client, DOOR).snippets)

    assert "https://memory.example.com/" in code
    assert "cpl_secret" in code


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_what_looks_like_json_is_json(client: str) -> None:
    assert json.loads(write_recipe(client, DOOR).snippets[0].code)


def test_every_client_of_the_guide_is_on_the_page() -> None:
    guide = Path("docs/clients.md").read_text()

    titles = re.findall(r"^## (.+)$", guide, flags=re.MULTILINE)

    assert {"OpenCode", "Zed", "TypeScript"} < set(titles)
    assert {"OpenCode", "Zed", "TypeScript"} < set(CLIENTS.values())


def test_the_typescript_snippet_is_the_one_of_the_guide() -> None:
    """The guide's snippet is run against the server by the tests of the clients."""
    door = Door(base="http://127.0.0.1:8000", bank="team")

    code = write_recipe("typescript", door).snippets[0].code

    assert code.replace("/mcp/team", "/mcp") in Path("docs/clients.md").read_text()


def test_both_pages_say_the_same_of_a_fresh_key(desk: Desk) -> None:
    made = desk.client.post(
        desk.url("agents/new/keys"), {"agent": "Claude Code"}, follow=True
    ).content.decode()

    again = desk.client.get(desk.url("agents/")).content.decode()

    said = "afterwards only its first characters are kept"
    assert (said in made, said in again) == (True, True)
    assert "fresh-key" not in desk.client.get(desk.url("connect/")).content.decode()


def test_the_python_snippet_compiles() -> None:
    compile(write_recipe("python", DOOR).snippets[0].code, "agent.py", "exec")


def test_a_first_key_fills_the_snippets(desk: Desk) -> None:
    before = desk.client.get(desk.url("connect/")).content.decode()
    made = desk.client.post(
        desk.url("agents/new/keys"), {"agent": "Claude Code", "tier": "read_write"}, follow=True
    ).content.decode()

    secret = SECRET.search(made)
    assert "cpl_YOUR_KEY" in before
    assert secret is not None
    assert f"Bearer {secret.group()}" in made


def test_a_second_key_for_the_same_name_is_the_same_agents(desk: Desk) -> None:
    for _ in range(2):
        desk.client.post(desk.url("agents/new/keys"), {"agent": "Claude Code"})

    agents = desk.client.get(desk.url("agents/")).context["agents"]
    assert [(each.name, len(each.keys)) for each in agents] == [("Claude Code", 2), ("Coder", 0)]


@pytest.mark.parametrize("name", ["a\x00b", "\x00", "", "n" * 121])
def test_a_first_key_for_a_name_that_cannot_be_stored_is_refused(desk: Desk, name: str) -> None:
    answer = desk.client.post(desk.url("agents/new/keys"), {"agent": name})

    assert answer.status_code == 302
    agents = desk.client.get(desk.url("agents/")).context["agents"]
    assert [each.name for each in agents] == ["Coder"]


def test_the_page_says_when_the_agent_was_last_here(desk: Desk) -> None:
    waiting = desk.client.get(desk.url("connect/seen")).content.decode()
    note_seen(desk.world.caller, desk.world.connection.id, client="coder/1.0")

    seen = desk.client.get(desk.url("connect/seen")).content.decode()

    assert "waiting for its first call" in waiting
    assert "last seen" in seen
    assert "coder/1.0" in seen
