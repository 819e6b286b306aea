from __future__ import annotations

import re

import pytest
from django.conf import settings as project
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from accounts.auth.sessions import memberships_of
from accounts.models import AccessEvent, User
from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.invitations import invite
from accounts.tenancy import acting_as
from tests.accounts.people import join, make_user
from tests.dashboard.conftest import Desk
from tests.factories import World

LINK = re.compile(r"http://testserver(/invitation/[\w-]+/)")
MAIL = "smtp://localhost"


def people_url(world: World, path: str = "") -> str:
    return f"/o/{world.organization.slug}/people/{path}"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def operations(world: World) -> list[str]:
    with acting_as(world.person):
        return list(AccessEvent.objects.order_by("-id").values_list("operation", flat=True))


@pytest.fixture
def with_mail(settings: Settings) -> None:
    settings.EMAIL_URL = MAIL


def test_an_invitation_goes_out_as_text_and_in_our_look(desk: Desk, with_mail: None) -> None:
    address = f"guest-{desk.world.organization.slug}@example.com"

    page = desk.client.post(
        people_url(desk.world, "invitations"), {"email": address, "role": "viewer"}, follow=True
    )

    [sent] = mail.outbox
    link = LINK.search(sent.body)
    assert sent.to == [address]
    assert link is not None
    assert link.group(0) in sent.alternatives[0].content
    assert desk.world.organization.name in sent.subject
    assert link.group(0) not in page.content.decode()
    assert address in page.content.decode()


def test_without_a_mail_server_the_link_is_shown_once(desk: Desk) -> None:
    sent = desk.client.post(
        people_url(desk.world, "invitations"), {"email": "g@example.com"}, follow=True
    )
    again = desk.client.get(people_url(desk.world))

    assert LINK.search(sent.content.decode())
    assert not LINK.search(again.content.decode())


