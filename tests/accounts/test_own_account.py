from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from accounts.services.accounts import delete_account
from accounts.services.api_keys import issue_key
from memory_app.domain.errors import Conflict, InvalidArgument
from tests.accounts.people import join, make_user
from tests.factories import World

PASSWORD = "a long password 1"
LINK = re.compile(r"http://testserver(/accounts/\S+)")


def sign_in(user: User, **headers: str) -> Client:
    client = Client(headers=headers)
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return client


def reset_path(world: World) -> str:
    """What the mail of a password reset leads to."""
    Client().post("/accounts/password/reset/", {"email": world.owner.email})
    link = LINK.search(mail.outbox[-1].body)
    assert link is not None
    return link.group(1)


def sign_in_again(user: User) -> Client:
    """With the password given once more, as what guards an account asks for."""
    client = sign_in(user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


@pytest.fixture(autouse=True)
def _no_rate_of_other_tests() -> None:
    cache.clear()


def test_sessions_are_listed_and_ended_one_by_one(world: World) -> None:
    here = sign_in(world.owner, **{"User-Agent": "Laptop"})
    lost = sign_in(world.owner, **{"User-Agent": "Lost phone"})
    session = UserSession.objects.get(user=world.owner, user_agent="Lost phone")

    page = here.get("/accounts/sessions/").content.decode()
    here.post(f"/accounts/sessions/{session.pk}/end/")

    assert "Lost phone" in page
    assert lost.get("/accounts/name/").status_code == 302
    assert here.get("/accounts/name/").status_code == 200


def test_nobody_ends_anothers_session(world: World, stranger: World) -> None:
    theirs = sign_in(stranger.owner)
    session = UserSession.objects.get(user=stranger.owner)

    sign_in(world.owner).post(f"/accounts/sessions/{session.pk}/end/")

    assert theirs.get("/accounts/name/").status_code == 200


def test_a_password_reset_says_the_same_of_unknown_addresses(world: World) -> None:
    answers = [
        Client().post("/accounts/password/reset/", {"email": address}, follow=True).content
        for address in (world.owner.email, "nobody@example.com")
    ]

    assert answers[0] == answers[1]
    assert [message.to for message in mail.outbox] == [[world.owner.email], ["nobody@example.com"]]
    assert LINK.search(mail.outbox[0].body)
    assert not re.search(r"/password/reset/key", mail.outbox[1].body)


def test_every_mail_comes_in_our_look_too(world: World) -> None:
    Client().post("/accounts/password/reset/", {"email": world.owner.email})

    [message] = mail.outbox
    assert "Commonplace" in message.alternatives[0].content
    assert ">Choose a new password</a>" in message.alternatives[0].content
    assert "Choose a new password:\nhttp" in message.body
    assert "example.com!" not in message.body


def test_wrong_passwords_are_slowed_down(world: World) -> None:
    form = {"login": world.owner.email, "password": "wrong"}

    answers = [Client().post("/accounts/login/", form) for _ in range(12)]
    right = Client().post("/accounts/login/", form | {"password": PASSWORD})

    assert "Too many failed" in answers[-1].content.decode()
    assert right.status_code != 302


def test_a_new_address_counts_once_it_is_confirmed(world: World) -> None:
    client = sign_in(world.owner)
    address = f"new-{world.organization.slug}@example.com"

    client.post("/accounts/email/", {"email": address, "action_add": ""})
    before = User.objects.get(id=world.owner.id).email
    confirmation = next(m for m in mail.outbox if m.to == [address])
    link = LINK.search(confirmation.body)
    assert link is not None
    client.post(link.group(1))

    assert before == world.owner.email
    assert User.objects.get(id=world.owner.id).email == address


def test_a_deleted_account_leaves_an_id_and_nothing_else(world: World) -> None:
    person = join(world, "admin")
    user = User.objects.get(id=person.id)
    issue_key(person, agent=world.agent.id)

    delete_account(user, confirm=user.email.upper())

    left = User.objects.get(id=person.id)
    assert (left.name, left.is_active, user.email in left.email) == ("", False, False)
    assert not left.has_usable_password()
    assert not EmailAddress.objects.filter(user_id=user.id).exists()


def test_what_guards_an_account_asks_for_the_password_again(world: World) -> None:
    answer = sign_in(world.owner).get("/accounts/2fa/totp/activate/")

    assert answer.headers["Location"].startswith("/accounts/reauthenticate/")


def test_who_came_by_a_link_and_has_no_password_can_set_up_a_second_factor() -> None:
    client = Client()
    client.force_login(make_user(), backend="django.contrib.auth.backends.ModelBackend")

    assert client.get("/accounts/2fa/totp/activate/").status_code == 200


def test_the_last_owner_cannot_delete_the_account(world: World) -> None:
    with pytest.raises(Conflict, match="last owner"):
        delete_account(world.owner, confirm=world.owner.email)

    assert User.objects.get(id=world.owner.id).is_active


def test_an_account_is_not_deleted_by_accident() -> None:
    user = make_user()

    with pytest.raises(InvalidArgument):
        delete_account(user, confirm="yes")


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/name/",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/accounts/2fa/totp/activate/",
        "/accounts/2fa/webauthn/add/",
        "/accounts/sessions/",
        "/accounts/delete/",
    ],
)
def test_every_page_of_the_account_opens_and_only_signed_in(world: World, path: str) -> None:
    signed_in = sign_in_again(world.owner).get(path)
    signed_out = Client().get(path)

    assert signed_in.status_code == 200
    assert signed_out.headers["Location"].startswith("/accounts/login/")


def test_the_link_of_a_reset_sets_a_password_once(world: World) -> None:
    path = reset_path(world)
    new = {"password1": "a longer password 2", "password2": "a longer password 2"}
    person = Client()

    shown = person.get(path, follow=True)
    person.post(shown.redirect_chain[-1][0], new)
    form = {"login": world.owner.email, "password": new["password1"]}

    assert Client().post("/accounts/login/", form).status_code == 302
    assert "doesn’t work any more" in Client().get(path).content.decode()


@pytest.mark.parametrize("damaged", ["x", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"])
def test_a_damaged_reset_link_says_so(world: World, damaged: str) -> None:
    answer = Client().get(reset_path(world).replace(world.owner.id.removeprefix("user_"), damaged))

    assert answer.status_code == 200
    assert "doesn’t work any more" in answer.content.decode()
