"""Who is behind an actor id: names for people to read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from accounts.actor import AUTO_LINK, COMMAND, CONSOLIDATION, JUDGE, Actor
from accounts.models import Agent, User
from memory_app.domain.ids import is_id

# A person who left, or an agent or account that was deleted.
GONE = "Somebody who left"

_SYSTEM = {
    AUTO_LINK: "Automatic linking",
    JUDGE: "The judge",
    CONSOLIDATION: "Consolidation",
    COMMAND: "The operator",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorName:
    id: str
    name: str
    kind: Literal["user", "agent", "system"]


def names_of(actor: Actor, ids: Iterable[str]) -> dict[str, ActorName]:
    """A name for every id asked for, also for those that are gone. At most two queries."""
    wanted = set(ids)
    found = {id: _unknown(id) for id in wanted}
    agents = [id for id in wanted if is_id("agent", id)]
    people = [id for id in wanted if is_id("user", id)]
    if agents:
        rows = Agent.objects.filter(organization_id=actor.organization_id, id__in=agents)
        found |= {a.id: ActorName(id=a.id, name=a.name, kind="agent") for a in rows}
    if people:
        members = User.objects.filter(
            id__in=people, memberships__organization_id=actor.organization_id
        )
        found |= {u.id: ActorName(id=u.id, name=str(u), kind="user") for u in members}
    return found


def _unknown(shown: str) -> ActorName:
    """An id of somebody who is gone; or a name, which an import keeps of people elsewhere."""
    if shown in _SYSTEM:
        return ActorName(id=shown, name=_SYSTEM[shown], kind="system")
    if not shown or shown.startswith(("agent_", "user_")):
        return ActorName(id=shown, name=GONE, kind="system")
    return ActorName(id=shown, name=shown, kind="user")


def known_names(actor: Actor, *, limit: int = 200) -> list[ActorName]:
    """Agents, then people of the organization: the choices of a filter. Two queries."""
    agents = Agent.objects.filter(organization_id=actor.organization_id).order_by("name", "id")
    members = User.objects.filter(memberships__organization_id=actor.organization_id)
    return [
        *(ActorName(id=a.id, name=a.name, kind="agent") for a in agents[:limit]),
        *(ActorName(id=u.id, name=str(u), kind="user") for u in members.order_by("email")[:limit]),
    ]
