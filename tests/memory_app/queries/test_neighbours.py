from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Memory
from memory_app.providers.embedding import get_embedder
from memory_app.queries.neighbours import MATRIX_FROM, BankVectors, Near, nearest
from memory_app.services.memories import retire, save_many
from tests.factories import World

TEXTS = [f"Statement {n} about subject {n * 7 % 31} and colour {n % 5}." for n in range(60)]


@pytest.fixture
def stored(world: World) -> list[Memory]:
    return [
        one.memory
        for one in save_many(world.caller, "main", [parse_draft(content=t) for t in TEXTS])
    ]


def asked(world: World, number: int) -> list[list[Near]]:
    vectors = get_embedder().embed(TEXTS[:number])
    with acting_as(world.caller):
        return nearest(world.bank, np.asarray(vectors), limit=5)


def test_each_text_is_nearest_to_itself_by_statement_and_by_matrix(
    world: World, stored: list[Memory]
) -> None:
    few = asked(world, MATRIX_FROM - 1)
    many = asked(world, MATRIX_FROM + 10)

    assert [one[0].memory_id for one in few] == [row.id for row in stored[: MATRIX_FROM - 1]]
    assert [one[0].memory_id for one in many] == [row.id for row in stored[: MATRIX_FROM + 10]]


def test_both_ways_give_the_same_neighbours(world: World, stored: list[Memory]) -> None:
    few = asked(world, MATRIX_FROM - 1)
    many = asked(world, MATRIX_FROM + 10)[: MATRIX_FROM - 1]

    assert [[round(near.cosine, 2) for near in one] for one in few] == [
        [round(near.cosine, 2) for near in one] for one in many
    ]


def test_a_retired_memory_is_no_neighbour(world: World, stored: list[Memory]) -> None:
    retire(world.person, "main", stored[0].id)

    assert stored[0].id not in {near.memory_id for near in asked(world, 1)[0]}


def test_a_strangers_bank_has_no_neighbours(
    world: World, stranger: World, stored: list[Memory]
) -> None:
    vectors = np.asarray(get_embedder().embed(TEXTS[:1]))

    with acting_as(stranger.caller):
        assert nearest(world.bank, vectors, limit=5) == [[]]


@pytest.mark.parametrize("meanwhile", ["nothing", "a write", "an end"])
def test_what_was_found_ahead_is_what_is_found_with_the_bank_locked(
    world: World, stored: list[Memory], meanwhile: str
) -> None:
    vectors = np.asarray(get_embedder().embed(TEXTS[:9]))
    held = BankVectors()
    with acting_as(world.caller):
        held.look_ahead(world.bank, vectors, limit=5)
    CHANGES[meanwhile](world, stored)

    with acting_as(world.caller):
        ahead = held.nearest(world.bank, vectors, limit=5)
        fresh = BankVectors().nearest(world.bank, vectors, limit=5)

    assert ahead == fresh


CHANGES: dict[str, Callable[[World, list[Memory]], object]] = {
    "nothing": lambda world, stored: None,
    "a write": lambda world, stored: save_many(
        world.caller, "main", [parse_draft(content=TEXTS[0].removesuffix(".") + " again.")]
    ),
    "an end": lambda world, stored: retire(world.person, "main", stored[0].id),
}
