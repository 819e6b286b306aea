"""Which banks an actor may see, and what it may do there."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.actor import ROLE_ORDER, TIER_ORDER, Actor, Tier
from accounts.models import Connection
from memory_app.domain.errors import InvalidArgument, NotFound, TierInsufficient
from memory_app.domain.ids import is_id
from memory_app.models import Bank


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """An actor in a bank, with the tier it holds there."""

    actor: Actor
    bank: Bank
    tier: Tier
    connection_id: str | None = None
    toolsets: tuple[str, ...] = ("essential",)

    def require(self, tier: Tier) -> None:
        """Raises `TierInsufficient` unless this access holds at least `tier`."""
        if TIER_ORDER[self.tier] < TIER_ORDER[tier]:
            raise TierInsufficient(
                f"This needs the tier '{tier}' on bank '{self.bank.slug}'; "
                f"the credential has '{self.tier}'.",
                hint="Ask an administrator of the organization to raise the connection's tier.",
            )

    def allows(self, tier: Tier) -> bool:
        return TIER_ORDER[self.tier] >= TIER_ORDER[tier]


def visible_banks(actor: Actor) -> QuerySet[Bank]:
    """The banks this actor may read. Private ones: owners, admins, their maker, connected
    agents.
    """
    banks = Bank.objects.filter(organization_id=actor.organization_id).order_by("name", "id")
    shared = Q(visibility=Bank.Visibility.ORGANIZATION)
    if actor.kind == "system" or (actor.role and ROLE_ORDER[actor.role] >= ROLE_ORDER["admin"]):
        return banks
    if actor.kind == "user":
        return banks.filter(shared | Q(created_by=actor.id))
    connected = Connection.objects.filter(agent_id=actor.id, paused_at=None).values("bank_id")
    return banks.filter(shared | Q(id__in=connected))


def resolve(actor: Actor, bank: str | None) -> Access:
    """The access of `actor` to the bank named by slug or id; None means its only bank. Two queries.

    Raises `NotFound` alike for an unknown bank and for one the actor may not see, and
    `InvalidArgument` listing the choices when None is ambiguous.
    """
    connections = _connections(actor)
    if bank is None:
        return _only_bank(actor, connections)
    found = visible_banks(actor).filter(Q(id=bank) if is_id("bank", bank) else Q(slug=bank)).first()
    if found is None:
        raise NotFound("bank")
    return _access(actor, found, connections.get(found.id))


def accesses(actor: Actor) -> list[Access]:
    """Every bank the actor may read, with its tier there. Two queries."""
    connections = _connections(actor)
    return [_access(actor, bank, connections.get(bank.id)) for bank in visible_banks(actor)]


def _connections(actor: Actor) -> dict[str, Connection]:
    if actor.kind != "agent":
        return {}
    rows = Connection.objects.filter(
        organization_id=actor.organization_id, agent_id=actor.id, paused_at=None
    )
    return {row.bank_id: row for row in rows}


def _only_bank(actor: Actor, connections: dict[str, Connection]) -> Access:
    banks = list(visible_banks(actor)[:50])
    own = [bank for bank in banks if bank.id in connections] or banks
    if not own:
        raise NotFound("bank")
    if len(own) > 1:
        names = ", ".join(bank.slug for bank in own)
        raise InvalidArgument(
            f"This credential reaches several banks: {names}.",
            hint="Name the bank, for example in the URL /mcp/{bank}.",
            field="bank",
            details={"banks": [bank.slug for bank in own]},
        )
    return _access(actor, own[0], connections.get(own[0].id))


def _access(actor: Actor, bank: Bank, connection: Connection | None) -> Access:
    if actor.kind == "system":
        return Access(actor=actor, bank=bank, tier="full")
    if actor.kind == "user":
        tier: Tier = "read" if actor.role in (None, "viewer") else "full"
        return Access(actor=actor, bank=bank, tier=tier)
    if connection is None:
        return Access(actor=actor, bank=bank, tier="read")
    return Access(
        actor=actor,
        bank=bank,
        tier=connection.tier,  # type: ignore[arg-type]
        connection_id=connection.id,
        toolsets=tuple(connection.toolsets),
    )
