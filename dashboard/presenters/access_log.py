"""Events of the access log as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from accounts.models import AccessEvent
from accounts.queries.names import ActorName
from dashboard.presenters.agents import TIERS
from dashboard.presenters.events import DOORS
from memory_app.domain.ids import is_id

_SAID = {
    "organization.created": ("building-2", "made the organization"),
    "organization.updated": ("building-2", "changed the organization’s settings"),
    "organization.deletion_requested": ("trash-2", "asked for the organization’s deletion"),
    "organization.deletion_cancelled": ("undo-2", "took the deletion of the organization back"),
    "member.added": ("user-plus", "added"),
    "member.role_changed": ("user-cog", "changed the role of"),
    "member.removed": ("user-minus", "removed"),
    "invitation.created": ("mail-plus", "invited"),
    "invitation.resent": ("mail", "sent the invitation again to"),
    "invitation.withdrawn": ("mail-x", "withdrew the invitation of"),
    "agent.created": ("bot", "made the agent"),
    "agent.updated": ("bot", "changed the agent"),
    "agent.paused": ("pause", "paused the agent"),
    "agent.resumed": ("play", "resumed the agent"),
    "connection.created": ("plug", "connected"),
    "connection.changed": ("plug", "changed a connection of"),
    "connection.paused": ("pause", "paused a connection of"),
    "connection.resumed": ("play", "resumed a connection of"),
    "connection.removed": ("unplug", "revoked a connection of"),
    "key.issued": ("key-round", "made a key for"),
    "key.rotated": ("refresh-cw", "rotated a key of"),
    "key.revoked": ("key-square", "revoked a key of"),
    "bank.created": ("library-big", "made the bank"),
    "bank.updated": ("library-big", "changed the settings of a bank"),
    "bank.deleted": ("trash-2", "deleted the bank"),
    "bank.restored": ("undo-2", "restored the bank"),
}
_PLAIN = ("email", "role", "preview", "tier", "grace_seconds")
_NAMES = {"preview": "key", "tier": "may", "grace_seconds": "old one works for"}
# Said in the sentence itself: an invitation is known by its address, a bank by its name.
_TARGETS = {"invitation": "email", "bank": "name", "organization": "name"}


_BACK = {
    "connection.created": "The connection is taken away again.",
    "connection.removed": "Connected as before.",
    "invitation.created": "The invitation is withdrawn; its link opens nothing.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessLine:
    """`who` `did` something to `target`; `details` are pairs, never a secret."""

    icon: str
    who: ActorName
    did: str
    target: str
    at: datetime
    door: str
    reason: str
    details: tuple[tuple[str, str], ...]


def named_ids(events: Iterable[AccessEvent]) -> set[str]:
    """Everyone whom the events name, so that names are loaded at once."""
    return {
        named
        for event in events
        for named in (event.actor, event.target, *map(str, event.details.values()))
        if is_id("user", named) or is_id("agent", named) or named == event.actor
    }


def present_access_events(
    events: Iterable[AccessEvent], names: Mapping[str, ActorName]
) -> tuple[AccessLine, ...]:
    return tuple(_line(event, names) for event in events)


def said_back(event: AccessEvent) -> str:
    """What a toast says when the change was taken back."""
    if event.operation in ("member.removed", "member.role_changed"):
        return "As before. Keys that were revoked stay revoked."
    return _BACK.get(event.operation, "It is as before.")


def _line(event: AccessEvent, names: Mapping[str, ActorName]) -> AccessLine:
    icon, did = _SAID.get(event.operation, ("dot", event.operation.replace(".", " ")))
    target = names[event.target].name if event.target in names else ""
    if event.target == event.actor:
        target = ""
        did = {"member.added": "joined", "member.removed": "left"}.get(event.operation, did)
    kind = event.operation.partition(".")[0]
    said = _TARGETS.get(kind, "")
    target = target or str(event.details.get(said, ""))
    agent = str(event.details.get("agent", ""))
    return AccessLine(
        icon=icon,
        who=names[event.actor],
        did=did,
        target=target or (names[agent].name if agent in names else ""),
        at=event.created_at,
        door=DOORS.get(event.door, event.door),
        reason=event.reason,
        details=tuple(_details(event, said)),
    )


def _in_words(name: str, value: object) -> str:
    if name == "tier":
        return TIERS.get(str(value), str(value))
    if name == "preview":
        return f"{value}…"
    return f"{value} s" if name == "grace_seconds" else str(value)


def _details(event: AccessEvent, said: str) -> list[tuple[str, str]]:
    """Pairs of a name and a value, without the one that the sentence `said`."""
    found = [
        (_NAMES.get(name, name), _in_words(name, event.details[name]))
        for name in _PLAIN
        if name != said and event.details.get(name) not in (None, "")
    ]
    before, after = event.details.get("before"), event.details.get("after")
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                change = " → ".join(_in_words(name, side.get(name)) for side in (before, after))
                found.append((_NAMES.get(name, name.replace("_", " ")), change))
    elif before is not None and after is not None:
        found.append(("role", f"{before} → {after}"))
    return found
