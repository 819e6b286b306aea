"""What a start prints: at the first one everything needed to sign in and to connect an agent."""

import json
from collections.abc import Mapping
from pathlib import Path


def text(url: str, data: Path, welcome: Mapping[str, str] | None) -> str:
    if not welcome:
        return (
            f"\nCommonplace is running at {url}  (data: {data})\n"
            f"Sign-in link:  python manage.py sign_in_link EMAIL --data-dir {_quoted(data)}\n"
            "Stop it with Ctrl-C.\n\n"
        )
    mcp_url, key = welcome["mcp_url"], welcome["key"]
    server = {"type": "http", "url": mcp_url, "headers": {"Authorization": f"Bearer {key}"}}
    settings = json.dumps({"mcpServers": {"commonplace": server}}, indent=2)
    return (
        f"\nCommonplace is running at {url}  (data: {data})\n\n"
        f"Sign in (this link works once):\n  {welcome['sign_in']}\n\n"
        f'API key of agent "{welcome["agent"]}", bank "{welcome["bank"]}" (shown only now):\n'
        f"  {key}\n\n"
        "Connect Claude Code:\n"
        f"  claude mcp add --transport http commonplace {mcp_url} "
        f'--header "Authorization: Bearer {key}"\n\n'
        f"Other clients (mcp.json):\n{_indented(settings)}\n\n"
        "Try it:\n"
        f'  curl -s {url}/api/v1/organization -H "Authorization: Bearer {key}"\n\n'
        f"A new sign-in link:  python manage.py sign_in_link {welcome['email']} "
        f"--data-dir {_quoted(data)}\n"
        "Stop it with Ctrl-C.\n\n"
    )


def _indented(block: str) -> str:
    return "\n".join(f"  {line}" for line in block.splitlines())


def _quoted(path: Path) -> str:
    return f"'{path}'" if " " in str(path) else str(path)
