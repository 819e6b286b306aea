"""Who calls, where, and which tools that caller has: settled once for each request."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.actor import Actor
from accounts.auth.api_keys import authenticate_key
from accounts.services.connections import note_seen
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound, ProductError
from memory_app.mcp.registry import Tool, all_tools
from memory_app.queries.access import Access, accesses, resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An admitted caller. Without a bank, `refusal` says why, and every call is answered with it."""

    actor: Actor
    bank_id: str | None
    tools: tuple[Tool, ...]
    refusal: ProductError | None = None

    def tool(self, name: str) -> Tool | None:
        """The tool, if this caller has it."""
        return next((tool for tool in self.tools if tool.name == name), None)


def admit(
    secret: str,
    *,
    bank: str | None,
    toolsets: tuple[str, ...] | None,
    client: str,
    request_id: str,
) -> Caller:
    """The caller behind a key, in the bank that the address names; about four queries.

    `toolsets` narrows what the connection allows; None leaves it. Raises `Unauthenticated`, and
    `NotFound` alike for a named bank that doesn't exist and one that the key may not see. Where the
    address names no bank and the key reaches several, the caller is admitted with a refusal.
    """
    actor = authenticate_key(secret, door="mcp", client=client, request_id=request_id)
    reached, refusal = _reach(actor, bank)
    if refusal is not None:
        tools = _tools(reached, toolsets)
        return Caller(actor=actor, bank_id=None, tools=tools, refusal=refusal)
    note_seen(actor, reached[0].connection_id, client=client)
    return Caller(actor=actor, bank_id=reached[0].bank.id, tools=_tools(reached, toolsets))


def _reach(actor: Actor, bank: str | None) -> tuple[list[Access], ProductError | None]:
    with acting_as(actor):
        if bank is not None:
            return [resolve(actor, bank)], None
        try:
            return [resolve(actor, None)], None
        except InvalidArgument as several:
            return accesses(actor), several
        except NotFound as none:
            return [], none


def _tools(reached: list[Access], narrowed: tuple[str, ...] | None) -> tuple[Tool, ...]:
    return tuple(
        tool
        for tool in all_tools()
        if (narrowed is None or tool.toolset in narrowed)
        and any(tool.permitted(access.tier, access.toolsets) for access in reached)
    )
