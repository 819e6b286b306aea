from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_app.domain.values import parse_draft
from memory_app.models import Memory
from memory_app.services import memories
from tests.factories import World, make_world


@pytest.fixture
def world() -> World:
    return make_world(tier="full")


@pytest.fixture
def remember(world: World) -> Callable[..., Memory]:
    def save(content: str, **fields: object) -> Memory:
        return memories.save(world.caller, "main", parse_draft(content=content, **fields)).memory

    return save


@pytest.fixture
def three(remember: Callable[..., Memory]) -> list[Memory]:
    return [
        remember("The office closes at six.", tags=["office"]),
        remember("Bananas ripen in a paper bag.", tags=["food"]),
        remember("Staging is reset every Monday.", tags=["office", "ops"]),
    ]
