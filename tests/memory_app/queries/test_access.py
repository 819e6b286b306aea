from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.models import Connection
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound, TierInsufficient
from memory_app.queries.access import accesses, resolve
from tests.factories import World, make_bank, make_world


def test_the_connection_gives_its_tier_and_toolsets(world: World) -> None:
    """A16"""
    with acting_as(world.caller):
        access = resolve(world.caller, "main")

    assert (access.tier, access.toolsets) == ("read_write", ("essential",))
    assert access.connection_id == world.connection.id


def test_a_shared_bank_is_readable_without_a_connection(world: World) -> None:
    """A19"""
    make_bank(world, "shared")

    with acting_as(world.caller):
        access = resolve(world.caller, "shared")

    assert (access.tier, access.connection_id) == ("read", None)


def test_a_private_bank_does_not_exist_for_an_agent_without_a_connection(world: World) -> None:
    """O092"""
    bank = make_bank(world, "secret", visibility="private")

    with acting_as(world.caller), pytest.raises(NotFound):
        resolve(world.caller, bank.id)
    with acting_as(world.caller):
        assert [one.bank.slug for one in accesses(world.caller)] == ["main"]


def test_a_paused_connection_leaves_what_the_organization_may_read(world: World) -> None:
    with acting_as(world.person):
        Connection.objects.filter(id=world.connection.id).update(paused_at="2026-01-01T00:00Z")

    with acting_as(world.caller):
        assert resolve(world.caller, "main").tier == "read"


@pytest.mark.parametrize(
    ("role", "tier"), [("owner", "full"), ("admin", "full"), ("member", "full"), ("viewer", "read")]
)
def test_a_persons_tier_follows_the_role(world: World, role: str, tier: str) -> None:
    person = replace(world.person, role=role)  # type: ignore[arg-type]

    with acting_as(person):
        assert resolve(person, "main").tier == tier


def test_a_member_does_not_see_somebody_elses_private_bank(world: World) -> None:
    make_bank(world, "secret", visibility="private")
    member = replace(world.person, role="member")

    with acting_as(member), pytest.raises(NotFound):
        resolve(member, "secret")


def test_the_only_bank_needs_no_name_and_several_are_listed(world: World) -> None:
    """O082"""
    with acting_as(world.caller):
        assert resolve(world.caller, None).bank.slug == "main"
    bank = make_bank(world, "second")
    with acting_as(world.person):
        Connection.objects.create(
            organization=world.organization, agent=world.agent, bank=bank, tier="read"
        )

    with acting_as(world.caller), pytest.raises(InvalidArgument) as refusal:
        resolve(world.caller, None)

    assert sorted(refusal.value.details["banks"]) == ["main", "second"]


@pytest.mark.parametrize("name", ["nowhere", "bank_01KZZZZZZZZZZZZZZZZZZZZZZZ", "", "a\x00b"])
def test_another_organizations_bank_reads_like_an_unknown_one(
    world: World, stranger: World, name: str
) -> None:
    with acting_as(stranger.caller), pytest.raises(NotFound) as foreign:
        resolve(stranger.caller, world.bank.id)
    with acting_as(stranger.caller), pytest.raises(NotFound) as unknown:
        resolve(stranger.caller, name)

    assert foreign.value.message == unknown.value.message


def test_tiers_are_nested() -> None:
    """A16"""
    writer = make_world(tier="read_write")

    with acting_as(writer.caller):
        access = resolve(writer.caller, "main")

    access.require("read")
    access.require("read_write")
    with pytest.raises(TierInsufficient):
        access.require("full")


def test_resolving_costs_one_statement(world: World, django_assert_num_queries: object) -> None:
    with acting_as(world.caller), django_assert_num_queries(1):  # type: ignore[operator]
        resolve(world.caller, "main")
