"""What an open page hears, and who may listen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from accounts.models import Membership
from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.live import endpoint
from memory_app.models import Bank, Memory
from memory_app.recall.values import Query
from memory_app.services import live, memories, recalling
from tests.factories import World

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def signed_in(world: World) -> Client:
    client = Client()
    client.force_login(world.owner, backend=BACKEND)
    return client


@contextmanager
def listening(
    live_url: str, world: World, client: Client, *, bank: str = "main", origin: str | None = None
) -> Iterator[ClientConnection]:
    address = live_url.replace("http", "ws") + f"/ws/o/{world.organization.slug}/{bank}/live"
    cookie = client.cookies.get("sessionid")
    headers = {"Cookie": f"sessionid={cookie.value}"} if cookie else {}
    with connect(
        address, origin=origin or live_url, additional_headers=headers, open_timeout=10
    ) as socket:
        yield socket


def heard(socket: ClientConnection, seconds: float = 5.0) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = json.loads(socket.recv(timeout=seconds))["kinds"]
    return kinds


def save(world: World, text: str = "The office closes at six.") -> Memory:
    return memories.save(world.caller, "main", parse_draft(content=text)).memory


def drain(socket: ClientConnection, seconds: float) -> None:
    while True:
        socket.recv(timeout=seconds)


def announce_and_fail(world: World) -> None:
    with acting_as(world.person):
        live.announce(world.bank.id, "memory", "mem_never")
        raise RuntimeError


def closed_with(socket: ClientConnection, seconds: float = 5.0) -> int:
    with pytest.raises(ConnectionClosed) as closed:
        drain(socket, seconds)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def test_a_page_hears_of_a_memory_within_a_second_and_never_what_it_says(
    world: World, signed_in: Client, live_url: str
) -> None:
    with listening(live_url, world, signed_in) as socket:
        assert heard(socket) == {}
        tries = [_told(socket, world, f"The alarm code {number} is 4711.") for number in range(3)]

    assert min(seconds for seconds, _, _ in tries) < 1
    assert all(saved.id in json.loads(raw)["kinds"]["memory"] for _, saved, raw in tries)
    assert not any("4711" in raw for _, _, raw in tries)


def _told(socket: ClientConnection, world: World, text: str) -> tuple[float, Memory, str]:
    """How long after the commit the page heard of it. A busy machine may be slow once."""
    saved = save(world, text)
    committed = time.monotonic()
    raw = _next_about(socket, saved.id)
    return time.monotonic() - committed, saved, raw


def _next_about(socket: ClientConnection, memory_id: str) -> str:
    told = iter(lambda: str(socket.recv(timeout=5)), None)
    return next(raw for raw in told if memory_id in raw)


def test_a_page_hears_of_a_search(world: World, signed_in: Client, live_url: str) -> None:
    with listening(live_url, world, signed_in) as socket:
        heard(socket)
        answer = recalling.search(world.caller, "main", Query(text="office"))
        assert heard(socket) == {"recall": [answer.recall_id]}


def test_another_organizations_pages_hear_nothing(
    world: World, stranger: World, signed_in: Client, live_url: str
) -> None:
    with listening(live_url, world, signed_in) as socket:
        heard(socket)
        save(stranger, "Nobody else's business.")
        mine = save(world)
        assert heard(socket)["memory"] == [mine.id]


@pytest.mark.parametrize("bank", ["main", "no-such-bank", "mem_nothing", "%2e%2e", "é"])
def test_a_strangers_bank_and_an_unknown_one_close_alike(
    bank: str, stranger: World, signed_in: Client, live_url: str
) -> None:
    with listening(live_url, stranger, signed_in, bank=bank) as socket:
        assert closed_with(socket) == 4403


def test_nobody_listens_without_a_session(world: World, live_url: str) -> None:
    with listening(live_url, world, Client()) as socket:
        assert closed_with(socket) == 4401


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:1", "http://"]
)
def test_another_sites_page_is_refused_before_its_cookies_are_read(
    origin: str, world: World, signed_in: Client, live_url: str
) -> None:
    with (
        pytest.raises(InvalidStatus) as refused,
        listening(live_url, world, signed_in, origin=origin),
    ):
        pass
    assert refused.value.response.status_code == 403


def sign_out(world: World, client: Client) -> None:
    client.logout()


def change_password(world: World, client: Client) -> None:
    world.owner.set_password("quite another one 2")
    world.owner.save()


def leave(world: World, client: Client) -> None:
    with acting_as(world.person):
        Membership.objects.filter(organization=world.organization, user=world.owner).delete()


def lose_sight(world: World, client: Client) -> None:
    with acting_as(world.person):
        Bank.objects.filter(id=world.bank.id).update(visibility="private", created_by="user_x")
        Membership.objects.filter(organization=world.organization).update(role="viewer")


@pytest.mark.parametrize(
    ("end", "code"),
    [(sign_out, 4401), (change_password, 4401), (leave, 4403), (lose_sight, 4403)],
)
def test_a_socket_closes_when_its_right_ends(
    end: Callable[[World, Client], None],
    code: int,
    world: World,
    signed_in: Client,
    live_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endpoint, "CHECK_SECONDS", 0.1)
    with listening(live_url, world, signed_in) as socket:
        heard(socket)
        end(world, signed_in)
        assert closed_with(socket) == code


def test_a_page_that_speaks_is_shown_out(world: World, signed_in: Client, live_url: str) -> None:
    with listening(live_url, world, signed_in) as socket:
        socket.send("hello")
        assert closed_with(socket) == 1008


def test_one_person_holds_a_limited_number_of_sockets(
    world: World, signed_in: Client, live_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "SOCKETS_MOST", 1)
    with listening(live_url, world, signed_in) as first:
        heard(first)
        with listening(live_url, world, signed_in) as second:
            assert closed_with(second) == 4429


def test_what_was_rolled_back_is_not_told(world: World, signed_in: Client, live_url: str) -> None:
    with listening(live_url, world, signed_in) as socket:
        heard(socket)
        with pytest.raises(RuntimeError):
            announce_and_fail(world)
        mine = save(world)
        assert heard(socket)["memory"] == [mine.id]


class Frozen:
    async def group_send(self, group: str, message: Any) -> None:
        raise OSError("the layer is away")


def test_a_layer_that_is_away_fails_no_write(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "get_channel_layer", Frozen)
    saved = save(world)
    assert memories.pin(world.person, "main", saved.id).id == saved.id


def test_telling_costs_a_write_less_than_a_fifth_of_a_millisecond(world: World) -> None:
    started = time.process_time()
    for number in range(1_000):
        live.announce(world.bank.id, "memory", f"mem_{number}")
    assert (time.process_time() - started) / 1_000 < 0.0002


def test_a_large_batch_is_told_without_its_ids() -> None:
    taken_before = live._taken()
    for number in range(live.IDS_MOST + 1):
        live._waiting.append(("bank_x", "memory", (f"mem_{number}",)))
    assert taken_before is not None
    assert live._taken()["bank_x"] == {"memory": []}
