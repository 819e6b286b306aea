from __future__ import annotations

import threading
from typing import Any

import pytest
from django.core import signing
from django.db import connection as database
from django.test import Client
from pytest_django.fixtures import Settings

from accounts.auth.sessions import memberships_of
from accounts.auth.sign_in import redeem, sign_in_link
from accounts.models import User
from accounts.services.invitations import invite
from memory_app.domain.errors import NotFound, Unauthenticated
from tests.factories import World

PASSWORD = {"password1": "long and odd 71", "password2": "long and odd 71"}


def path_of(link: str) -> str:
    return link.removeprefix("http://testserver")


def token_of(link: str) -> str:
    return link.rstrip("/").rpartition("/")[2]


def link_for(world: World) -> str:
    return sign_in_link(world.owner.email, "http://testserver/")


def signed_in(client: Client) -> Any:
    return client.session.get("_auth_user_id")


def test_a_link_signs_in_once(world: World) -> None:
    path = path_of(link_for(world))
    first, second = Client(), Client()

    answer = first.get(path)
    again = second.get(path)

    assert (answer.status_code, signed_in(first)) == (302, world.owner.id)
    assert signed_in(second) is None
    assert again.headers["Location"] == "/accounts/login/"


def test_a_look_ahead_uses_nothing_up(world: World) -> None:
    path = path_of(link_for(world))
    client = Client()

    client.head(path)
    client.get(path, headers={"Sec-Purpose": "prefetch"})
    client.get(path)

    assert signed_in(client) == world.owner.id


def test_of_two_at_once_one_gets_in(world: World) -> None:
    token = token_of(link_for(world))
    outcomes: list[str] = []
    start = threading.Barrier(4)

    def use() -> None:
        start.wait()
        try:
            outcomes.append(redeem(token).id)
        except Unauthenticated:
            outcomes.append("refused")
        database.close()

    threads = [threading.Thread(target=use) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert sorted(outcomes) == ["refused"] * 3 + [world.owner.id]


def test_a_link_is_good_for_fifteen_minutes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_of(link_for(world))
    made = signing.time.time()

    monkeypatch.setattr(signing.time, "time", lambda: made + 15 * 60 + 1)

    with pytest.raises(Unauthenticated):
        redeem(token)


@pytest.mark.parametrize("token", ["x", "a:b:c", "\x00", "é"])
def test_what_was_not_signed_here_opens_nothing(token: str) -> None:
    with pytest.raises(Unauthenticated):
        redeem(token)


def test_an_unknown_address_gets_no_link() -> None:
    with pytest.raises(NotFound):
        sign_in_link("nobody@example.com", "http://testserver")


def test_sign_up_is_closed_by_default() -> None:
    answer = Client().post("/accounts/signup/", {"email": "new@example.com", **PASSWORD})

    assert not User.objects.filter(email="new@example.com").exists()
    assert answer.status_code == 200


def test_an_invited_person_signs_up_into_the_organization(world: World) -> None:
    address = f"guest-{world.organization.slug}@example.com"
    token = invite(world.person, email=address, role="viewer").token
    client = Client()

    opened = client.get(f"/invitation/{token}/")
    client.post("/accounts/signup/", {"email": address, **PASSWORD})

    user = User.objects.get(email=address)
    assert "Create an account" in opened.content.decode()
    assert [(m.slug, m.role) for m in memberships_of(user)] == [(world.organization.slug, "viewer")]


def test_an_invitation_signs_up_nobody_else(world: World) -> None:
    address = f"guest-{world.organization.slug}@example.com"
    token = invite(world.person, email=address).token
    client = Client()

    client.get(f"/invitation/{token}/")
    client.post("/accounts/signup/", {"email": f"other-{address}", **PASSWORD})

    assert not User.objects.filter(email=f"other-{address}").exists()


def test_with_sign_up_open_a_newcomer_gets_an_organization(
    world: World, settings: Settings
) -> None:
    settings.ACCOUNT_SIGNUP_OPEN = True
    address = f"new-{world.organization.slug}@example.com"

    Client().post("/accounts/signup/", {"email": address, **PASSWORD})

    user = User.objects.get(email=address)
    assert [m.role for m in memberships_of(user)] == ["owner"]
