"""Files as a person sends them, and what came of them."""

from __future__ import annotations

from typing import Any

from accounts.tenancy import acting_as
from memory_app.models import ImportJob, Memory
from memory_app.services import importing
from memory_app.services.importing import Upload
from tests.factories import World


def upload(world: World, data: bytes | str, name: str = "notes.txt", **options: Any) -> ImportJob:
    raw = data.encode() if isinstance(data, str) else data
    return importing.receive(
        world.person, "main", [Upload(name=name, chunks=iter([raw]))], **options
    )


def fates(world: World, job: ImportJob) -> list[tuple[int, str]]:
    page = importing.list_lines(world.person, "main", job.id, limit=1_000)
    return [(row.number, row.outcome) for row in page.items]


def stored(world: World, **where: Any) -> list[str]:
    with acting_as(world.person):
        rows = Memory.objects.filter(bank=world.bank, **where).order_by("id")
        return [row.content for row in rows]


def facts(number: int) -> list[str]:
    return [f"Shelf {n} in hall {n % 7} holds {n * 3} boxes." for n in range(number)]
