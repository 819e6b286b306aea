"""Passkeys, made and used by a real browser with a virtual device."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.account import Person
from tests.browser.conftest import Visit


@pytest.fixture
def person(visit: Callable[..., Visit]) -> Person:
    here = visit()
    return Person(here, here.world.owner)


def add_passkey(person: Person, name: str, *, passwordless: bool) -> None:
    person.open_guarded("/accounts/2fa/webauthn/add/")
    person.page.fill("input[name=name]", name)
    person.page.set_checked("input[name=passwordless]", passwordless)
    person.press("Add")
    person.wait("/accounts/2fa/recovery-codes/")


def test_a_passkey_signs_in_without_a_password_until_it_is_removed(person: Person) -> None:
    held = person.plug_in()
    person.sign_in()
    person.wait("/o/")

    add_passkey(person, "My laptop", passwordless=True)
    person.sign_out()
    person.open("/accounts/login/")
    person.page.click("#passkey_login")
    person.wait("/o/")
    person.open_guarded("/accounts/2fa/webauthn/")
    listed = person.page.inner_text("main")
    person.page.click("main a:has-text('Remove')")
    person.page.wait_for_load_state()
    person.say_who()
    person.press("Remove")
    person.wait("/accounts/2fa/webauthn/")
    left = person.page.inner_text("main")
    person.sign_out()
    person.open("/accounts/login/")
    person.page.click("#passkey_login")
    person.page.wait_for_selector("text=a removed passkey no longer counts")

    assert held() == 1
    assert "My laptop" in listed
    assert "Passkey" in listed
    assert "My laptop" not in left
    assert person.at().startswith("/accounts/login/")


def test_a_security_key_is_asked_for_after_the_password(person: Person) -> None:
    person.plug_in()
    person.sign_in()
    person.wait("/o/")
    add_passkey(person, "Key ring", passwordless=False)
    person.sign_out()

    person.sign_in()
    person.wait("/accounts/2fa/authenticate/")
    person.open(f"/o/{person.visit.world.organization.slug}/")
    outside = person.page.locator("main").inner_text()
    person.open("/accounts/2fa/authenticate/")
    person.press("Use a security key")
    person.wait("/o/")

    assert person.visit.world.organization.name not in outside
    assert person.visit.said == []


def test_what_the_browser_refuses_is_said_on_the_page(person: Person) -> None:
    """A device without the person's passkey, and one that holds it already."""
    person.plug_in()
    person.open("/accounts/login/")
    person.page.click("#passkey_login")
    person.page.wait_for_selector("#passkey-problem:visible")
    unknown = person.page.inner_text("#passkey-problem")

    person.sign_in()
    person.wait("/o/")
    add_passkey(person, "My laptop", passwordless=True)
    person.open_guarded("/accounts/2fa/webauthn/add/")
    person.page.fill("input[name=name]", "Once more")
    person.page.check("input[name=passwordless]")
    person.press("Add")
    person.page.wait_for_selector("#passkey-problem:visible")

    assert "no passkey for this account" in unknown
    assert "already" in person.page.inner_text("#passkey-problem")
    assert person.at() == "/accounts/2fa/webauthn/add/"
