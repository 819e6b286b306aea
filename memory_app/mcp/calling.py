"""One call of a tool: limits, arguments, idempotency, the handler, and every failure as a result."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import mcp_types as types
from django.db import InterfaceError, OperationalError

from memory_app.domain.errors import ProductError, Unavailable
from memory_app.mcp.arguments import idempotency_key, read_arguments
from memory_app.mcp.caller import Caller
from memory_app.mcp.failures import broken, failed
from memory_app.mcp.registry import Tool
from memory_app.services.idempotency import Reply, request_digest, with_idempotency
from memory_app.services.usage import check_rate

log = logging.getLogger(__name__)


def call(
    caller: Caller, tool: Tool, raw: Mapping[str, Any] | None, meta: Mapping[str, Any] | None
) -> types.CallToolResult:
    """What the tool answers, or an `isError` result that says why not. Never raises."""
    try:
        reply = _carried_out(caller, tool, raw, meta)
    except ProductError as error:
        return failed(error)
    except (OperationalError, InterfaceError):
        log.exception("The database failed during %s (%s)", tool.name, caller.actor.request_id)
        return failed(database_is_down())
    except Exception:
        log.exception("Tool %s failed (%s)", tool.name, caller.actor.request_id)
        return broken(caller.actor.request_id)
    text = types.TextContent(type="text", text=tool.render(reply))
    return types.CallToolResult(content=[text], structured_content=reply)


def database_is_down() -> Unavailable:
    return Unavailable("The database can't be reached.", hint="Try again in a few seconds.")


def _carried_out(
    caller: Caller, tool: Tool, raw: Mapping[str, Any] | None, meta: Mapping[str, Any] | None
) -> dict[str, Any]:
    check_rate(caller.actor)
    if caller.bank_id is None:
        raise caller.refusal or Unavailable("This credential reaches no bank.")
    actor, bank = replace(caller.actor, tool=tool.name), caller.bank_id
    arguments = read_arguments(tool, raw)

    def work() -> Reply:
        return Reply(status=200, body=tool.handler(actor, bank, arguments))

    if tool.read_only:
        return dict(work().body)
    # Escaped JSON holds what canonical JSON refuses, and what is wrong with it is for the handler to say.
    digest = request_digest("mcp", tool.name, bank, json.dumps(arguments, sort_keys=True))
    return dict(with_idempotency(actor, idempotency_key(meta), digest, work).body)
