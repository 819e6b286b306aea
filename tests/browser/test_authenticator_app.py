"""An authenticator app and its recovery codes, by a real browser and real codes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from accounts.services.organizations import get_organization
from accounts.services.people import add_member
from tests.accounts.people import make_user
from tests.browser.account import PASSWORD, REFUSED, Person, code
from tests.browser.conftest import Visit


@pytest.fixture
def person(visit: Callable[..., Visit]) -> Person:
    here = visit()
    return Person(here, here.world.owner)


def set_up(person: Person) -> str:
    """Activate an app; its secret. The page after it holds the recovery codes."""
    person.open_guarded("/accounts/2fa/totp/activate/")
    secret = person.page.input_value("#authenticator_secret")
    person.page.fill("input[name=code]", code(secret))
    person.press("Activate")
    person.wait("/accounts/2fa/recovery-codes/")
    return str(secret)


def second_step(person: Person, given: str) -> None:
    person.sign_in()
    person.wait("/accounts/2fa/authenticate/")
    person.page.fill("input[name=code]", given)
    person.press("Sign In")


def test_a_code_of_the_app_is_asked_for_and_works_once(person: Person) -> None:
    person.sign_in()
    person.wait("/o/")
    secret = set_up(person)
    person.sign_out()
    fresh = code(secret, later=1)

    second_step(person, "000000")
    person.page.wait_for_selector(REFUSED)
    wrong = person.at()
    person.page.fill("input[name=code]", fresh)
    person.press("Sign In")
    person.wait("/o/")
    person.sign_out()
    second_step(person, fresh)
    person.page.wait_for_selector(REFUSED)

    assert wrong.startswith("/accounts/2fa/authenticate/")
    assert person.at().startswith("/accounts/2fa/authenticate/")


def test_a_recovery_code_opens_once(person: Person) -> None:
    person.sign_in()
    person.wait("/o/")
    set_up(person)
    codes = person.page.input_value("#recovery_codes").split()
    person.sign_out()

    second_step(person, codes[0])
    person.wait("/o/")
    person.sign_out()
    second_step(person, codes[0])
    person.page.wait_for_selector(REFUSED)
    again = person.at()
    person.page.fill("input[name=code]", codes[1])
    person.press("Sign In")
    person.wait("/o/")

    assert len(set(codes)) == 10
    assert again.startswith("/accounts/2fa/authenticate/")


def test_an_app_that_is_taken_off_is_not_asked_for(person: Person) -> None:
    person.sign_in()
    person.wait("/o/")
    set_up(person)

    person.open_guarded("/accounts/2fa/totp/deactivate/")
    person.press("Turn off")
    person.wait("/accounts/2fa/")
    person.sign_out()
    person.sign_in()
    person.wait("/o/")

    assert person.at().startswith("/o/")


def test_a_member_is_let_in_once_the_second_factor_is_set_up(
    visit: Callable[..., Visit], person: Person
) -> None:
    world = person.visit.world
    member = make_user()
    member.set_password(PASSWORD)
    member.save()
    add_member(world.person, member.id, "member")
    person.sign_in()
    person.wait("/o/")
    set_up(person)
    person.open(f"/o/{world.organization.slug}/settings/")
    person.press("Members must use a second factor")
    person.page.wait_for_selector("text=Members need a second factor now")

    guest = Person(visit(world=world), User.objects.get(id=member.id))
    guest.sign_in()
    guest.wait("/accounts/2fa/")
    told = guest.page.inner_text("body")
    guest.open(f"/o/{world.organization.slug}/people/")
    kept_out = guest.at()
    set_up(guest)
    guest.open(f"/o/{world.organization.slug}/people/")

    assert f"{world.organization.name} asks its members for a second factor" in told
    assert kept_out == "/accounts/2fa/"
    assert guest.page.inner_text("h1") == "People"


def test_an_owner_without_one_cannot_ask_it_of_others(person: Person) -> None:
    world = person.visit.world
    person.sign_in()
    person.wait("/o/")

    person.open(f"/o/{world.organization.slug}/settings/")
    person.press("Members must use a second factor")
    person.page.wait_for_selector("text=this would lock you out")

    assert not get_organization(world.person).requires_mfa