def test_a_mail_server_that_is_down_loses_no_invitation(
    desk: Desk, with_mail: None, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9

    page = desk.client.post(
        people_url(desk.world, "invitations"), {"email": "g@example.com"}, follow=True
    )

    assert LINK.search(page.content.decode())


def test_an_existing_person_joins_by_a_button_and_not_by_a_look(desk: Desk) -> None:
    user = make_user()
    token = invite(desk.world.person, email=user.email, role="viewer").token
    client = client_of(user)

    looked = client.get(f"/invitation/{token}/")
    before = memberships_of(user)
    client.post(f"/invitation/{token}/")
    again = client.post(f"/invitation/{token}/", follow=True)

    assert "Join" in looked.content.decode()
    assert before == []
    assert [m.role for m in memberships_of(user)] == ["viewer"]
    assert "used or withdrawn" in again.content.decode()


def test_the_invited_address_stands_in_the_form_of_a_new_account(desk: Desk) -> None:
    token = invite(desk.world.person, email="guest+one@example.com").token
    visitor = Client()

    page = visitor.get(f"/invitation/{token}/").content.decode()
    form = visitor.get("/accounts/signup/?email=guest%2Bone@example.com").content.decode()

    assert 'href="/accounts/signup/?email=guest%2Bone@example.com"' in page
    assert 'value="guest+one@example.com"' in form


def test_somebody_elses_invitation_joins_nobody(desk: Desk) -> None:
    other = make_user()
    token = invite(desk.world.person, email="guest@example.com").token
    client = client_of(other)

    page = client.get(f"/invitation/{token}/").content.decode()
    client.post(f"/invitation/{token}/")

    assert f"signed in as <bdi>{other.email}" in page
    assert memberships_of(other) == []


def test_the_page_is_alike_for_known_and_unknown_addresses(desk: Desk) -> None:
    known = make_user()
    pages = []
    for address in (known.email, "unknown@example.com"):
        token = invite(desk.world.person, email=address).token
        page = Client().get(f"/invitation/{token}/").content.decode()
        pages.append(page.replace(address, "X").replace(token, "T"))

    assert pages[0] == pages[1]


def test_sent_again_the_first_link_opens_nothing(desk: Desk) -> None:
    issued = invite(desk.world.person, email="guest@example.com")
    url = people_url(desk.world, f"invitations/{issued.invitation.id}")

    page = desk.client.post(url, {"action": "resend"}, follow=True).content.decode()

    fresh = LINK.search(page)
    assert fresh is not None
    assert Client().get(f"/invitation/{issued.token}/").status_code == 302
    assert Client().get(fresh.group(1)).status_code == 200


def test_withdrawn_the_link_opens_nothing(desk: Desk) -> None:
    issued = invite(desk.world.person, email="guest@example.com")
    url = people_url(desk.world, f"invitations/{issued.invitation.id}")

    desk.client.post(url, {"action": "withdraw"})

    assert Client().get(f"/invitation/{issued.token}/").status_code == 302
    assert operations(desk.world)[0] == "invitation.withdrawn"


def test_a_role_is_changed_and_stands_in_the_log(desk: Desk) -> None:
    person = join(desk.world, "member")

    page = desk.client.post(
        people_url(desk.world, f"members/{person.id}"), {"role": "viewer"}, follow=True
    )
    log = desk.client.get(f"/o/{desk.world.organization.slug}/access-log/").content.decode()

    assert "is viewer now" in page.content.decode()
    assert "member → viewer" in log


def test_the_last_owner_stays(desk: Desk) -> None:
    url = people_url(desk.world, f"members/{desk.world.owner.id}")

    left = desk.client.post(url, {"action": "remove", "next": people_url(desk.world)}, follow=True)

    assert "last owner" in left.content.decode()
    assert [m.role for m in memberships_of(desk.world.owner)] == ["owner"]


def test_whoever_leaves_is_out(desk: Desk) -> None:
    person = join(desk.world, "member")
    client = client_of(User.objects.get(id=person.id))

    client.post(people_url(desk.world, f"members/{person.id}"), {"action": "remove"})

    assert client.get(people_url(desk.world)).status_code == 404


def test_a_member_sees_people_and_manages_none(desk: Desk) -> None:
    person = join(desk.world, "member")
    client = client_of(User.objects.get(id=person.id))

    page = client.get(people_url(desk.world)).content.decode()
    refused = client.post(people_url(desk.world, "invitations"), {"email": "x@example.com"})
    log = client.get(f"/o/{desk.world.organization.slug}/access-log/")

    assert desk.world.owner.email in page
    assert "Send the invitation" not in page
    assert refused.status_code == log.status_code == 403


def test_people_come_in_pages_at_a_constant_cost(
    desk: Desk, django_assert_num_queries: object
) -> None:
    for _ in range(55):
        join(desk.world, "viewer")

    first = desk.client.get(people_url(desk.world))
    second = desk.client.get(first.context["older_url"])

    assert (len(first.context["people"]), len(second.context["people"])) == (50, 6)


def test_an_organization_without_a_bank_has_people_too(desk: Desk) -> None:
    made = desk.client.post("/organizations/new", {"name": "Second"}, follow=True)
    slug = made.redirect_chain[-1][0].split("/")[2]

    page = desk.client.get(f"/o/{slug}/people/")

    assert page.status_code == 200
    assert desk.world.owner.email in page.content.decode()


def test_only_who_runs_an_organization_makes_another(desk: Desk) -> None:
    person = join(desk.world, "member")
    client = client_of(User.objects.get(id=person.id))

    refused = client.post("/organizations/new", {"name": "Mine"})

    assert refused.status_code == 403
    assert not project.ACCOUNT_SIGNUP_OPEN


def test_hostile_names_are_text_on_every_screen_of_access(desk: Desk) -> None:
    """Names, descriptions and a browser's own name come from people; none of them runs."""
    hostile = "<img src=x onerror=alert(1)>"
    world = desk.world
    User.objects.filter(id=world.owner.id).update(name=hostile)
    desk.client.post(f"/o/{world.organization.slug}/settings/", {"name": hostile})
    desk.client.post(desk.url("settings/"), {"name": hostile, "description": hostile})
    agent = create_agent(world.person, name=hostile, description=hostile)
    issue_key(world.person, agent=agent.id, name=hostile)
    desk.client.post(people_url(world, "invitations"), {"email": "guest@example.com"})
    cache.clear()

    pages = [
        desk.client.get(path, headers={"User-Agent": hostile}).content.decode()
        for path in (
            people_url(world),
            f"/o/{world.organization.slug}/settings/",
            f"/o/{world.organization.slug}/banks/",
            f"/o/{world.organization.slug}/access-log/",
            desk.url("settings/"),
            desk.url("settings/model"),
            desk.url("agents/"),
            desk.url(f"agents/{agent.id}/"),
            "/accounts/name/",
            "/accounts/sessions/",
        )
    ]

    assert [page.count(hostile) for page in pages] == [0] * len(pages)
    assert all("&lt;img" in page for page in pages)


def test_a_person_without_a_password_is_said_to_have_none(desk: Desk) -> None:
    owner = desk.world.owner
    owner.set_unusable_password()
    owner.save()
    join(desk.world, "member")

    page = client_of(owner).get(people_url(desk.world)).content.decode()

    assert page.count("No password set") == 2
    assert "Password only" not in page
