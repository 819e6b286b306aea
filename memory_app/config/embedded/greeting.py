"""What a start prints: at the first one everything needed to sign in and to connect an agent."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]


def text(url: str, data: Path, owner: str, welcome: Mapping[str, str] | None) -> str:
    """What to print. `owner` is an address that signs in, empty where nobody owns anything."""
    link = _command(owner or "EMAIL", data)
    if not welcome:
        return (
            f"\nCommonplace is running at {url}  (data: {data})\n"
            f"A new sign-in link:  {link}\n"
            "Stop it with Ctrl-C.\n\n"
        )
    mcp_url, key = welcome["mcp_url"], welcome["key"]
    server = {"type": "http", "url": mcp_url, "headers": {"Authorization": f"Bearer {key}"}}
    settings = json.dumps({"mcpServers": {"commonplace": server}}, indent=2)
    return (
        f"\nCommonplace is running at {url}  (data: {data})\n\n"
        f"Sign in (this link works once, within 15 minutes):\n  {welcome['sign_in']}\n\n"
        f'API key of agent "{welcome["agent"]}", bank "{welcome["bank"]}" (shown only now):\n'
        f"  {key}\n\n"
        "Connect Claude Code:\n"
        f"  claude mcp add --transport http commonplace {mcp_url} "
        f'--header "Authorization: Bearer {key}"\n\n'
        f"Other clients (mcp.json):\n{_indented(settings)}\n\n"
        "Try it:\n"
        f'  curl -s {url}/api/v1/organization -H "Authorization: Bearer {key}"\n\n'
        f"A new sign-in link:  {link}\n"
        "Stop it with Ctrl-C.\n\n"
    )


def _command(email: str, data: Path) -> str:
    """With the interpreter that has the packages: the system's own would find none."""
    parts = [sys.executable, str(PROJECT / "manage.py"), "sign_in_link", email]
    return shlex.join([*parts, "--data-dir", str(data)])


def _indented(block: str) -> str:
    return "\n".join(f"  {line}" for line in block.splitlines())
