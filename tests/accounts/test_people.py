from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection as database

from accounts.actor import Actor
from accounts.auth.api_keys import authenticate_key
from accounts.models import Invitation, Membership
from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key, list_keys, rotate_key
from accounts.services.audit import list_events
from accounts.services.connections import connect
from accounts.services.invitations import invite
from accounts.services.people import add_member, change_role, list_people, remove_member
from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    ProductError,
    RoleInsufficient,
    Unauthenticated,
)
from tests.accounts.people import join, make_user
from tests.factories import World, make_bank


def works(secret: str) -> bool:
    try:
        authenticate_key(secret, door="rest")
    except Unauthenticated:
        return False
    return True


def secrets_of(actor: Actor, agent: str, count: int = 1) -> list[str]:
    return [issue_key(actor, agent=agent).secret for _ in range(count)]


def operations(world: World) -> list[str]:
    return [event.operation for event in list_events(world.person).items]


def test_keys_of_a_removed_member_stop_at_once(world: World) -> None:
    """Case 088."""
    leaver = join(world, "admin")
    made_by_leaver = secrets_of(leaver, world.agent.id, 3)
    made_by_owner = secrets_of(world.person, world.agent.id)

    remove_member(world.person, leaver.id)

    assert [works(secret) for secret in made_by_leaver] == [False, False, False]
    assert [works(secret) for secret in made_by_owner] == [True]
    assert operations(world)[:4] == ["key.revoked"] * 3 + ["member.removed"]


def test_the_log_says_why_a_key_was_revoked(world: World) -> None:
    """Case 088."""
    leaver = join(world, "admin")
    issue_key(leaver, agent=world.agent.id)

    remove_member(world.person, leaver.id)

    event = list_events(world.person).items[0]
    assert (event.operation, event.reason) == ("key.revoked", "its maker left the organization")


def test_an_admin_who_becomes_viewer_loses_every_key_made(world: World) -> None:
    """Case 088."""
    demoted = join(world, "admin")
    own = create_agent(demoted, name="Own")
    secrets = secrets_of(demoted, world.agent.id) + secrets_of(demoted, own.id)

    change_role(world.person, demoted.id, "viewer")

    assert [works(secret) for secret in secrets] == [False, False]


def test_an_admin_who_becomes_member_keeps_the_keys_a_member_may_make(world: World) -> None:
    """Case 088."""
    demoted = join(world, "admin")
    own = create_agent(demoted, name="Own")
    kept = secrets_of(demoted, own.id)
    lost = secrets_of(demoted, world.agent.id)

    change_role(world.person, demoted.id, "member")

    assert [works(secret) for secret in kept + lost] == [True, False]


def test_a_demoted_admins_own_agent_loses_its_keys_when_it_reaches_a_private_bank(
    world: World,
) -> None:
    """Case 088."""
    make_bank(world, "secret", visibility="private")
    demoted = join(world, "admin")
    own = create_agent(demoted, name="Own")
    connect(demoted, agent=own.id, bank="secret")
    secrets = secrets_of(demoted, own.id)

    change_role(world.person, demoted.id, "member")

    assert [works(secret) for secret in secrets] == [False]


def test_a_key_is_handed_over_by_rotating_it(world: World) -> None:
    """Case 088."""
    leaver = join(world, "admin")
    key = issue_key(leaver, agent=world.agent.id).key
    taken_over = rotate_key(world.person, key.id, grace_seconds=3600)

    remove_member(world.person, leaver.id)

    assert works(taken_over.secret)
    assert list_keys(world.person).items[0].created_by == world.person.id


@pytest.mark.parametrize(
    "end", [remove_member, partial(change_role, role="viewer")], ids=["removed", "demoted"]
)
def test_a_request_that_was_let_in_before_hands_out_nothing_after(
    world: World, end: Callable[[Actor, str], object]
) -> None:
    """Case 088."""
    late = join(world, "admin")
    key = issue_key(late, agent=world.agent.id).key
    end(world.person, late.id)

    for attempt in (
        lambda: issue_key(late, agent=world.agent.id),
        lambda: rotate_key(late, key.id),
        lambda: invite(late, email="friend@example.com"),
        lambda: add_member(late, make_user().id, "admin"),
        lambda: change_role(late, late.id, "admin"),
    ):
        with pytest.raises(RoleInsufficient):
            attempt()


