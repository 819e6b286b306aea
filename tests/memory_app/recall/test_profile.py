"""The profile: pinned first, then most often recalled, then newest (E3)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.recall import Filters
from memory_app.services import memories
from tests.factories import World
from tests.memory_app.recall.asking import ask, contents, save, save_all


@pytest.fixture
def filled(world: World) -> World:
    rows = save_all(world, ["Oldest.", "Often recalled.", "Pinned early.", "Pinned late.", "New."])
    memories.pin(world.person, "main", rows[2].id)
    memories.pin(world.person, "main", rows[3].id)
    with acting_as(world.person):
        Memory.objects.filter(bank_id=world.bank.id, id=rows[1].id).update(recall_count=9)
    return world


def test_pinned_then_often_recalled_then_newest(filled: World) -> None:
    result = ask(filled, limit=20)

    assert contents(result) == [
        "Pinned late.",
        "Pinned early.",
        "Often recalled.",
        "New.",
        "Oldest.",
    ]
    assert result.profile
    assert [hit.score for hit in result.hits] == [None] * 5
    assert [hit.rank for hit in result.hits] == [1, 2, 3, 4, 5]


def test_the_profile_embeds_nothing(filled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HashingEmbedder, "embed", None)

    assert len(ask(filled).hits) == 5


def test_the_limit_cuts_after_the_pinned_ones(filled: World) -> None:
    assert contents(ask(filled, limit=3)) == ["Pinned late.", "Pinned early.", "Often recalled."]


def test_retired_ones_are_not_in_it_unless_asked_for(filled: World) -> None:
    """E6."""
    often = ask(filled, limit=3).hits[2].memory
    memories.retire(filled.person, "main", often.id)

    assert "Often recalled." not in contents(ask(filled))
    assert "Often recalled." in contents(ask(filled, filters=Filters(include_retired=True)))


def test_filters_hold_without_a_query(filled: World) -> None:
    save(filled, "Tagged.", tags=["ops"], category="runbook")

    assert contents(ask(filled, filters=Filters(tags=("ops",)))) == ["Tagged."]
    assert contents(ask(filled, filters=Filters(pinned=True))) == ["Pinned late.", "Pinned early."]
    assert contents(ask(filled, filters=Filters(category="runbook", pinned=True))) == []


def test_the_profile_costs_the_same_for_five_and_for_fifty(filled: World) -> None:
    with CaptureQueriesContext(connection) as few:
        ask(filled)
    save_all(filled, [f"Another statement, number {number}." for number in range(45)])
    with CaptureQueriesContext(connection) as many:
        ask(filled, limit=50)

    assert len(many) == len(few)


def test_a_stranger_sees_nothing_of_it(filled: World, stranger: World) -> None:
    assert ask(stranger).hits == ()
