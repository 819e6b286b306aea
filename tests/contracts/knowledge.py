"""What the tests of the knowledge contracts share."""

from __future__ import annotations

from accounts.models import TOOLSETS, Connection
from accounts.tenancy import acting_as
from memory_app.domain.ids import new_id
from memory_app.domain.names import name_key
from memory_app.models import Entity, Memory, Mention
from tests.factories import World


def connect(world: World, *, tier: str = "read_write") -> None:
    """Give the world's agent every toolset."""
    with acting_as(world.person):
        Connection.objects.filter(id=world.connection.id).update(tier=tier, toolsets=list(TOOLSETS))


def hub(world: World, *, edges: int) -> None:
    """An entity that this many memories mention, written as rows."""
    ids = {"organization_id": world.organization.id, "bank_id": world.bank.id}
    with acting_as(world.person):
        entity = Entity.objects.create(
            id=new_id("ent"), name="Hub", name_key=name_key("Hub"), since=1, declared=True, **ids
        )
        written = [
            Memory(
                id=new_id("mem"),
                slug=f"spoke-{number}",
                content=f"Spoke {number}.",
                author=world.agent.id,
                created_watermark=1,
                head_watermark=1,
                **ids,
            )
            for number in range(edges)
        ]
        Memory.objects.bulk_create(written)
        Mention.objects.bulk_create(
            Mention(
                id=new_id("mention"),
                memory_id=memory.id,
                entity_id=entity.id,
                name="Hub",
                resolution="existing",
                since=1,
                **ids,
            )
            for memory in written
        )
