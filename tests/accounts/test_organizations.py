from __future__ import annotations

from uuid import uuid4

import pytest

from accounts.auth.sessions import authenticate_session, memberships_of
from accounts.services.audit import list_events
from accounts.services.organizations import (
    create_organization,
    get_organization,
    update_organization,
)
from memory_app.domain.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    RoleInsufficient,
    Unauthenticated,
)
from tests.accounts.people import join, make_user
from tests.factories import World


def test_its_maker_is_its_first_owner() -> None:
    user = make_user()

    organization = create_organization(user, name="Harbour Works")

    assert [(m.organization_id, m.role) for m in memberships_of(user)] == [
        (organization.id, "owner")
    ]


def test_two_of_a_name_get_two_slugs() -> None:
    name = f"Twins {uuid4().hex[:8]}"

    first, second = (create_organization(make_user(), name=name) for _ in range(2))

    assert second.slug == f"{first.slug}-2"


def test_a_slug_that_was_asked_for_and_is_taken_is_a_conflict(world: World) -> None:
    with pytest.raises(Conflict):
        create_organization(make_user(), name="Other", slug=world.organization.slug)


def test_an_owner_sets_and_lifts_the_daily_cap(world: World) -> None:
    assert update_organization(world.person, daily_operation_cap=5).daily_operation_cap == 5
    assert update_organization(world.person, name="New name").daily_operation_cap == 5
    assert update_organization(world.person, daily_operation_cap=None).daily_operation_cap is None
    assert get_organization(world.caller).name == "New name"


@pytest.mark.parametrize("cap", [-1, 10**12, "5", 1.5, True])
def test_a_cap_out_of_range_is_refused(world: World, cap: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        update_organization(world.person, daily_operation_cap=cap)

    assert caught.value.field == "daily_operation_cap"


def test_only_an_owner_changes_the_organization(world: World) -> None:
    with pytest.raises(RoleInsufficient):
        update_organization(join(world, "admin"), name="Mine")
    with pytest.raises(RoleInsufficient):
        update_organization(world.caller, name="Mine")


def test_a_session_acts_in_the_organization_it_names(world: World, stranger: World) -> None:
    actor = authenticate_session(world.owner, world.organization.slug)

    assert (actor.organization_id, actor.role) == (world.organization.id, "owner")
    assert authenticate_session(world.owner, world.organization.id) == actor
    assert authenticate_session(world.owner).organization_id == world.organization.id
    with pytest.raises(NotFound):
        authenticate_session(world.owner, stranger.organization.slug)


def test_an_inactive_person_is_nobody(world: World) -> None:
    world.owner.is_active = False

    with pytest.raises(Unauthenticated):
        authenticate_session(world.owner)


def test_the_access_log_is_paged_newest_first(world: World) -> None:
    for number in range(3):
        update_organization(world.person, name=f"Name {number}")

    first = list_events(world.person, limit=2)
    second = list_events(world.person, limit=2, after=first.next_cursor)

    assert [len(first.items), len(second.items), second.next_cursor] == [2, 1, None]
    assert second.items[0].id < first.items[1].id


def test_the_access_log_is_for_administrators(world: World, stranger: World) -> None:
    update_organization(world.person, name="New name")

    with pytest.raises(RoleInsufficient):
        list_events(join(world, "member"))
    with pytest.raises(RoleInsufficient):
        list_events(world.caller)
    assert list_events(stranger.person).items == ()
