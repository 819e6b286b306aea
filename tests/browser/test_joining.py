"""An invitation from the form to the first screen, and a session ended from another browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core import mail
from pytest_django import Settings

from accounts.auth.sessions import memberships_of
from accounts.models import User
from tests.accounts.people import make_user
from tests.browser.account import PASSWORD, Person
from tests.browser.conftest import Visit

LINK = re.compile(r"https?://[^/\s]+(/invitation/[\w-]+/)")


@pytest.fixture
def owner(visit: Callable[..., Visit], settings: Settings) -> Person:
    settings.EMAIL_URL = "smtp://localhost"
    here = visit()
    person = Person(here, here.world.owner)
    person.sign_in()
    person.wait("/o/")
    return person


def invited(owner: Person, address: str) -> str:
    """The path of the link in the mail that the form sends."""
    owner.open(f"/o/{owner.visit.world.organization.slug}/people/")
    owner.page.click("button:has-text('Invite')")
    owner.page.fill("#invite-email", address)
    owner.page.click("button:text-is('Send the invitation')")
    owner.page.wait_for_selector(f"#toasts :text('Invited {address}')")
    [sent] = [message for message in mail.outbox if message.to == [address]]
    link = LINK.search(sent.body)
    assert link is not None
    return link[1]


def test_a_new_person_makes_an_account_from_the_mail_and_is_in(
    owner: Person, visit: Callable[..., Visit]
) -> None:
    world = owner.visit.world
    address = f"guest-{world.organization.slug}@example.com"
    link = invited(owner, address)
    guest = Person(visit(world=world), world.owner)

    guest.open(link)
    guest.press("Create an account")
    guest.page.fill("input[name=email]", address)
    guest.page.fill("input[name=password1]", PASSWORD)
    guest.page.fill("input[name=password2]", PASSWORD)
    guest.page.click("main form button:not([type=button])")
    guest.wait(f"/o/{world.organization.slug}/")
    guest.open(link)
    guest.page.wait_for_selector("#toasts :text('This invitation was used or withdrawn')")

    joined = User.objects.get(email=address)
    assert [one.role for one in memberships_of(joined)] == ["member"]


def test_an_existing_person_joins_and_another_one_does_not(
    owner: Person, visit: Callable[..., Visit]
) -> None:
    world = owner.visit.world
    user, other = make_user(), make_user()
    for each in (user, other):
        each.set_password(PASSWORD)
        each.save()
    link = invited(owner, user.email)
    wrong = Person(visit(world=world), other)
    wrong.sign_in()
    wrong.page.wait_for_url(lambda url: "/accounts/login/" not in url)
    guest = Person(visit(world=world), user)

    wrong.open(link)
    told = wrong.page.inner_text("main")
    guest.open(link)
    guest.press("I have an account")
    guest.page.fill("input[name=login]", user.email)
    guest.page.fill("input[name=password]", PASSWORD)
    guest.page.click("main button:text-is('Sign in')")
    guest.wait(link)
    guest.press("Join")
    guest.wait(f"/o/{world.organization.slug}/")

    assert f"signed in as {other.email}" in told
    assert memberships_of(other) == []
    assert [one.slug for one in memberships_of(user)] == [world.organization.slug]


def test_a_session_is_ended_from_another_browser(
    owner: Person, visit: Callable[..., Visit]
) -> None:
    lost = Person(visit(world=owner.visit.world), owner.user)
    lost.sign_in()
    lost.wait("/o/")

    owner.open("/accounts/sessions/")
    owner.page.click("main button:has-text('End the session of') >> nth=0")
    owner.page.wait_for_selector("#toasts :text('That session is signed out')")
    lost.open("/accounts/name/")

    assert lost.at().startswith("/accounts/login/")
    assert owner.page.locator("main li").count() == 1