def test_a_promotion_revokes_nothing(world: World) -> None:
    member = join(world, "member")
    own = create_agent(member, name="Own")
    secrets = secrets_of(member, own.id)

    change_role(world.person, member.id, "admin")

    assert [works(secret) for secret in secrets] == [True]


def test_open_invitations_of_a_removed_admin_are_withdrawn(world: World) -> None:
    leaver = join(world, "admin")
    invite(leaver, email="friend@example.com", role="admin")

    remove_member(world.person, leaver.id)

    with acting_as(world.person):
        assert not Invitation.objects.exists()


def test_the_last_owner_stays(world: World) -> None:
    with pytest.raises(Conflict):
        remove_member(world.person, world.person.id)
    with pytest.raises(Conflict):
        change_role(world.person, world.person.id, "admin")


def test_an_owner_may_go_when_another_one_stays(world: World) -> None:
    second = join(world, "owner")

    remove_member(world.person, world.person.id)

    assert [row.user_id for row in list_people(second).page.items] == [second.id]


def test_two_owners_who_remove_each_other_leave_one(world: World) -> None:
    second = join(world, "owner")
    refusals: list[ProductError] = []
    start = threading.Barrier(2)

    def remove(actor: Actor, user_id: str) -> None:
        start.wait()
        try:
            remove_member(actor, user_id)
        except ProductError as error:
            refusals.append(error)
        database.close()

    threads = [
        threading.Thread(target=remove, args=(world.person, second.id)),
        threading.Thread(target=remove, args=(second, world.person.id)),
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    with acting_as(world.person):
        assert Membership.objects.filter(role="owner").count() == 1
    assert [type(error) for error in refusals] == [RoleInsufficient]


def test_an_admin_neither_makes_nor_touches_owners(world: World) -> None:
    admin = join(world, "admin")
    member = join(world, "member")

    with pytest.raises(RoleInsufficient):
        change_role(admin, member.id, "owner")
    with pytest.raises(RoleInsufficient):
        change_role(admin, world.person.id, "member")
    with pytest.raises(RoleInsufficient):
        remove_member(admin, world.person.id)


@pytest.mark.parametrize("role", ["member", "viewer"])
def test_members_and_viewers_manage_nobody(world: World, role: str) -> None:
    actor, other = join(world, role), join(world, "viewer")

    with pytest.raises(RoleInsufficient):
        change_role(actor, other.id, "viewer")
    with pytest.raises(RoleInsufficient):
        remove_member(actor, other.id)
    with pytest.raises(RoleInsufficient):
        invite(actor, email="x@example.com")


def test_anyone_may_leave(world: World) -> None:
    viewer = join(world, "viewer")

    remove_member(viewer, viewer.id)

    assert viewer.id not in [row.user_id for row in list_people(world.person).page.items]


def test_an_agent_sees_no_people(world: World) -> None:
    with pytest.raises(RoleInsufficient):
        list_people(world.caller)
    with pytest.raises(RoleInsufficient):
        remove_member(world.caller, world.person.id)


def test_a_stranger_finds_nobody(world: World, stranger: World) -> None:
    member = join(world, "member")

    with pytest.raises(NotFound):
        remove_member(stranger.person, member.id)
    with pytest.raises(NotFound):
        change_role(stranger.person, member.id, "viewer")


def test_a_person_belongs_once(world: World) -> None:
    user = make_user()
    add_member(world.person, user.id, "viewer")

    with pytest.raises(Conflict):
        add_member(world.person, user.id, "admin")


@pytest.mark.parametrize("role", ["king", None, 3, ""])
def test_an_unknown_role_is_refused(world: World, role: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        change_role(world.person, world.person.id, role)

    assert caught.value.field == "role"
