"""Who may manage access: a person's role decides, and an agent never does.

Order of every service: first find the object among what the actor may see (404 for all else), then
require the role (403). So another organization's id and an unknown one are answered alike.
"""

from __future__ import annotations

from accounts.actor import ROLE_ORDER, Actor, Role
from memory_app.domain.errors import RoleInsufficient


def holds(actor: Actor, role: Role) -> bool:
    """Whether the actor is a person of at least this role, or the product itself."""
    if actor.kind == "system":
        return True
    return actor.kind == "user" and actor.role is not None and _order(actor.role) >= _order(role)


def require_role(actor: Actor, role: Role, *, to: str) -> None:
    """Raises `RoleInsufficient`; `to` completes the sentence "... may <to>"."""
    if holds(actor, role):
        return
    if actor.kind == "agent":
        raise RoleInsufficient(
            f"An agent's key can't be used to {to}.",
            hint="A person of the organization does this in the dashboard.",
        )
    raise RoleInsufficient(
        f"Only people with the role '{role}' or higher may {to}; you have '{actor.role}'.",
        hint="Ask an owner or administrator of the organization.",
        details={"required_role": role},
    )


def require_own(actor: Actor, created_by: str, *, to: str) -> None:
    """Administrators may; a member only with what it made itself. Raises `RoleInsufficient`."""
    if holds(actor, "member") and created_by == actor.id:
        return
    require_role(actor, "admin", to=to)


def _order(role: Role) -> int:
    return ROLE_ORDER[role]
