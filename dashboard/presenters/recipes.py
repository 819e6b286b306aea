"""How each client is connected: copy-ready snippets with the real address and key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.presenters.filters import Tab, address

CLIENTS = {
    "claude-code": "Claude Code",
    "claude": "Claude Desktop",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "windsurf": "Windsurf",
    "opencode": "OpenCode",
    "zed": "Zed",
    "curl": "curl",
    "python": "Python",
    "typescript": "TypeScript",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where a client knocks. Without a key the snippets hold a stand-in that nobody mistakes."""

    base: str
    bank: str
    key: str = ""

    @property
    def mcp(self) -> str:
        return f"{self.base}/mcp/{self.bank}"

    @property
    def shown_key(self) -> str:
        return self.key or "cpl_YOUR_KEY"

    @property
    def bearer(self) -> str:
        return f"Bearer {self.shown_key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    id: str
    caption: str
    code: str

    @property
    def label(self) -> str:
        return f"{self.caption}: code to copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    lead: str
    snippets: tuple[Snippet, ...]
    after: str = ""


def client_links(base: str, chosen: str) -> tuple[Tab, ...]:
    return tuple(
        Tab(label=name, url=address(base, {"client": key}), current=key == chosen)
        for key, name in CLIENTS.items()
    )


def write_recipe(client: str, door: Door) -> Recipe:
    """The recipe of a client that `CLIENTS` names."""
    return _RECIPES[client](door)


def _snippet(caption: str, code: str, number: int = 1) -> Snippet:
    return Snippet(id=f"snippet-{number}", caption=caption, code=code)


def _claude_code(door: Door) -> Recipe:
    command = (
        f"claude mcp add --transport http commonplace {door.mcp} \\\n"
        f'  --header "Authorization: {door.bearer}"'
    )
    return Recipe(
        lead="Run this once in a project, or with --scope user for all of your projects.",
        snippets=(_snippet("In a terminal", command),),
        after="Type /mcp in Claude Code to see that it is connected.",
    )


def _claude_desktop(door: Door) -> Recipe:
    command = {
        "command": "npx",
        "args": ["-y", "mcp-remote", door.mcp, "--header", "Authorization:${AUTH}"],
        "env": {"AUTH": door.bearer},
    }
    return Recipe(
        lead="Claude Desktop reads its own file: Settings, Developer, Edit config. It needs Node.",
        snippets=(_snippet("claude_desktop_config.json", _servers(command)),),
        after="claude.ai in the browser connects by sign-in instead of a key, and needs an address "
        "that is reachable from the internet: Settings, Connectors, Add custom connector.",
    )


def _cursor(door: Door) -> Recipe:
    return Recipe(
        lead="For one project, or as ~/.cursor/mcp.json for all of them.",
        snippets=(_snippet(".cursor/mcp.json", _servers(_http(door))),),
        after="Cursor shows the server under Settings, MCP.",
    )


def _vscode(door: Door) -> Recipe:
    config = {"servers": {"commonplace": {"type": "http", **_http(door)}}}
    return Recipe(
        lead="For one workspace. The key is better kept in an input or a user setting.",
        snippets=(_snippet(".vscode/mcp.json", _json(config)),),
        after="Start it from the file itself, then choose the tools in agent mode.",
    )


def _codex(door: Door) -> Recipe:
    config = (
        f'[mcp_servers.commonplace]\nurl = "{door.mcp}"\nbearer_token_env_var = "COMMONPLACE_KEY"'
    )
    return Recipe(
        lead="Codex takes the key from the environment.",
        snippets=(
            _snippet("~/.codex/config.toml", config),
            _snippet("In your shell profile", f'export COMMONPLACE_KEY="{door.shown_key}"', 2),
        ),
    )


def _gemini(door: Door) -> Recipe:
    server = {"httpUrl": door.mcp, "headers": {"Authorization": door.bearer}}
    return Recipe(
        lead="For all projects; a .gemini/settings.json in a project works alike.",
        snippets=(_snippet("~/.gemini/settings.json", _servers(server)),),
        after="Type /mcp in Gemini CLI to see the tools.",
    )


