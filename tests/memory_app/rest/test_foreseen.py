"""What is asked along with a key gives the answers that a key by itself gives."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memory_app.rest.views.memories import Memories
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of

KNOWN = "Olive drinks tea."
BODIES: list[Any] = [
    {"content": KNOWN},
    {"content": "  olive   DRINKS tea. "},
    {"content": "Bob drinks coffee.", "tags": ["Food"]},
    {"content": "Bob drinks coffee.", "unknown": 1},
    {"content": ""},
    {"content": 7},
    {"content": None},
    {"content": "a\u0000b"},
    {"content": "x" * 10_001},
    {"memories": [{"content": "Bob drinks coffee."}]},
    {},
    [],
    "{",
    "null",
]


def outcome(answer: Any) -> tuple[int, Any, Any]:
    body = answer.json()
    return answer.status_code, body.get("code"), body.get("status")


def warm(rest: Rest) -> Rest:
    """From its second request on a key's questions travel with it."""
    rest.get("profile")
    return rest


@pytest.mark.parametrize("body", BODIES, ids=repr)
def test_a_save_answers_the_same_whether_or_not_it_was_foreseen(
    body: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E1, E4."""
    foreseen, alone = (warm(rest_of(make_world())) for _ in range(2))
    foreseen.post("memories", {"content": KNOWN})
    alone.post("memories", {"content": KNOWN})

    first = outcome(foreseen.post("memories", body))
    monkeypatch.setattr(Memories, "foresees", lambda *_: None)

    assert outcome(alone.post("memories", body)) == first


@pytest.mark.parametrize("bank", ["nowhere", "bank_01M8QW1H2D1C0G7JCDYMB6APVW", "mem_1", "%20"])
def test_a_bank_that_is_not_there_is_refused_the_same(
    bank: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = warm(rest_of(world))
    address = f"/api/v1/banks/{bank}/memories/"

    first = outcome(rest.post(address, {"content": KNOWN}))
    monkeypatch.setattr(Memories, "foresees", lambda *_: None)

    assert outcome(rest.post(address, {"content": KNOWN})) == first
    assert first[0] in (400, 404)


def test_a_strangers_bank_stays_unknown_to_a_key_that_is_known(stranger: World) -> None:
    rest = warm(rest_of(make_world()))

    answer = rest.post(f"/api/v1/banks/{stranger.bank.id}/memories/", {"content": KNOWN})

    assert answer.status_code == 404


def test_tier_cap_and_revocation_hold_for_a_key_that_is_known(settings: Settings) -> None:
    """A19, E10."""
    reader, writer = (warm(rest_of(make_world(tier=tier))) for tier in ("read", "read_write"))
    settings.DAILY_OPERATION_CAP = 1

    assert reader.post("memories", {"content": KNOWN}).status_code == 403
    assert writer.post("memories", {"content": KNOWN}).status_code == 201
    assert writer.post("memories", {"content": "Bob drinks coffee."}).status_code == 429


def test_a_save_with_a_known_key_is_three_messages_and_a_commit(rest: Rest) -> None:
    warm(rest)
    rest.save(KNOWN)

    with CaptureQueriesContext(connection) as sent:
        rest.save("Bob drinks coffee at nine.")

    assert len([query for query in sent if query["sql"] not in ("BEGIN", "COMMIT")]) == 3
