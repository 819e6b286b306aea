"""Which banks an actor may see, and what it may do there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from accounts.actor import ROLE_ORDER, TIER_ORDER, Actor, Tier
from accounts.models import Connection
from accounts.queries.pages import Page, beyond, cut
from accounts.questions import Question, Row
from memory_app.domain.errors import InvalidArgument, NotFound, TierInsufficient
from memory_app.domain.ids import from_uuid, is_id, refuse_other_kind, to_uuid
from memory_app.models import Bank

# So many banks a refusal names that asks for one of them.
NAMED_MOST = 20
# Every request of an agent starts here, so it is one statement and not two of the ORM's.
_NAMED = """
SELECT connections.id, connections.tier, connections.toolsets, {columns}
FROM banks LEFT JOIN connections
  ON connections.bank_id = banks.id AND connections.agent_id = %(agent)s
  AND connections.paused_at IS NULL
WHERE banks.organization_id = %(organization)s AND banks.{column} = %(name)s
  AND (%(all)s OR banks.visibility = 'organization' OR connections.id IS NOT NULL
       OR banks.created_by = %(actor)s)
  AND (banks.deleted_at IS NULL OR %(system)s)
"""


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
    agents. An agent's own bank is private and of its making. What is in the bin nobody sees.
    """
    banks = Bank.objects.filter(organization_id=actor.organization_id, deleted_at=None)
    banks = banks.order_by("name", "id")
    shared = Q(visibility=Bank.Visibility.ORGANIZATION)
    if _sees_everything(actor):
        return banks
    if actor.kind == "user":
        return banks.filter(shared | Q(created_by=actor.id))
    connected = Connection.objects.filter(agent_id=actor.id, paused_at=None).values("bank_id")
    return banks.filter(shared | Q(id__in=connected) | Q(created_by=actor.id))


def resolve(actor: Actor, bank: str | None) -> Access:
    """The access of `actor` to the bank named by slug or id; None means its only bank. One query.

    Raises `NotFound` alike for an unknown bank and for one the actor may not see, `WrongIdPrefix`
    for the id of another kind, and `InvalidArgument` listing the choices when None is ambiguous.
    """
    if bank is None:
        return _only_bank(actor)
    question = access_question(actor, bank)
    with connection.cursor() as cursor:
        cursor.execute(question.sql, question.values)
        return access_from(actor, cursor.fetchall())


def access_question(actor: Actor, bank: str) -> Question:
    """What `access_from` reads, for callers that ask more in the same message.

    Its values name the bank: `organization` and `name`, compared as in `bank_named`. Raises
    `WrongIdPrefix`, and `NotFound` for what no slug can hold.
    """
    column = bank_column(bank)
    return Question(
        sql=_NAMED.format(columns=_columns(), column=column),
        values={
            "agent": to_uuid("agent", actor.id) if actor.kind == "agent" else None,
            "organization": to_uuid("org", actor.organization_id),
            "name": to_uuid("bank", bank) if column == "id" else bank,
            "all": _sees_everything(actor),
            "actor": actor.id,
            "system": actor.kind == "system",
        },
        repeats=True,
    )


def bank_named(bank: str) -> str:
    """The bank's id as a subquery on the values of `access_question`."""
    return (
        "(SELECT id FROM banks WHERE organization_id = %(organization)s "  # noqa: S608
        f"AND {bank_column(bank)} = %(name)s)"
    )


def bank_column(bank: str) -> str:
    """Whether a reference is an id or a slug."""
    if is_id("bank", bank):
        return "id"
    _require_slug(bank)
    return "slug"


def access_from(actor: Actor, rows: Sequence[Row]) -> Access:
    """The access that the rows of an `access_question` tell. Raises `NotFound`."""
    if not rows:
        raise NotFound("bank")
    connection_id, tier, toolsets, *values = rows[0]
    found = Bank.from_db("default", _names(), _shown(values))
    if connection_id is None:
        return _access(actor, found, None)
    return Access(
        actor=actor,
        bank=found,
        tier=tier,
        connection_id=from_uuid("conn", connection_id),
        toolsets=tuple(toolsets),
    )


