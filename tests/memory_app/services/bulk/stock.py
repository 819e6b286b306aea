"""What stands in a bank, for comparing before and after."""

from __future__ import annotations

from accounts.tenancy import acting_as
from memory_app.models import Cell, Memory, Mention
from memory_app.services import bulk
from tests.factories import World


def ids(found: list[Memory]) -> bulk.Selection:
    return bulk.parse_selection(ids=[one.id for one in found], where=None)


def rows(world: World) -> dict[str, Memory]:
    with acting_as(world.person):
        return {row.id: row for row in Memory.objects.filter(bank_id=world.bank.id)}


def state(world: World) -> list[tuple[object, ...]]:
    """What a list shows of every memory."""
    names = ("id", "content", "tags", "category", "collection", "pinned_at", "retired_at")
    return [
        (*(getattr(row, name) for name in names), row.deleted_at is None, _live_cells(world, row))
        for row in sorted(rows(world).values(), key=lambda row: row.id)
    ]


def _live_cells(world: World, memory: Memory) -> list[str]:
    with acting_as(world.person):
        cells = Cell.objects.filter(bank_id=world.bank.id, memory_id=memory.id, live=True)
        return [cell.text for cell in cells.order_by("position")]


def mentions(world: World, memory: Memory) -> list[str]:
    with acting_as(world.person):
        found = Mention.objects.filter(bank_id=world.bank.id, memory_id=memory.id, until=None)
        return sorted(found.values_list("name", flat=True))
