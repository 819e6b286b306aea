"""What a tool is, and the list of all: each toolset adds its tools here, in the order of the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator

from accounts.actor import TIER_ORDER, Actor, Tier

# Modules with a `TOOLS` tuple, in the order in which their tools are listed.
TOOLSET_MODULES = (
    "memory_app.mcp.toolsets.essential",
    "memory_app.mcp.toolsets.graph",
    "memory_app.mcp.toolsets.notes",
    "memory_app.mcp.toolsets.facts",
)

Arguments = Mapping[str, Any]
Reply = dict[str, Any]
Handler = Callable[[Actor, str, Arguments], Reply]
Renderer = Callable[[Reply], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of a toolset.

    `handler` gets the actor, the id of the bank and checked arguments, calls one service and returns
    the structured reply; it runs in a thread. `render` makes the readable text from that reply alone,
    so that text and structure can't differ. `tier` is the least that a connection needs to see it.
    """

    name: str
    toolset: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    tier: Tier
    handler: Handler
    render: Renderer
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = False
    validator: Draft202012Validator = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "validator", Draft202012Validator(self.input_schema))

    def permitted(self, tier: Tier, toolsets: tuple[str, ...]) -> bool:
        """Whether a connection with this tier and these toolsets has the tool."""
        return self.toolset in toolsets and TIER_ORDER[tier] >= TIER_ORDER[self.tier]

    def listed(self) -> types.Tool:
        """As `tools/list` shows it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.input_schema,
            output_schema=self.output_schema,
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=self.read_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent,
                open_world_hint=self.open_world,
            ),
        )


@cache
def all_tools() -> tuple[Tool, ...]:
    """Every tool of every toolset; the order never changes while the process lives."""
    return tuple(tool for name in TOOLSET_MODULES for tool in import_module(name).TOOLS)


def input_schema_of(name: str) -> dict[str, Any] | None:
    """The input schema of the tool with this name, for whoever may see it or not."""
    return next((tool.input_schema for tool in all_tools() if tool.name == name), None)
