from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from django.test import Client

from memory_app.domain.values import parse_draft
from memory_app.models import Memory
from memory_app.services import memories
from tests.factories import World, make_world


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A person at the dashboard of a bank where the agent may do everything."""

    world: World
    client: Client

    def url(self, path: str = "") -> str:
        return f"/o/{self.world.organization.slug}/{self.world.bank.slug}/{path}"

    def memory_url(self, memory: Memory, action: str = "") -> str:
        return self.url(f"memories/{memory.id}/{action}")


@pytest.fixture
def desk() -> Desk:
    world = make_world(tier="full")
    client = Client()
    client.force_login(world.owner, backend="django.contrib.auth.backends.ModelBackend")
    return Desk(world=world, client=client)


@pytest.fixture
def remember(desk: Desk) -> Callable[..., Memory]:
    """Save a statement as the agent does, through the real write path."""
    agent = replace(desk.world.caller, door="mcp", tool="create_memory", client="coder/1.0")

    def save(content: str, **fields: object) -> Memory:
        draft = parse_draft(content=content, default_source=agent.client, **fields)
        return memories.save(agent, desk.world.bank.slug, draft).memory

    return save
