"""The official TypeScript clients over HTTP, in each protocol era that they speak."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.factories import World
from tests.mcp.client import mcp_key
from tests.node import node

FOLDER = Path(__file__).parent
CLIENTS = [
    (["v1.mjs"], "2025-11-25"),
    (["v2.mjs", "legacy"], "2025-11-25"),
    (["v2.mjs", "auto"], "2026-07-28"),
]


def exercise(script: str, *arguments: str) -> dict[str, Any]:
    assert (FOLDER / "node_modules").exists(), "Run bin/test, or npm ci in tests/mcp."
    ran = subprocess.run(
        [node(), FOLDER / "clients" / script, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    seen: dict[str, Any] = json.loads(ran.stdout)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize(("client", "version"), CLIENTS)
def test_typescript_client_saves_and_finds(
    world: World, live_url: str, client: list[str], version: str
) -> None:
    """E1, E2"""
    script, *mode = client

    seen = exercise(script, f"{live_url}/mcp/{world.bank.slug}", mcp_key(world), *mode)

    assert seen["version"] == version
    assert seen["tools"] == ["create_memory", "search_memory"]
    assert "search_memory without a query" in seen["instructions"]
    assert seen["saved"]["status"] == "created"
    assert [hit["id"] for hit in seen["found"]["memories"]] == [seen["saved"]["memory"]["id"]]
    assert "> Ada Park prefers window seats." in seen["text"]
    assert seen["refused"]["isError"] is True
    assert seen["refused"]["error"]["field"] == "limit"
    assert "Unknown tool: delete_memory" in seen["unknown"]
