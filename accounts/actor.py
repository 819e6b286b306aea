"""Who acts, and for whom: the first argument of every service and query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["owner", "admin", "member", "viewer"]
Tier = Literal["read", "read_write", "full"]

TIER_ORDER: dict[Tier, int] = {"read": 0, "read_write": 1, "full": 2}
ROLE_ORDER: dict[Role, int] = {"viewer": 0, "member": 1, "admin": 2, "owner": 3}

AUTO_LINK = "agent_system_auto_link"
JUDGE = "agent_system_judge"
CONSOLIDATION = "agent_system_consolidation"
COMMAND = "system_command"
SYSTEM_ACTORS = (AUTO_LINK, JUDGE, CONSOLIDATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """One authenticated caller inside one organization.

    `id` is a prefixed id (`user_...`, `agent_...`) or a reserved constant. `door` and `client` say
    how the call came in (rest, mcp, dashboard, task, command; the User-Agent) and end up in
    provenance.
    """

    organization_id: str
    kind: Literal["user", "agent", "system"]
    id: str
    name: str = ""
    role: Role | None = None
    key_id: str | None = None
    request_id: str = ""
    door: str = ""
    tool: str = ""
    client: str = ""


def system_actor(
    organization_id: str, actor_id: str, *, request_id: str = "", door: str = "task"
) -> Actor:
    """One of the product's own reserved actors; `COMMAND` is the operator at the command line."""
    return Actor(
        organization_id=organization_id,
        kind="system",
        id=actor_id,
        name=actor_id,
        request_id=request_id,
        door=door,
    )
