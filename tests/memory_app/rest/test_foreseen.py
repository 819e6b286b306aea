"""What is asked along with a key gives the answers that a key by itself gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from accounts.tenancy import acting_as
from memory_app.models import Bank, Cell
from memory_app.providers.embedding import get_embedder, registry
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.providers.embedding.protocol import Kind, Vectors
from memory_app.rest.views.memories import Memories
from memory_app.services.memories.embedding import embedded_text
from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of

KNOWN = "Olive drinks tea."
BODIES: list[Any] = [
    {"content": KNOWN},
    {"content": "  olive   DRINKS tea. "},
    {"content": "Bob drinks coffee.", "tags": ["Food"]},
    {"content": "Bob drinks coffee.", "title": "Breakfast"},
    {"content": "Bob drinks coffee.", "title": 7},
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


class Opposite(HashingEmbedder):
    """Another model of the same length."""

    def __init__(self) -> None:
        super().__init__()
        self.model_id = "opposite:384"

    def embed(
        self, texts: Sequence[str], *, kind: Kind = "passage", timeout: float | None = None
    ) -> Vectors:
        return -super().embed(texts, kind=kind, timeout=timeout)


def stored_vector(world: World, memory_id: str) -> Any:
    with acting_as(world.person):
        return Cell.objects.get(bank_id=world.bank.id, memory_id=memory_id).embedding


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


@pytest.mark.parametrize("title", ["", "Breakfast"])
def test_a_text_embedded_ahead_is_stored_with_the_vector_of_its_title_and_content(
    title: str, world: World
) -> None:
    """E1."""
    rest = warm(rest_of(world))

    saved = rest.post("memories", {"content": KNOWN, "title": title}).json()["memory"]

    expected = get_embedder().embed([embedded_text(title, KNOWN)])[0]
    assert np.allclose(stored_vector(world, saved["id"]), expected, atol=1e-3)


def test_a_bank_of_another_model_never_takes_a_vector_begun_by_the_servers_own(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Opposite()
    monkeypatch.setitem(registry._embedders, other.model_id, other)
    with acting_as(world.person):
        Bank.objects.filter(id=world.bank.id).update(embedding_model=other.model_id)
    rest = warm(rest_of(world))

    saved = rest.post("memories", {"content": KNOWN}).json()["memory"]

    assert np.allclose(stored_vector(world, saved["id"]), other.embed([KNOWN])[0], atol=1e-3)