def _windsurf(door: Door) -> Recipe:
    server = {"serverUrl": door.mcp, "headers": {"Authorization": door.bearer}}
    return Recipe(
        lead="Add it to Windsurf's own file, then press refresh in the MCP panel.",
        snippets=(_snippet("~/.codeium/windsurf/mcp_config.json", _servers(server)),),
    )


def _opencode(door: Door) -> Recipe:
    config = {"mcp": {"servers": {"commonplace": {"type": "remote", **_http(door)}}}}
    return Recipe(
        lead="For one project, or as ~/.config/opencode/opencode.jsonc for all of them.",
        snippets=(_snippet("opencode.jsonc", _json(config)),),
        after="This is the form of version 2; version 1 has the server directly below mcp.",
    )


def _zed(door: Door) -> Recipe:
    config = {"context_servers": {"commonplace": _http(door)}}
    return Recipe(
        lead="Add it to Zed's settings file.",
        snippets=(_snippet("settings.json", _json(config)),),
    )


def _curl(door: Door) -> Recipe:
    memories = f"{door.base}/api/v1/banks/{door.bank}"
    save = (
        f"curl -X POST {memories}/memories/ \\\n"
        f'  -H "Authorization: {door.bearer}" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        '  -d \'{"content": "The staging database is reset every Monday."}\''
    )
    search = (
        f"curl -X POST {memories}/search/ \\\n"
        f'  -H "Authorization: {door.bearer}" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        '  -d \'{"query": "when is staging reset?"}\''
    )
    return Recipe(
        lead="Everything that agents do over MCP works over plain HTTP too.",
        snippets=(_snippet("Save", save), _snippet("Search", search, 2)),
    )


def _python(door: Door) -> Recipe:
    code = f'''import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ADDRESS = "{door.mcp}"
HEADERS = {{"Authorization": "{door.bearer}"}}


async def main():
    async with (
        httpx2.AsyncClient(headers=HEADERS, timeout=60) as http,
        Client(streamable_http_client(ADDRESS, http_client=http)) as client,
    ):
        await client.call_tool("create_memory", {{"content": "Releases go out on Tuesdays."}})
        found = await client.call_tool("search_memory", {{"query": "when do we release?"}})
        print(found.structured_content["memories"][0]["content"])


asyncio.run(main())'''
    return Recipe(
        lead='With the official SDK: pip install "mcp>=2.3,<3".',
        snippets=(_snippet("agent.py", code),),
    )


def _typescript(door: Door) -> Recipe:
    code = f'''import {{ Client, StreamableHTTPClientTransport }} from "@modelcontextprotocol/client";

const address = new URL("{door.mcp}");
const headers = {{ Authorization: "{door.bearer}" }};
const client = new Client({{ name: "my-agent", version: "1.0" }});
await client.connect(new StreamableHTTPClientTransport(address, {{ requestInit: {{ headers }} }}));
await client.callTool({{ name: "create_memory", arguments: {{ content: "Releases go out on Tuesdays." }} }});
const query = "when do we release?";
const found = await client.callTool({{ name: "search_memory", arguments: {{ query }} }});
console.log(found.structuredContent.memories[0].content);
await client.close();'''
    return Recipe(
        lead="With the official SDK: npm install @modelcontextprotocol/client.",
        snippets=(_snippet("agent.mjs", code),),
    )


def _http(door: Door) -> Mapping[str, object]:
    return {"url": door.mcp, "headers": {"Authorization": door.bearer}}


def _servers(server: Mapping[str, object]) -> str:
    return _json({"mcpServers": {"commonplace": server}})


def _json(value: object) -> str:
    return json.dumps(value, indent=2)


_RECIPES: dict[str, Callable[[Door], Recipe]] = {
    "claude-code": _claude_code,
    "claude": _claude_desktop,
    "cursor": _cursor,
    "vscode": _vscode,
    "codex": _codex,
    "gemini": _gemini,
    "windsurf": _windsurf,
    "opencode": _opencode,
    "zed": _zed,
    "curl": _curl,
    "python": _python,
    "typescript": _typescript,
}
