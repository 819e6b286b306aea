"""What a screen shows on the way: an import in each state, refused forms, pages of faults, the account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import OperationalError

from accounts.services.invitations import invite
from accounts.services.people import add_member
from accounts.tenancy import acting_as
from memory_app.models import ImportJob
from memory_app.services import importing
from memory_app.services.importing import Upload
from tests.accounts.people import make_user
from tests.browser.account import Person
from tests.browser.conftest import Visit
from tests.browser.test_authenticator_app import second_step, set_up
from tests.factories import make_world

# Of a refused form the browser itself says that the page is no success.
REFUSED = "error: Failed to load resource: the server responded with a status of"
# The screen's own form with nothing in it, as a browser sends it that checks nothing.
SEND_EMPTY = """() => {
  const form = document.querySelector("main form[method=post]");
  const typed = "textarea, input:not([type=hidden], [type=radio], [type=checkbox])";
  for (const field of form.querySelectorAll(typed)) field.value = "";
  form.submit();
}"""
GUARDED = (
    "/accounts/2fa/",
    "/accounts/2fa/recovery-codes/",
    "/accounts/2fa/recovery-codes/generate/",
    "/accounts/2fa/totp/deactivate/",
    "/accounts/2fa/webauthn/",
    "/accounts/2fa/webauthn/add/",
)


def test_an_import_is_clean_in_each_state(visit: Callable[..., Visit]) -> None:
    world = make_world(tier="full")
    table = Upload(name="stock.csv", chunks=iter([b"text,tags\nThe shelf is full.,stock\n,\n"]))
    job = importing.receive(world.person, "main", [table])
    here = visit(world=world)

    found = {}
    for status in ImportJob.Status.values:
        with acting_as(world.person):
            ImportJob.objects.filter(bank_id=job.bank_id, id=job.id).update(
                status=status, error="Once."
            )
        here.open(f"import/{job.id}/")
        found[status] = here.faults()

    assert not any(found.values()), found
    assert here.said == []


def test_a_refused_form_is_clean(visit: Callable[..., Visit]) -> None:
    here = visit()

    found = {}
    for screen in ("memories/new", "tests/new"):
        here.open(screen)
        with here.page.expect_navigation() as answer:
            here.page.evaluate(SEND_EMPTY)
        found[screen] = [*here.faults(), *_unless(answer.value, 422)]

    assert not any(found.values()), found
    assert [line for line in here.said if not line.startswith(f"{REFUSED} 422")] == []


def test_what_cannot_be_shown_says_so_on_a_clean_page(
    visit: Callable[..., Visit], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing there, not allowed, no such view, and the server's own faults."""
    here = visit()

    found = {"memories/none/": _answered(here, "memories/none/", 404)}
    found["graph/"] = _answered(here, "graph/?depth=99", 422)
    found["bulk"] = _answered(here, "memories/bulk?action=none", 400)
    for error, status in ((OperationalError("gone"), 503), (ZeroDivisionError(), 500)):
        with monkeypatch.context() as broken:
            broken.setattr("dashboard.views.usage.load_sidebar", _raising(error))
            found[str(status)] = _answered(here, "usage/", status)

    assert not any(found.values()), found
    assert [line for line in here.said if not line.startswith(REFUSED)] == []


def test_the_pages_before_and_around_signing_in_are_clean(visit: Callable[..., Visit]) -> None:
    here = visit()
    token = invite(here.world.person, email="new@example.com").token
    person = Person(here, here.world.owner)

    found = {}
    for path in (
        "/accounts/login/",
        "/accounts/password/reset/",
        "/accounts/password/reset/done/",
        f"/invitation/{token}/",
        "/accounts/signup/",
    ):
        person.open(path)
        found[path] = here.faults()
    person.sign_in("not the password")
    person.page.wait_for_selector("main [role=alert], main .text-error")
    found["a wrong password"] = here.faults()

    assert not any(found.values()), found
    assert here.said == []


def test_the_pages_of_a_second_factor_are_clean(visit: Callable[..., Visit]) -> None:
    world = make_world(tier="full")
    here = visit(world=world)
    person = Person(here, world.owner)
    person.sign_in()
    person.wait("/o/")
    person.open("/accounts/reauthenticate/")

    found = {"the password once more": here.faults()}
    person.open_guarded("/accounts/2fa/totp/activate/")
    person.page.fill("input[name=code]", "000000")
    person.press("Activate")
    person.page.wait_for_selector("main .text-error")
    found["a wrong code"] = here.faults()
    set_up(person)
    for path in GUARDED:
        person.open(path)
        found[path] = here.faults()
    person.sign_out()
    second_step(person, "000000")
    person.page.wait_for_selector("main p.text-error, main [role=alert]:visible")
    found["the second step"] = here.faults()

    assert not any(found.values()), found
    assert here.said == []


def test_a_person_without_the_role_is_told_on_a_clean_page(visit: Callable[..., Visit]) -> None:
    world = make_world(tier="full")
    member = make_user()
    add_member(world.person, member.id, "member")
    here = visit(world=replace(world, owner=member))

    assert _answered(here, "../access-log/", 403) == []


def _answered(here: Visit, path: str, status: int) -> list[str]:
    answer = here.open(path)
    return [*here.faults(), *_unless(answer, status)]


def _unless(answer: Any, status: int) -> list[str]:
    return [f"answered {answer.status}"] * (answer.status != status)


def _raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail
