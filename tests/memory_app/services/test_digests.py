from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.test import Client

from accounts.actor import JUDGE
from accounts.models import Membership, User
from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Bank, Digest
from memory_app.queries.access import resolve
from memory_app.services import digests, ledger, memories
from memory_app.services.proposing import propose
from tests.factories import World, make_world

MORNING = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def doubted(world: World) -> World:
    """A bank where one question waits."""
    old, new = (
        memories.save(world.caller, "main", parse_draft(content=text)).memory
        for text in ("The limit is 100 requests a minute.", "Nobody limits requests these days.")
    )
    with acting_as(world.person), ledger.opened(resolve(world.person, "main")) as book:
        propose(
            book,
            kind="contradiction",
            old=old,
            new=new,
            confidence=0.7,
            evidence={},
            created_by=JUDGE,
        )
    return world


def send(world: World, moment: datetime = MORNING) -> Sequence[Any]:
    """The mails that a run sends to people of this world."""
    before = len(mail.outbox)
    digests.send_due(moment)
    return [each for each in mail.outbox[before:] if world.organization.name in str(each.body)]


def test_a_person_gets_one_mail_a_day_when_something_waits(doubted: World) -> None:
    """F4: a daily digest, none twice however often the clock strikes."""
    first, again, tomorrow = (
        send(doubted),
        send(doubted),
        send(doubted, MORNING + timedelta(days=1)),
    )

    assert (len(first), len(again), len(tomorrow)) == (1, 0, 1)
    assert first[0].to == [doubted.owner.email]
    assert first[0].subject == f"1 to decide in {doubted.organization.name}"
    assert "1 contradiction" in first[0].body
    html = first[0].alternatives[0]
    assert f"/o/{doubted.organization.slug}/main/review/" in html[0]
    assert re.findall(r'class="button"[^>]*>([^<]+)<', html[0]) == ["Decide them"]
    assert re.search(
        r'<p class="below"><a href="[^"]+/digest/stop/[^"]+">Stop this mail</a>', html[0]
    )


def test_nobody_is_mailed_when_nothing_waits_or_before_the_hour(
    world: World, doubted: World
) -> None:
    empty = make_world()

    assert send(empty) == []
    assert send(doubted, MORNING.replace(hour=6)) == []


def test_a_mail_that_was_lost_is_not_sent_again_the_same_day(
    doubted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise OSError("the mail server is away")

    with monkeypatch.context() as broken:
        broken.setattr(digests, "_message", refuse)
        lost = send(doubted)

    assert (lost, send(doubted)) == ([], [])
    assert len(send(doubted, MORNING + timedelta(days=1))) == 1


def test_a_viewer_and_a_stranger_to_a_private_bank_get_none(doubted: World) -> None:
    viewer = _join(doubted, "viewer")
    member = _join(doubted, "member")
    with acting_as(doubted.person):
        Bank.objects.filter(id=doubted.bank.id).update(visibility="private")

    told = [each.to[0] for each in send(doubted)]

    assert told == [doubted.owner.email]
    assert not {viewer.email, member.email} & set(told)


def test_the_link_in_the_mail_stops_it_without_signing_in(doubted: World) -> None:
    message = send(doubted)[0]
    address = urlsplit(message.extra_headers["List-Unsubscribe"].strip("<>")).path
    visitor = Client(enforce_csrf_checks=True)

    asked = visitor.get(address).content.decode()
    still = digests.wanted(doubted.person)
    stopped = visitor.post(address, ONE_CLICK)

    assert "Stop the daily mail?" in asked
    assert still
    assert stopped.status_code == 200
    assert not digests.wanted(doubted.person)
    assert send(doubted, MORNING + timedelta(days=1)) == []


def test_a_forged_link_is_not_found(doubted: World) -> None:
    address = urlsplit(send(doubted)[0].extra_headers["List-Unsubscribe"].strip("<>")).path

    assert Client().post(f"{address[:-2]}xx").status_code == 404
    assert digests.wanted(doubted.person)


def test_each_organizations_mail_is_stopped_by_itself(doubted: World, stranger: World) -> None:
    digests.choose(doubted.person, wants=False)
    elsewhere = replace(doubted.person, organization_id=stranger.organization.id)

    assert digests.wanted(elsewhere)
    with acting_as(stranger.person):
        assert not Digest.objects.exists()


def test_names_can_not_break_out_of_the_mail(doubted: World) -> None:
    with acting_as(doubted.person):
        Bank.objects.filter(id=doubted.bank.id).update(name="<img src=x onerror=alert(1)>")

    html = send(doubted)[0].alternatives[0][0]

    assert "<img" not in html
    assert re.search("&lt;img", html)


def _join(world: World, role: str) -> User:
    person = User.objects.create_user(f"{role}-{world.organization.slug}@example.com")
    with acting_as(world.person):
        Membership.objects.create(organization=world.organization, user=person, role=role)
    return person
