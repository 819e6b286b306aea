"""A person at the account pages in Chromium, with an authenticator app and a device for passkeys."""

from __future__ import annotations

from collections.abc import Callable
from time import time
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache

from accounts.models import User
from tests.browser.conftest import Visit

PASSWORD = "a long password 1"
STEP_SECONDS = 30
# Where a form or the browser says why not.
REFUSED = "main p.text-error, main [role=alert]:visible"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


class Person:
    """One browser of one person; nobody is signed in at first."""

    def __init__(self, visit: Visit, user: User) -> None:
        cache.clear()  # the limits against guessing count what other tests did from this address
        visit.page.context.clear_cookies()
        self.visit, self.user = visit, user
        self.page: Any = visit.page
        # A passkey belongs to a name; an address of numbers has none.
        self.base = visit.base.replace("127.0.0.1", "localhost")

    def open(self, path: str) -> None:
        self.page.goto(self.base + path)

    def open_guarded(self, path: str) -> None:
        """A page that asks for the password once more before it opens."""
        self.open(path)
        self.say_who()
        self.wait(path)

    def say_who(self) -> None:
        """Give the password where it is asked for once more."""
        if self.at().startswith("/accounts/reauthenticate/"):
            self.page.fill("input[name=password]", PASSWORD)
            self.press("Go on")

    def sign_in(self, password: str = PASSWORD) -> None:
        """Password and address; a second factor, if there is one, is asked for after this."""
        self.open("/accounts/login/")
        self.page.fill("input[name=login]", self.user.email)
        self.page.fill("input[name=password]", password)
        self.page.click("main button:text-is('Sign in')")

    def sign_out(self) -> None:
        """Forget the session and keep the browser, as on another day."""
        self.page.context.clear_cookies()

    def press(self, label: str) -> None:
        self.page.click(f"main >> :is(button, a):text-is('{label}')")

    def wait(self, path: str) -> None:
        """Until the browser is at an address that starts like this."""
        self.page.wait_for_url(lambda url: url.startswith(self.base + path))

    def at(self) -> str:
        return str(self.page.url).removeprefix(self.base)

    def plug_in(self) -> Callable[[], int]:
        """A device that makes and keeps passkeys; how many it holds."""
        wire = self.page.context.new_cdp_session(self.page)
        wire.send("WebAuthn.enable")
        device = wire.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
        return lambda: len(wire.send("WebAuthn.getCredentials", device)["credentials"])


def code(secret: str, *, later: int = 0) -> str:
    """What an authenticator app shows now, or so many steps later: a code works once."""
    return str(format_hotp_value(hotp_value(secret, int(time()) // STEP_SECONDS + later)))
