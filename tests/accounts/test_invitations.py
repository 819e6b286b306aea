from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.auth.sessions import memberships_of
from accounts.models import Invitation, User
from accounts.services.invitations import (
    accept_invitation,
    invite,
    list_invitations,
    look_up_invitation,
    resend_invitation,
    withdraw_invitation,
)
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, RoleInsufficient
from tests.accounts.people import join, make_user
from tests.factories import World


def test_an_invited_person_joins_with_the_role_offered(world: World) -> None:
    user = make_user()
    issued = invite(world.person, email=user.email.upper(), role="admin")

    accept_invitation(user, issued.token)

    assert [(m.organization_id, m.role) for m in memberships_of(user)] == [
        (world.organization.id, "admin")
    ]


def test_the_token_is_not_stored(world: World) -> None:
    issued = invite(world.person, email="a@example.com")

    with acting_as(world.person):
        assert issued.token not in str(Invitation.objects.values().get())


def test_an_invitation_is_good_once(world: World) -> None:
    user = make_user()
    issued = invite(world.person, email=user.email)
    accept_invitation(user, issued.token)

    with pytest.raises(NotFound):
        accept_invitation(user, issued.token)


def test_somebody_else_cannot_use_it(world: World) -> None:
    issued = invite(world.person, email="meant@example.com")

    with pytest.raises(InvalidArgument):
        accept_invitation(make_user(), issued.token)


@pytest.mark.parametrize("token", ["", "x", "\x00", "ü" * 50])
def test_an_unknown_token_offers_nothing(token: str) -> None:
    with pytest.raises(NotFound):
        look_up_invitation(token)


def test_an_expired_invitation_offers_nothing(world: World) -> None:
    issued = invite(world.person, email="late@example.com")
    with acting_as(world.person):
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    with pytest.raises(NotFound):
        look_up_invitation(issued.token)


def test_a_second_invitation_replaces_the_first(world: World) -> None:
    first = invite(world.person, email="again@example.com")
    second = invite(world.person, email="again@example.com")

    with pytest.raises(NotFound):
        look_up_invitation(first.token)
    assert look_up_invitation(second.token).organization_id == world.organization.id


def test_a_withdrawn_invitation_offers_nothing(world: World) -> None:
    issued = invite(world.person, email="no@example.com")

    withdraw_invitation(world.person, issued.invitation.id)

    with pytest.raises(NotFound):
        look_up_invitation(issued.token)


def test_a_stranger_withdraws_nothing(world: World, stranger: World) -> None:
    issued = invite(world.person, email="no@example.com")

    with pytest.raises(NotFound):
        withdraw_invitation(stranger.person, issued.invitation.id)


def test_a_member_is_not_invited_again(world: World) -> None:
    with pytest.raises(Conflict):
        invite(world.person, email=User.objects.get(id=world.owner.id).email)


def test_an_admin_offers_no_more_than_admin(world: World) -> None:
    admin = join(world, "admin")

    with pytest.raises(RoleInsufficient):
        invite(admin, email="boss@example.com", role="owner")


def test_an_owners_invitation_is_an_owners_to_change(world: World) -> None:
    admin, offered = join(world, "admin"), invite(world.person, email="b@example.com", role="owner")

    with pytest.raises(RoleInsufficient):
        resend_invitation(admin, offered.invitation.id)
    with pytest.raises(RoleInsufficient):
        withdraw_invitation(admin, offered.invitation.id)
    with pytest.raises(RoleInsufficient):
        invite(admin, email="b@example.com", role="viewer")

    assert look_up_invitation(offered.token).role == "owner"


def test_invitations_are_for_administrators_eyes(world: World) -> None:
    with pytest.raises(RoleInsufficient):
        list_invitations(join(world, "member"))
    with pytest.raises(RoleInsufficient):
        list_invitations(world.caller)


@pytest.mark.parametrize("email", ["", "nobody", "a@b", "x" * 250 + "@example.com", None, 1])
def test_what_is_no_address_is_refused(world: World, email: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        invite(world.person, email=email)

    assert caught.value.field == "email"
