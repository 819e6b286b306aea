from __future__ import annotations

import threading

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import acting_as
from memory_app.models import Bank, Entity, Memory, Proposal
from memory_app.services.sample_bank import make_sample
from memory_app.services.sample_texts import DOUBTS, REPLACED
from tests.accounts.people import join
from tests.dashboard.conftest import Desk
from tests.dashboard.test_people import client_of
from tests.factories import World


def test_one_click_makes_the_sample_and_one_removes_it(desk: Desk) -> None:
    organization = f"/o/{desk.world.organization.slug}"

    made = desk.client.post(f"{organization}/sample", follow=True)
    again = desk.client.post(f"{organization}/sample", follow=True)
    listed = desk.client.get(f"{organization}/banks/").context["banks"]
    [sample] = [bank for bank in listed if bank.sample]
    desk.client.post(sample.delete_url, {"confirm": sample.slug})

    assert made.redirect_chain[-1] == again.redirect_chain[-1]
    assert "rye starter" in made.content.decode()
    assert desk.client.get(sample.url).status_code == 404


def test_of_two_clicks_at_once_one_makes_the_sample(world: World) -> None:
    made: list[str] = []

    def click() -> None:
        made.append(make_sample(world.person).id)
        connection.close()

    threads = [threading.Thread(target=click) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]

    assert len(made) == 2
    assert len(set(made)) == 1


def test_the_sample_has_something_of_everything(minilm: None, world: World) -> None:
    bank = make_sample(world.person)

    with acting_as(world.person):
        found = Memory.objects.filter(bank_id=bank.id)
        retired = found.filter(retired_at__isnull=False).count()
        pinned = found.filter(pinned_at__isnull=False).count()
        doubts = Proposal.objects.filter(bank_id=bank.id, status="open").count()
        entities = Entity.objects.filter(bank_id=bank.id, until=None).count()
    assert (retired, doubts, pinned) == (len(REPLACED), len(DOUBTS), 2)
    assert entities >= 6


def test_a_viewer_makes_no_sample(desk: Desk) -> None:
    viewer = client_of(User.objects.get(id=join(desk.world, "viewer").id))

    assert viewer.post(f"/o/{desk.world.organization.slug}/sample").status_code == 403
    with acting_as(desk.world.person):
        assert Bank.objects.count() == 1


@pytest.mark.parametrize(
    ("typed", "found"),
    [("peop", "People"), ("invite", "Invite somebody"), ("second fac", "Second factor")],
)
def test_the_palette_finds_pages_and_actions(desk: Desk, typed: str, found: str) -> None:
    assert found in desk.client.get(desk.url("palette"), {"q": typed}).content.decode()