def _require_slug(reference: str) -> None:
    """Refuse the id of another kind (B1), and what no slug can hold."""
    refuse_other_kind("bank", reference)
    if not reference.isprintable():
        raise NotFound("bank")


def accesses(actor: Actor) -> list[Access]:
    """Every bank the actor may read, with its tier there. Two queries."""
    connections = _connections(actor)
    return [_access(actor, bank, connections.get(bank.id)) for bank in visible_banks(actor)]


def accesses_page(
    actor: Actor, *, named: str = "", after: str | None = None, limit: int = 50
) -> Page[Access]:
    """A page of `accesses`, of those banks whose name or slug holds `named`. Two queries, three for
    a later page. Raises `WrongIdPrefix` and `NotFound` for an `after` that is no bank's id.
    """
    rows = visible_banks(actor)
    if named:
        rows = rows.filter(Q(name__icontains=named) | Q(slug__icontains=named))
    everything = Bank.objects.filter(organization_id=actor.organization_id)
    page = cut(beyond(rows, everything, after), limit)
    connections = _connections(actor, [bank.id for bank in page.items])
    items = tuple(_access(actor, bank, connections.get(bank.id)) for bank in page.items)
    return Page(items=items, next_cursor=page.next_cursor)


def _connections(actor: Actor, banks: Sequence[str] | None = None) -> dict[str, Connection]:
    if actor.kind != "agent":
        return {}
    rows = Connection.objects.filter(
        organization_id=actor.organization_id, agent_id=actor.id, paused_at=None
    )
    if banks is not None:
        rows = rows.filter(bank_id__in=banks)
    return {row.bank_id: row for row in rows}


def _only_bank(actor: Actor) -> Access:
    """The bank it is connected to, else the only one of others that it sees, else its own."""
    connections = _connections(actor)
    banks = visible_banks(actor)
    choices = [banks.filter(id__in=list(connections))] if connections else []
    choices += [banks.exclude(created_by=actor.id)] if actor.kind == "agent" else []
    for own in (*choices, banks):
        found = list(own[: NAMED_MOST + 1])
        if len(found) > 1:
            raise _several([bank.slug for bank in found[:NAMED_MOST]], own.count())
        if found:
            return _access(actor, found[0], connections.get(found[0].id))
    raise NotFound("bank")


def _several(slugs: list[str], number: int) -> InvalidArgument:
    """Names twenty of them; a client reads this into a model's context."""
    more = number - len(slugs)
    others = f" and {more:,} more" if more > 0 else ""
    return InvalidArgument(
        f"This credential reaches several banks: {', '.join(slugs)}{others}.",
        hint="Name the bank, for example in the URL /mcp/{bank}; GET /api/v1/banks lists all.",
        field="bank",
        details={"banks": slugs} | ({"more": more} if more > 0 else {}),
    )


def _sees_everything(actor: Actor) -> bool:
    return actor.kind == "system" or (
        actor.role is not None and ROLE_ORDER[actor.role] >= ROLE_ORDER["admin"]
    )


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    return tuple(field.attname for field in Bank._meta.concrete_fields)


@lru_cache(maxsize=1)
def _columns() -> str:
    return ", ".join(f"banks.{field.column}" for field in Bank._meta.concrete_fields)


def _shown(values: list[Any]) -> list[Any]:
    """Stored ids in the form that the model's fields hold."""
    prefixes = {"id": "bank", "organization_id": "org"}
    return [
        from_uuid(prefixes[name], value) if name in prefixes else value
        for name, value in zip(_names(), values, strict=True)
    ]


def _access(actor: Actor, bank: Bank, connection: Connection | None) -> Access:
    if actor.kind == "system":
        return Access(actor=actor, bank=bank, tier="full")
    if actor.kind == "user":
        tier: Tier = "read" if actor.role in (None, "viewer") else "full"
        return Access(actor=actor, bank=bank, tier=tier)
    if connection is None:
        own: Tier = "full" if bank.created_by == actor.id else "read"
        return Access(actor=actor, bank=bank, tier=own)
    return Access(
        actor=actor,
        bank=bank,
        tier=connection.tier,  # type: ignore[arg-type]
        connection_id=connection.id,
        toolsets=tuple(connection.toolsets),
    )
