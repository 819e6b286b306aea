from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_app.domain.values import parse_draft
from memory_app.providers.embedding import registry
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.services import memories, reembedding
from tests.factories import World
from tests.memory_app.rest.client import Rest, session_of

OTHER = HashingEmbedder(96)
PATH = "/api/v1/banks/main/reembedding"


@pytest.fixture(autouse=True)
def second_model() -> Iterator[None]:
    registry.get_embedder()
    registry._embedders[OTHER.model_id] = OTHER
    yield
    registry.forget_embedders()


def test_a_person_migrates_a_bank_over_rest(world: World) -> None:
    memories.save(world.person, "main", parse_draft(content="One."))
    client = session_of(world)

    started = client.post(PATH, {"model": OTHER.model_id})
    reembedding.build(world.person, "main")
    ready = client.get(PATH).json()
    switched = client.post(f"{PATH}/switch", {"to": OTHER.model_id}).json()
    again = client.post(f"{PATH}/switch", {"to": OTHER.model_id}).json()
    dropped = client.delete(PATH).json()

    assert started.status_code == 201
    assert (ready["second"]["status"], ready["second"]["done"]) == ("ready", 1)
    assert switched["model"] == OTHER.model_id
    assert again == switched
    assert switched["second"]["status"] == "kept"
    assert "second" not in dropped


def test_a_switch_names_its_model_and_one_that_is_built(world: World) -> None:
    client = session_of(world)

    unnamed = client.post(f"{PATH}/switch")
    unbuilt = client.post(f"{PATH}/switch", {"to": OTHER.model_id})

    assert (unnamed.status_code, unnamed.json()["field"]) == (400, "to")
    assert (unbuilt.status_code, unbuilt.json()["code"]) == (409, "conflict")


def test_an_agent_changes_no_model(rest: Rest) -> None:
    refused = rest.post(PATH, {"model": OTHER.model_id})
    switched = rest.post(f"{PATH}/switch", {"to": OTHER.model_id})

    assert refused.status_code == switched.status_code == 403
