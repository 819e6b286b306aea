from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.test import Client

from accounts.models import User
from tests.dashboard.conftest import Desk
from tests.factories import World, make_bank


def test_nobody_signed_in_is_led_to_sign_in(desk: Desk) -> None:
    answer = Client().get(desk.url("memories/"))

    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/?next=")


def test_a_part_asked_for_after_the_session_ended_moves_the_window(desk: Desk) -> None:
    address = f"http://testserver{desk.url('memories/?q=x')}"
    headers = {"HX-Request": "true", "HX-Current-URL": address}

    answer = Client().get(desk.url("memories/?q=xy"), headers=headers)

    assert answer.status_code == 204
    assert answer["HX-Redirect"].startswith("/accounts/login/?next=/o/")


def test_the_root_leads_back_to_the_bank_last_seen(desk: Desk) -> None:
    make_bank(desk.world, "zebra")
    first = desk.client.get("/", follow=True).redirect_chain[-1][0]
    desk.client.get(desk.url("memories/").replace("/main/", "/zebra/"))

    again = desk.client.get("/", follow=True).redirect_chain[-1][0]

    assert first == desk.url("memories/")
    assert again == desk.url("memories/").replace("/main/", "/zebra/")


def test_a_bank_is_made_from_the_menu(desk: Desk) -> None:
    made = desk.client.post(
        f"/o/{desk.world.organization.slug}/", {"name": "Käse & Wein"}, follow=True
    )

    assert "is ready" in made.content.decode()
    assert "Nothing is remembered here yet" in made.content.decode()


def test_a_stranger_makes_no_bank(desk: Desk, stranger: World) -> None:
    assert desk.client.post(f"/o/{stranger.organization.slug}/", {"name": "x"}).status_code == 404


def test_somebody_without_an_organization_is_told_what_to_do() -> None:

    client = Client()
    person = User.objects.create_user("alone@example.com", "a long password 1")
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")

    page = client.get("/").content.decode()
    person.delete()

    assert "You aren’t in an organization yet" in page


def test_an_unknown_address_is_answered_kindly(desk: Desk) -> None:
    missing = desk.client.get("/no/such/page")

    assert missing.status_code == 404
    assert "There is nothing here" in missing.content.decode()


@pytest.mark.parametrize("name", ["403.html", "403_csrf.html", "404.html", "500.html"])
def test_an_error_page_is_drawn_without_a_request(name: str) -> None:
    assert "Commonplace" in render_to_string(name)
