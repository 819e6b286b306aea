"""Memories that name entities, as an agent saves them."""

from __future__ import annotations

from accounts.tenancy import acting_as
from memory_app.domain.values import Draft, EntityDraft, RelationDraft
from memory_app.models import Entity, Memory
from memory_app.services import memories
from tests.factories import World

Triple = tuple[str, str, str]


def state(world: World, content: str, *edges: Triple, kind: str = "person") -> Memory:
    """A memory that asserts these relations; both ends are entities of the kind."""
    names = dict.fromkeys(name for source, _, target in edges for name in (source, target))
    draft = Draft(
        content=content,
        entities=tuple(EntityDraft(name=name, type=kind) for name in names),
        relations=tuple(RelationDraft(source=a, type=b, target=c) for a, b, c in edges),
        compared=False,
    )
    return memories.save(world.caller, world.bank.slug, draft).memory


def entity_called(world: World, name: str) -> Entity:
    with acting_as(world.person):
        return Entity.objects.get(bank_id=world.bank.id, name=name, until=None)
