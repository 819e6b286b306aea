from __future__ import annotations

import re

import pytest
from django.core import mail
from pytest_django import Settings

from accounts.auth.sessions import memberships_of
from accounts.models import AccessEvent, User
from accounts.services.invitations import accept_invitation, invite
from accounts.tenancy import acting_as
from tests.accounts.people import join, make_user
from tests.factories import World
from tests.memory_app.rest.client import Rest, session_of

PEOPLE = "/api/v1/people"
INVITATIONS = "/api/v1/invitations"


def operations(world: World) -> list[str]:
    with acting_as(world.person):
        return list(AccessEvent.objects.order_by("-id").values_list("operation", flat=True))


def token_of(link: str) -> str:
    found = re.search(r"/invitation/([\w-]+)/", link)
    assert found is not None
    return found[1]


def test_an_invited_person_joins_by_the_link_of_the_answer(world: World) -> None:
    guest = make_user()
    client = session_of(world)

    made = client.post(INVITATIONS, {"email": guest.email, "role": "viewer"})
    listed = client.get(INVITATIONS).json()["invitations"]
    accept_invitation(guest, token_of(made.json()["link"]))
    person = client.get(f"{PEOPLE}/{guest.id}").json()

    assert made.status_code == 201
    assert [(row["email"], row["role"]) for row in listed] == [(guest.email, "viewer")]
    assert "link" not in listed[0]
    assert (person["role"], person["second_factor"]) == ("viewer", False)
    assert operations(world)[:2] == ["member.added", "invitation.created"]


def test_where_mail_goes_out_the_link_is_in_the_mail_alone(
    world: World, settings: Settings
) -> None:
    settings.EMAIL_URL = "smtp://localhost"

    made = session_of(world).post(INVITATIONS, {"email": "guest@example.com"})

    [sent] = mail.outbox
    assert sent.to == ["guest@example.com"]
    assert token_of(sent.body) not in made.content.decode()
    assert "link" not in made.json()


def test_a_repeat_under_an_idempotency_key_has_no_link_and_invites_nobody_again(
    world: World,
) -> None:
    client = session_of(world)
    body = {"email": "guest@example.com"}

    first = client.post(INVITATIONS, body, Idempotency_Key="k")
    again = client.post(INVITATIONS, body, Idempotency_Key="k")

    assert again.json()["id"] == first.json()["id"]
    assert "link" in first.json()
    assert "link" not in again.json()


def test_sent_again_and_revoked_the_earlier_links_open_nothing(world: World) -> None:
    guest = make_user()
    client = session_of(world)
    made = client.post(INVITATIONS, {"email": guest.email}).json()

    resent = client.post(f"{INVITATIONS}/{made['id']}/resend")
    revoked = client.delete(f"{INVITATIONS}/{made['id']}")
    again = client.delete(f"{INVITATIONS}/{made['id']}")

    assert resent.status_code == 201
    assert token_of(resent.json()["link"]) != token_of(made["link"])
    assert (revoked.status_code, again.status_code) == (200, 404)
    assert memberships_of(guest) == []


def test_a_role_is_given_and_a_person_removed(world: World) -> None:
    person = join(world, "member")
    client = session_of(world)

    promoted = client.patch(f"{PEOPLE}/{person.id}", {"role": "admin"})
    removed = client.delete(f"{PEOPLE}/{person.id}")

    assert promoted.json()["role"] == "admin"
    assert removed.json() == {"id": person.id, "removed": True}
    assert client.get(f"{PEOPLE}/{person.id}").status_code == 404
    assert operations(world)[:2] == ["member.removed", "member.role_changed"]


def test_the_last_owner_and_a_member_twice_are_conflicts(world: World) -> None:
    client = session_of(world)

    left = client.delete(f"{PEOPLE}/{world.owner.id}")
    invited = client.post(INVITATIONS, {"email": world.owner.email})

    assert (left.status_code, left.json()["code"]) == (409, "conflict")
    assert (invited.status_code, invited.json()["field"]) == (409, "email")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", PEOPLE, None),
        ("GET", f"{PEOPLE}/{{person}}", None),
        ("PATCH", f"{PEOPLE}/{{person}}", {"role": "viewer"}),
        ("DELETE", f"{PEOPLE}/{{person}}", None),
        ("GET", INVITATIONS, None),
        ("POST", INVITATIONS, {"email": "x@example.com"}),
        ("POST", f"{INVITATIONS}/{{invitation}}/resend", None),
        ("DELETE", f"{INVITATIONS}/{{invitation}}", None),
        ("GET", "/api/v1/access-log", None),
        ("GET", "/api/v1/binned-banks", None),
        ("PATCH", "/api/v1/organization", {"requires_mfa": True}),
        ("POST", "/api/v1/organization/deletion", {"confirm": "{slug}"}),
        ("DELETE", "/api/v1/organization/deletion", None),
        ("DELETE", "/api/v1/banks/main?confirm=main", None),
    ],
)
def test_no_key_of_an_agent_manages_access(
    rest: Rest, world: World, method: str, path: str, body: dict[str, str] | None
) -> None:
    """The agent has every tier there is; access is people's."""
    named = {
        "person": join(world, "viewer").id,
        "invitation": invite(world.person, email="guest@example.com").invitation.id,
    }
    sent = body and {
        name: value.replace("{slug}", world.organization.slug) if isinstance(value, str) else value
        for name, value in body.items()
    }
    before = operations(world)

    refused = rest.call(method, path.format(**named), sent)

    assert (refused.status_code, refused.json()["code"]) == (403, "role_insufficient")
    assert operations(world) == before


def test_a_second_factor_is_asked_for_only_by_who_has_one(world: World) -> None:
    client = session_of(world)

    refused = client.patch("/api/v1/organization", {"requires_mfa": True})
    off = client.patch("/api/v1/organization", {"requires_mfa": False})

    assert (refused.status_code, refused.json()["field"]) == (409, "requires_mfa")
    assert off.json()["requires_mfa"] is False


def test_an_organization_goes_and_stays_by_its_owner(world: World) -> None:
    client = session_of(world)
    path = "/api/v1/organization/deletion"

    wrong = client.post(path, {"confirm": "another"})
    asked = client.post(path, {"confirm": world.organization.slug})
    twice = client.post(path, {"confirm": world.organization.slug})
    kept = client.delete(path)
    again = client.delete(path)

    assert (wrong.status_code, wrong.json()["field"]) == (400, "confirm")
    assert "deletion_requested_at" in asked.json()
    assert twice.status_code == 409
    assert "deletion_requested_at" not in kept.json()
    assert again.json() == kept.json()


def test_a_demoted_person_is_refused_at_the_next_request(world: World) -> None:
    person = join(world, "admin")
    client = Rest(None)
    client.sign_in(world, User.objects.get(id=person.id))
    before = client.get(INVITATIONS).status_code

    session_of(world).patch(f"{PEOPLE}/{person.id}", {"role": "viewer"})

    assert before == 200
    assert client.get(INVITATIONS).status_code == 403
    assert client.get(PEOPLE).status_code == 200
