"""Everything a test needs in an organization of its own; rows are really committed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from uuid import uuid4

from accounts.actor import Actor
from accounts.models import Agent, Connection, Membership, Organization, User
from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.models import Bank, BankSlug
from memory_app.providers.embedding import get_embedder

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One organization with an owner, a bank and an agent connected to it."""

    organization: Organization
    owner: User
    bank: Bank
    agent: Agent
    connection: Connection
    person: Actor
    caller: Actor


def make_world(*, tier: str = "read_write", visibility: str = "organization") -> World:
    """A fresh organization; nothing of another test's is in it."""
    number = f"{next(_numbers)}-{uuid4().hex[:8]}"
    organization = Organization(
        id=new_id("org"), name=f"Organization {number}", slug=f"org-{number}"
    )
    owner = User.objects.create_user(
        f"owner-{number}@example.com", "a long password 1", name="Olive"
    )
    person = Actor(
        organization_id=organization.id, kind="user", id=owner.id, name="Olive", role="owner"
    )
    embedder = get_embedder()
    with acting_as(person):
        organization.save(force_insert=True)
        Membership.objects.create(organization=organization, user=owner, role="owner")
        bank = Bank.objects.create(
            organization=organization,
            slug="main",
            name="Main",
            visibility=visibility,
            embedding_model=embedder.model_id,
            dimensions=embedder.dimensions,
        )
        BankSlug.objects.create(organization=organization, slug="main", bank=bank)
        agent = Agent.objects.create(organization=organization, name="Coder", slug="coder")
        connection = Connection.objects.create(
            organization=organization, agent=agent, bank=bank, tier=tier
        )
    caller = Actor(
        organization_id=organization.id, kind="agent", id=agent.id, name="Coder", door="rest"
    )
    return World(
        organization=organization,
        owner=owner,
        bank=bank,
        agent=agent,
        connection=connection,
        person=person,
        caller=caller,
    )


def make_bank(world: World, slug: str, *, visibility: str = "organization") -> Bank:
    """Another bank in the same organization."""
    embedder = get_embedder()
    with acting_as(world.person):
        bank = Bank.objects.create(
            organization=world.organization,
            slug=slug,
            name=slug.title(),
            visibility=visibility,
            embedding_model=embedder.model_id,
            dimensions=embedder.dimensions,
        )
        BankSlug.objects.create(organization=world.organization, slug=slug, bank=bank)
    return bank
