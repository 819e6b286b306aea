"""The official conformance suite, as far as a server without the suite's own fixture tools can pass."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.factories import World
from tests.live import LiveServer
from tests.mcp.client import mcp_key
from tests.mcp.keyed import WithKey
from tests.node import node

FOLDER = Path(__file__).parent
SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance"
# Everything else that is required there calls tools, prompts or resources of the suite's own by name.
PASSED = {
    "2026-07-28": {
        "tools-list",
        "server-sse-multiple-streams",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "input-required-result-missing-input-response",
        "input-required-result-unsupported-methods",
        "input-required-result-ignore-extra-params",
        "input-required-result-validate-input",
        "http-header-validation",
    },
    "2025-11-25": {
        "server-initialize",
        "ping",
        "tools-list",
        "dns-rebinding-protection",
    },
}
_SUMMARY = re.compile(r"^✓ ([\w-]+): [1-9]\d* passed, 0 failed", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("revision", PASSED)
def test_what_a_revision_requires_of_every_server_is_met(
    world: World, settings: Settings, revision: str
) -> None:
    assert SUITE.exists(), "The suite is missing: run bin/test, or npm ci in tests/mcp."
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]

    with LiveServer(WithKey(mcp_key(world))) as server:
        arguments = ["server", "--url", f"{server.url}/mcp", "--requirements", revision]
        script = FOLDER / "node_modules" / ".bin" / "conformance"
        ran = subprocess.run([node(), script, *arguments], capture_output=True, text=True)

    assert PASSED[revision] <= set(_SUMMARY.findall(ran.stdout)), ran.stdout[-8000:]
