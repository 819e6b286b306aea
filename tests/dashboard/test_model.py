from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command

from memory_app.models import Memory
from memory_app.providers.embedding import registry
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.services import reembedding
from tests.dashboard.conftest import Desk

OTHER = HashingEmbedder(96)


@pytest.fixture(autouse=True)
def second_model() -> Iterator[None]:
    registry.get_embedder()
    registry._embedders[OTHER.model_id] = OTHER
    yield
    registry.forget_embedders()


def test_a_person_builds_compares_switches_and_goes_back(
    desk: Desk, remember: Callable[..., Memory]
) -> None:
    remember("The staging database is reset on Mondays.")
    url = desk.url("settings/model")

    desk.client.post(url, {"action": "start", "model": OTHER.model_id})
    reembedding.build(desk.world.person, "main")
    ready = desk.client.get(url).content.decode()
    desk.client.post(url, {"action": "switch", "to": OTHER.model_id})
    switched = desk.client.get(url).content.decode()
    form = {"action": "switch", "to": desk.world.bank.embedding_model}
    back = desk.client.post(url, form, follow=True).content.decode()

    assert "1 of 1 found by both" in ready
    assert "Switch back" in switched
    assert f"answers by {desk.world.bank.embedding_model}" in back


def test_a_switch_that_is_sent_twice_does_not_go_back(
    desk: Desk, remember: Callable[..., Memory]
) -> None:
    remember("One.")
    url = desk.url("settings/model")
    desk.client.post(url, {"action": "start", "model": OTHER.model_id})
    reembedding.build(desk.world.person, "main")

    desk.client.post(url, {"action": "switch", "to": OTHER.model_id})
    again = desk.client.post(url, {"action": "switch", "to": OTHER.model_id}, follow=True)

    assert f"answers by {OTHER.model_id} now" in again.content.decode()
    assert reembedding.look_at(desk.world.person, "main").bank.embedding_model == OTHER.model_id


def test_progress_is_a_part_that_asks_again(desk: Desk, remember: Callable[..., Memory]) -> None:
    remember("One.")
    desk.client.post(desk.url("settings/model"), {"action": "start", "model": OTHER.model_id})

    part = desk.client.get(desk.url("settings/model/progress"), headers={"HX-Request": "true"})

    assert b"<html" not in part.content
    assert b"0 of 1 texts" in part.content or b"1 of 1 texts" in part.content


def test_the_command_does_the_same(
    desk: Desk, remember: Callable[..., Memory], capsys: pytest.CaptureFixture[str]
) -> None:
    remember("One.")
    named = {"bank": desk.world.bank.id}

    call_command("reembed", **named, model=OTHER.model_id)
    call_command("reembed", **named, switch=OTHER.model_id)
    told = capsys.readouterr().out

    assert f"The bank's model is {OTHER.model_id}." in told
    assert "kept, 1 of 1 texts" in told
