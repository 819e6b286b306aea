from __future__ import annotations

from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.errors import CasConflict, Conflict, NotFound, TierInsufficient
from memory_app.domain.values import parse_changes, parse_draft
from memory_app.models import Cell, Link, Memory
from memory_app.queries import memories as reading
from memory_app.queries.access import resolve
from memory_app.services import ledger
from memory_app.services.memories import (
    delete,
    edit,
    erase,
    pin,
    restore,
    retire,
    revive,
    save,
    unpin,
)
from tests.factories import World


def stored(world: World, text: str, **fields: Any) -> Memory:
    return save(world.caller, "main", parse_draft(content=text, **fields)).memory


def live_cells(world: World, memory: Memory) -> list[str]:
    with acting_as(world.person):
        rows = Cell.objects.filter(bank=world.bank, memory_id=memory.id, live=True, until=None)
        return [row.text for row in rows]


def test_an_edit_changes_the_text_and_embeds_the_new_wording(world: World) -> None:
    """E8"""
    memory = stored(world, "Ana works at Northwind.")

    edited = edit(
        world.person,
        "main",
        memory.slug,
        parse_changes({"content": "Ana works at Contoso.", "tags": ["job"]}),
        expected_watermark=memory.head_watermark,
    )

    assert (edited.content, edited.tags, edited.slug) == (
        "Ana works at Contoso.",
        ["job"],
        memory.slug,
    )
    assert edited.content_hash != memory.content_hash
    assert live_cells(world, memory) == ["Ana works at Contoso."]
    with acting_as(world.person):
        versions = reading.history(resolve(world.person, "main"), memory.id)
    assert [one.content for one in versions] == ["Ana works at Contoso.", "Ana works at Northwind."]


def test_second_editor_with_the_old_watermark_is_refused_and_nothing_is_written(
    world: World,
) -> None:
    """B4"""
    memory = stored(world, "Ana works at Northwind.")
    first = parse_changes({"content": "Ana works at Contoso."})
    edit(world.person, "main", memory.id, first, expected_watermark=memory.head_watermark)

    with pytest.raises(CasConflict) as refusal:
        edit(
            world.person,
            "main",
            memory.id,
            parse_changes({"content": "Ana works at Fabrikam."}),
            expected_watermark=memory.head_watermark,
        )

    assert refusal.value.details["content"] == "Ana works at Contoso."
    assert live_cells(world, memory) == ["Ana works at Contoso."]


def test_an_edit_of_a_label_alone_keeps_the_vector(world: World) -> None:
    """B5"""
    memory = stored(world, "Ana works at Northwind.")
    with acting_as(world.person):
        before = Cell.objects.get(bank=world.bank, memory_id=memory.id).id

    edit(
        world.person,
        "main",
        memory.id,
        parse_changes({"category": "work"}),
        expected_watermark=None,
    )

    with acting_as(world.person):
        assert Cell.objects.get(bank=world.bank, memory_id=memory.id, live=True).id == before


def test_an_edit_into_another_memorys_text_is_refused(world: World) -> None:
    stored(world, "Ana works at Northwind.")
    other = stored(world, "Ben works at Contoso, near the river.")

    with pytest.raises(Conflict):
        edit(
            world.person,
            "main",
            other.id,
            parse_changes({"content": "ana works at northwind."}),
            expected_watermark=None,
        )

    assert live_cells(world, other) == ["Ben works at Contoso, near the river."]


def test_a_retired_memory_leaves_the_live_cells_and_comes_back_when_saved_again(
    world: World,
) -> None:
    """E6"""
    old = stored(world, "Kit lives in Ayr.")
    new = stored(world, "Oban is where the new house stands.")
    retire(world.person, "main", old.id, superseded_by=new.id)
    assert live_cells(world, old) == []

    again = save(world.caller, "main", parse_draft(content="Kit lives in  AYR."))

    assert again.status == "revived"
    assert again.memory.id == old.id
    assert [one.id for one in again.replaced] == [new.id]
    assert live_cells(world, old) == ["Kit lives in Ayr."]
    assert live_cells(world, new) == []
    assert ledger.verify(world.person, "main").valid


def test_an_import_of_a_retired_text_does_not_bring_it_back(world: World) -> None:
    """E9"""
    old = stored(world, "Kit lives in Ayr.")
    retire(world.person, "main", old.id)

    again = save(world.caller, "main", parse_draft(content="Kit lives in Ayr."), judge=False)

    assert (again.status, again.memory.status) == ("known", "retired")


def test_a_deleted_memory_can_be_restored_with_its_links(world: World) -> None:
    """E8, B8"""
    old = stored(world, "Kit lives in Ayr.")
    new = stored(world, "Oban is where the new house stands.")
    retire(world.person, "main", old.id, superseded_by=new.id)

    delete(world.person, "main", new.id)
    with acting_as(world.person):
        assert not Link.objects.filter(bank=world.bank, until=None).exists()
    restored = restore(world.person, "main", new.id)

    assert restored.status == "active"
    assert live_cells(world, new) == ["Oban is where the new house stands."]
    with acting_as(world.person):
        assert Link.objects.filter(bank=world.bank, until=None).count() == 1


def test_the_same_text_can_be_saved_anew_while_the_old_is_in_the_bin(world: World) -> None:
    old = stored(world, "Kit lives in Ayr.")
    delete(world.person, "main", old.id)

    new = save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))

    assert new.status == "created"
    with pytest.raises(Conflict):
        restore(world.person, "main", old.id)


def test_pins_stand_until_taken_off(world: World) -> None:
    memory = stored(world, "Kit lives in Ayr.")

    assert pin(world.person, "main", memory.id).pinned_at is not None
    assert unpin(world.person, "main", memory.id).pinned_at is None


def test_erasing_needs_the_bin_first_and_leaves_the_ledger_whole(world: World) -> None:
    memory = stored(world, "Kit lives in Ayr.")
    with pytest.raises(Conflict):
        erase(world.person, "main", memory.id)

    delete(world.person, "main", memory.id)
    erase(world.person, "main", memory.id)

    with acting_as(world.person), pytest.raises(NotFound):
        reading.find(resolve(world.person, "main"), memory.id)
    assert ledger.verify(world.person, "main").valid


@pytest.mark.parametrize("act", [pin, unpin, retire, revive, delete, restore, erase])
def test_correcting_needs_the_full_tier(world: World, act: object) -> None:
    """A16, A19"""
    memory = stored(world, "Kit lives in Ayr.")

    with pytest.raises(TierInsufficient):
        act(world.caller, "main", memory.id)  # type: ignore[operator]


@pytest.mark.parametrize("act", [pin, unpin, retire, revive, delete, restore, erase])
def test_a_strangers_memory_is_an_unknown_one(world: World, stranger: World, act: object) -> None:
    memory = stored(world, "Kit lives in Ayr.")

    with pytest.raises(NotFound) as foreign:
        act(stranger.person, "main", memory.id)  # type: ignore[operator]
    with pytest.raises(NotFound) as unknown:
        act(stranger.person, "main", "mem_01KZZZZZZZZZZZZZZZZZZZZZZZ")  # type: ignore[operator]

    assert foreign.value.message == unknown.value.message
