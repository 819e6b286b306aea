from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection

from accounts.tenancy import acting_as
from memory_app.domain.errors import NotFound, TierInsufficient
from memory_app.domain.values import Draft, parse_draft
from memory_app.models import Cell, Memory
from memory_app.services import ledger
from memory_app.services.memories import save, save_many
from tests.factories import World, make_world


def draft(text: str, **fields: Any) -> Draft:
    return parse_draft(content=text, **fields)


def contents(world: World, **where: object) -> list[str]:
    with acting_as(world.person):
        rows = Memory.objects.filter(bank=world.bank, **where).order_by("id")
        return [row.content for row in rows]


def test_a_statement_is_stored_with_its_cell_version_and_ledger_entry(world: World) -> None:
    """E1, B2, B3"""
    saved = save(world.caller, "main", draft("Ana works at Northwind.", tags=["Work"]))

    assert saved.status == "created"
    assert saved.memory.tags == ["work"]
    with acting_as(world.person):
        cell = Cell.objects.get(bank=world.bank, memory_id=saved.memory.id)
        assert (cell.text, cell.live, cell.until) == ("Ana works at Northwind.", True, None)
        assert cell.embedding is not None
    assert ledger.verify(world.person, "main").entries == 1


def test_an_exact_repeat_is_known_and_its_tags_are_united(world: World) -> None:
    """E4"""
    first = save(world.caller, "main", draft("Ana works at Northwind.", tags=["a"]))
    again = save(world.caller, "main", draft("  ana WORKS at   northwind. ", tags=["b"]))

    assert again.status == "known"
    assert again.memory.id == first.memory.id
    assert again.memory.tags == ["a", "b"]
    assert contents(world) == ["Ana works at Northwind."]


def test_repeats_inside_one_call_are_folded(world: World) -> None:
    """D016: the same line three times in one call makes one memory."""
    saved = save_many(world.caller, "main", [draft("One line.")] * 3 + [draft("Another line.")])

    assert [one.status for one in saved] == ["created", "known", "known", "created"]
    assert contents(world) == ["One line.", "Another line."]


def test_a_reader_may_not_save(world: World) -> None:
    """A16"""
    reader = make_world(tier="read")

    with pytest.raises(TierInsufficient):
        save(reader.caller, "main", draft("Not to be stored."))
    assert contents(reader) == []


def test_a_stranger_finds_no_such_bank(world: World, stranger: World) -> None:
    with pytest.raises(NotFound):
        save(stranger.caller, world.bank.id, draft("Hello."))


def test_concurrent_writers_of_one_text_make_one_memory(world: World) -> None:
    """A17"""
    outcomes: list[str] = []

    def write(number: int) -> None:
        outcomes.append(save(world.caller, "main", draft("The same text.")).status)
        outcomes.append(save(world.caller, "main", draft(f"Text number {number}.")).status)
        connection.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["created"] * 9 + ["known"] * 7
    assert len(contents(world)) == 9
    assert ledger.verify(world.person, "main").valid
