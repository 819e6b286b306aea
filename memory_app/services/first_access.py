"""Everything an agent needs to begin, made where it is missing: for the operator's commands."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.actor import COMMAND, Actor, system_actor
from accounts.models import Agent, Connection, User
from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.connections import change_connection, connect, parse_tier, parse_toolsets
from accounts.services.organizations import create_organization, find_organization
from accounts.services.people import add_member
from accounts.slugs import given_slug
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.models import Bank, BankSlug
from memory_app.services.banks import create_bank


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstAccess:
    """Slugs of what is there now, and a new key's secret."""

    organization: str
    organization_id: str
    bank: str
    agent: str
    secret: str


def give_access(
    *,
    organization: str,
    bank: str,
    agent: str,
    tier: object = None,
    toolsets: object = None,
    owner: User | None = None,
) -> FirstAccess:
    """Organization, bank, agent and connection by slug, each made if missing, and a new key.

    An existing connection gets the tier and toolsets that are named, and keeps what isn't. `owner`
    becomes an owner of the organization. Each call makes one more key. Raises `InvalidArgument`
    before anything is made.
    """
    parse_tier(tier)
    parse_toolsets(toolsets)
    slugs = [given_slug(value) for value in (organization, bank, agent)]
    operator = _operator(slugs[0], owner)
    _ensure_bank(operator, slugs[1])
    _ensure_agent(operator, slugs[2])
    _ensure_connection(operator, slugs[2], slugs[1], tier, toolsets)
    issued = issue_key(operator, agent=slugs[2], name="made at the command line")
    return FirstAccess(
        organization=slugs[0],
        organization_id=operator.organization_id,
        bank=slugs[1],
        agent=slugs[2],
        secret=issued.secret,
    )


def _operator(slug: str, owner: User | None) -> Actor:
    found = find_organization(slug)
    if found is None:
        found = create_organization(owner, name=_name(slug), slug=slug, door="command").id
        return system_actor(found, COMMAND, door="command")
    operator = system_actor(found, COMMAND, door="command")
    if owner is not None:
        try:
            add_member(operator, owner.id, "owner")
        except Conflict:
            return operator
    return operator


def _ensure_bank(operator: Actor, slug: str) -> None:
    with acting_as(operator):
        there = BankSlug.objects.filter(
            organization_id=operator.organization_id, slug=slug
        ).exists()
    if not there:
        create_bank(operator, name=_name(slug), slug=slug)


def _ensure_agent(operator: Actor, slug: str) -> None:
    with acting_as(operator):
        there = Agent.objects.filter(organization_id=operator.organization_id, slug=slug).exists()
    if not there:
        try:
            create_agent(operator, name=_name(slug), slug=slug)
        except Conflict:  # "my-agent" and "my_agent" would read alike
            create_agent(operator, name=slug, slug=slug)


def _ensure_connection(
    operator: Actor, agent: str, bank: str, tier: object, toolsets: object
) -> None:
    with acting_as(operator):
        bank_id = Bank.objects.get(organization_id=operator.organization_id, slug=bank).id
        found = Connection.objects.filter(
            organization_id=operator.organization_id, agent__slug=agent, bank_id=bank_id
        ).first()
    if found is None:
        connect(operator, agent=agent, bank=bank_id, tier=tier, toolsets=toolsets)
    elif tier is not None or toolsets is not None:
        change_connection(operator, found.id, tier=tier, toolsets=toolsets)


def _name(slug: str) -> str:
    return slug.replace("-", " ").replace("_", " ").capitalize()
