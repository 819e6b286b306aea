"""The two doors an agent has, with the same two verbs; everything that was answered is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode

from tests.factories import World
from tests.mcp.client import mcp_call, mcp_key
from tests.memory_app.rest.client import Rest, rest_of

MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An answer, or the code and message of a refusal."""

    body: dict[str, Any]
    code: str = ""
    message: str = ""
    text: str = ""

    @property
    def memory(self) -> dict[str, Any]:
        assert not self.code, self.message
        return dict(self.body["memory"])

    @property
    def hits(self) -> list[dict[str, Any]]:
        assert not self.code, self.message
        return list(self.body["memories"])

    @property
    def contents(self) -> list[str]:
        return [hit["content"] for hit in self.hits]


class Door(Protocol):
    """What a case does alike over REST and over MCP."""

    heard: list[str]

    def save(self, content: Any = MISSING, **fields: Any) -> Outcome: ...

    def search(self, query: Any = MISSING, **options: Any) -> Outcome: ...


@dataclass(slots=True)
class RestDoor:
    """REST, as an agent with its key."""

    client: Rest
    heard: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    def save(self, content: Any = MISSING, **fields: Any) -> Outcome:
        return self.ask("POST", "memories", _given(content=content) | fields)

    def search(self, query: Any = MISSING, **options: Any) -> Outcome:
        return self.ask("POST", "search", _given(query=query) | options)

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Outcome:
        """Any other request."""
        answer = self.client.call(method, f"{path}?{urlencode(query)}" if query else path, body)
        shown = answer.content.decode("utf-8")
        self.heard.append(shown)
        self.statuses.append(answer.status_code)
        found = json.loads(shown)
        refused = answer.status_code >= 400
        return Outcome(
            body=found,
            code=found["code"] if refused else "",
            message=f"{found['detail']} {found.get('field', '')}" if refused else "",
            text=shown,
        )


@dataclass(slots=True)
class McpDoor:
    """MCP, with the official client."""

    world: World
    key: str
    heard: list[str] = field(default_factory=list)

    def save(self, content: Any = MISSING, **fields: Any) -> Outcome:
        return self.ask("create_memory", _given(content=content) | fields)

    def search(self, query: Any = MISSING, **options: Any) -> Outcome:
        return self.ask("search_memory", _given(query=query) | options)

    def ask(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        answer = mcp_call(self.world, tool, arguments, key=self.key)
        self.heard.append(answer.text + json.dumps(answer.reply, ensure_ascii=False))
        return Outcome(
            body=answer.reply,
            code=answer.error.get("code", ""),
            message=json.dumps(answer.error, ensure_ascii=False) if answer.error else "",
            text=answer.text,
        )


def rest_door(world: World) -> RestDoor:
    return RestDoor(rest_of(world))


def mcp_door(world: World) -> McpDoor:
    return McpDoor(world, mcp_key(world))


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not MISSING}
