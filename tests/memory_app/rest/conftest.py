from __future__ import annotations

import pytest

from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of


@pytest.fixture
def world() -> World:
    """An organization of this test's own, whose agent may do everything in its bank."""
    return make_world(tier="full")


@pytest.fixture
def rest(world: World) -> Rest:
    return rest_of(world)
