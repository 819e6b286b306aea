"""What the address answers before any tool is called: credentials, places, methods, sessions, bodies."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.db import OperationalError
from pytest_django import Settings

from accounts.services.api_keys import issue_key, revoke_key
from memory_app.mcp import endpoint
from tests.factories import World
from tests.mcp.client import mcp_key, post

MODERN = "2026-07-28"
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}


def test_without_a_key_the_answer_is_a_challenge() -> None:
    answered = post(LISTING)

    assert answered.status_code == 401
    assert answered.headers["www-authenticate"] == 'Bearer realm="commonplace"'
    assert answered.json()["error"]["data"]["code"] == "unauthenticated"


@pytest.mark.parametrize("key", ["cpl_nonsense", "cpl_" + "0" * 36, "%C3%A4", "' OR 1=1"])
def test_a_wrong_key_is_an_invalid_token(key: str) -> None:
    answered = post(LISTING, key=key)

    assert answered.status_code == 401
    assert 'error="invalid_token"' in answered.headers["www-authenticate"]


def test_a_revoked_key_is_refused_from_then_on(world: World) -> None:
    issued = issue_key(world.person, agent=world.agent.id)
    before = post(LISTING, key=issued.secret)

    revoke_key(world.person, issued.key.id)

    assert before.status_code == 200
    assert post(LISTING, key=issued.secret).status_code == 401


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
def test_other_methods_are_refused_only_after_the_key(world: World, method: str) -> None:
    assert post("", method=method).status_code == 401
    refused = post("", method=method, key=mcp_key(world))
    assert refused.status_code == 405
    assert refused.headers["allow"] == "POST"


@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
def test_a_session_that_nobody_issued_is_unknown_in_the_old_protocol(
    world: World, stranger: World, method: str
) -> None:
    """Cases 110 and 112: a session id opens nothing, whoever sends it."""
    session = {"Mcp-Session-Id": "0123456789abcdef"}

    own = post(LISTING, key=mcp_key(world), method=method, **session)
    foreign = post(LISTING, key=mcp_key(stranger), method=method, **session)

    assert (own.status_code, foreign.status_code) == (404, 404)
    assert own.json() == foreign.json()


def test_a_session_id_means_nothing_in_the_new_protocol(world: World) -> None:
    """Case 110"""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    request = LISTING | {"params": {"_meta": meta}}
    modern = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list", "Mcp-Session-Id": "old"}

    answered = post(request, key=mcp_key(world), **modern)

    assert answered.status_code == 200
    assert answered.json()["result"]["cacheScope"] == "private"


def test_no_session_is_ever_issued(world: World) -> None:
    answered = post(INITIALIZE, key=mcp_key(world))

    assert answered.status_code == 200
    assert "mcp-session-id" not in answered.headers
    assert "Commonplace" in answered.text


def test_a_foreign_host_or_page_is_refused(world: World, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", ".example.org"]
    key = mcp_key(world)

    assert post(LISTING, key=key, Host="evil.example").status_code == 421
    assert post(LISTING, key=key, Origin="https://evil.example").status_code == 403
    assert post(LISTING, key=key, Origin="null").status_code == 403
    assert post(LISTING, key=key, Host="memory.example.org").status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://localhost:6274", "https://claude.ai", "https://memory.example.org"]
)
def test_allowed_pages_may_read_the_answer(world: World, settings: Settings, origin: str) -> None:
    settings.ALLOWED_HOSTS = ["localhost", ".example.org"]

    asked = post("", method="OPTIONS", Origin=origin)
    answered = post(LISTING, key=mcp_key(world), Origin=origin)

    assert asked.status_code == 204
    assert "authorization" in asked.headers["access-control-allow-headers"]
    assert answered.headers["access-control-allow-origin"] == origin


def test_a_body_over_the_limit_is_refused(world: World) -> None:
    answered = post("x" * (endpoint.BODY_LIMIT + 1), key=mcp_key(world))

    assert answered.status_code == 413


def test_a_client_that_reads_only_json_gets_json(world: World) -> None:
    answered = post(LISTING, key=mcp_key(world), Accept="application/json")

    assert answered.json()["result"]["tools"][0]["name"] == "create_memory"


@pytest.mark.parametrize("accept", ["*/*", "application/json, */*;q=0.1", "text/event-stream", ""])
def test_other_wishes_for_the_form_of_the_answer_are_met_too(world: World, accept: str) -> None:
    answered = post(LISTING, key=mcp_key(world), Accept=accept)

    assert answered.status_code == 200
    assert "create_memory" in answered.text


def test_a_database_that_is_away_is_told_with_when_to_come_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_given: Any, **_named: Any) -> None:
        raise OperationalError("connection refused")

    key = mcp_key(world)
    monkeypatch.setattr(endpoint, "admit", away)

    answered = post(LISTING, key=key)

    assert answered.status_code == 503
    assert answered.headers["retry-after"] == "5"
    assert answered.json()["error"]["data"]["code"] == "unavailable"


ENVELOPES: list[Any] = [
    "",
    "{",
    "null",
    "[]",
    b"\xff\xfe",
    "[" * 100_000,
    '{"a":' * 100_000,
    [LISTING, LISTING],
    {"jsonrpc": "2.0", "id": None, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": {}, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\ud800"}},
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_memory",'
    '"arguments":{"query":"\\ud800 \\u0000","limit":NaN,"min_score":1e999}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_memory",'
    f'"arguments":{{"limit":{"9" * 5000}}}}}}}',
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": "{}"}},
    {"jsonrpc": "2.0", "id": 1, "method": "no/such"},
    {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
]
VERSIONS = ["2025-06-18", MODERN, "1999-01-01", "nonsense"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("body", ENVELOPES)
def test_no_body_makes_a_server_error(world: World, body: Any, version: str) -> None:
    named = {"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "x"}

    answered = post(body, key=mcp_key(world), **named)

    assert answered.status_code < 500
    assert "-32603" not in answered.text
    assert "Traceback" not in answered.text


@pytest.mark.parametrize(
    "path", ["/mcp/%00", "/mcp/a/b", "/mcp//", "/mcp/%ff", "/mcp/..%2fapi", f"/mcp/{'x' * 5000}"]
)
def test_an_address_that_can_name_no_bank_is_an_unknown_one(world: World, path: str) -> None:
    answered = post(LISTING, key=mcp_key(world), path=path)

    assert answered.status_code == 404
    assert answered.json()["error"]["data"]["code"] == "not_found"


@pytest.mark.parametrize("version", [MODERN, "2025-06-18"])
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ('{"content": "One.", "content": "Two."}', "content"),
        ('{"content": "One.", "tags": [{"a": 1, "a": 2}]}', "a"),
    ],
)
def test_a_name_given_twice_is_refused_by_name(
    world: World, arguments: str, name: str, version: str
) -> None:
    """The SDK would take the last one and say nothing."""
    body = (
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call",'
        f' "params": {{"name": "create_memory", "arguments": {arguments}}}}}'
    )

    answered = post(body, key=mcp_key(world), MCP_Protocol_Version=version)

    assert answered.status_code == 400
    assert answered.json()["error"]["data"]["field"] == name
    assert repr(name) in answered.json()["error"]["message"]


def called_with(world: World, arguments: str) -> dict[str, Any]:
    body = (
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call",'
        f' "params": {{"name": "create_memory", "arguments": {arguments}}}}}'
    )
    answered = post(body, key=mcp_key(world), Accept="application/json")
    return dict(answered.json()["result"])


@pytest.mark.parametrize(
    "arguments",
    ['{"content": "One."}', '"{\\"content\\": \\"One.\\"}"', '" {\\"content\\":\\"One.\\"} "'],
)
def test_arguments_are_one_object_however_they_arrive(world: World, arguments: str) -> None:
    """Case 102: some clients send all of them as text."""
    result = called_with(world, arguments)

    assert result["structuredContent"]["memory"]["content"] == "One."


@pytest.mark.parametrize("arguments", ["null", "{}", "[]", '""', '"{}"', '"null"'])
def test_no_arguments_are_none_however_they_arrive(world: World, arguments: str) -> None:
    """Cases 42, 104: the refusal names what is missing; nothing is stored."""
    result = called_with(world, arguments)

    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"])["error"]["field"] == "content"


def test_an_event_is_one_line_to_every_reader(world: World) -> None:
    """Case 32: readers of lines also end one at NEL, U+2028 and U+2029, which JSON may hold."""
    content = "One\x85two\u2028three\u2029four."
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "create_memory", "arguments": {"content": content}},
    }

    answered = post(body, key=mcp_key(world))

    [data] = [line for line in answered.text.splitlines() if line.startswith("data: {")]
    result = json.loads(data.removeprefix("data: "))["result"]
    assert result["structuredContent"]["memory"]["content"] == content


def test_a_body_in_parts_is_read_whole(world: World) -> None:
    body = json.dumps(INITIALIZE).encode()

    async def pieces() -> AsyncIterator[bytes]:
        for piece in (body[:20], b"", body[20:]):
            yield piece

    answered = post(pieces(), key=mcp_key(world))

    assert answered.status_code == 200
    assert "serverInfo" in answered.text


def test_a_body_over_the_limit_is_refused_as_ever(world: World) -> None:
    answered = post(b" " * (endpoint.BODY_LIMIT + 1), key=mcp_key(world))

    assert answered.status_code == 413
