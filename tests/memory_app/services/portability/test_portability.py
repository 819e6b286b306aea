from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    RoleInsufficient,
    TierInsufficient,
)
from memory_app.domain.values import parse_changes, parse_draft
from memory_app.formats.export import KINDS
from memory_app.models import Bank, Cell, Job, Memory
from memory_app.recall.values import Query
from memory_app.services import ledger
from memory_app.services.memories import edit, revive, save
from memory_app.services.portability import Imported, export_bank, import_bank
from memory_app.services.recalling import search
from memory_app.services.reindexing import fill_vectors
from tests.factories import World, make_bank
from tests.memory_app.services.portability.rich import fill


def exported(world: World, bank: str = "main") -> bytes:
    return b"".join(export_bank(world.person, bank))


def imported(world: World, bank: str, content: bytes) -> Imported:
    return import_bank(world.person, bank, io.BytesIO(content))


def below_header(content: bytes) -> bytes:
    return content.partition(b"\n")[2]


def test_a_bank_comes_back_equal_from_its_file_and_its_ledger_verifies(world: World) -> None:
    """D10"""
    fill(world)
    make_bank(world, "copy")
    first = exported(world)

    imported(world, "copy", first)

    again = exported(world, "copy")
    assert below_header(again) == below_header(first)
    assert (
        json.loads(again.partition(b"\n")[0])["settings"]
        == (json.loads(first.partition(b"\n")[0])["settings"])
    )
    assert ledger.verify(world.person, "copy").valid


def test_the_file_holds_every_kind(world: World) -> None:
    """D10"""
    fill(world)

    lines = exported(world).splitlines()

    kinds = {json.loads(line)["kind"] for line in lines}
    assert kinds == {"header", *KINDS, "end"}


def test_another_organization_takes_the_file_without_seeing_the_first(
    world: World, stranger: World
) -> None:
    """D10"""
    fill(world)
    content = exported(world)

    imported(stranger, "main", content)

    assert below_header(exported(stranger)) == below_header(content)
    assert exported(world) == content
    with pytest.raises(NotFound):
        exported(stranger, world.bank.id)


def test_a_second_import_changes_nothing_also_where_the_file_came_from(world: World) -> None:
    """D10"""
    fill(world)
    make_bank(world, "copy")
    content = exported(world)
    imported(world, "copy", content)
    copied = exported(world, "copy")

    again = (imported(world, "copy", content), imported(world, "main", content))

    assert [one.unchanged for one in again] == [True, True]
    assert exported(world, "copy") == copied
    assert exported(world) == content


def test_a_bank_that_went_on_after_its_export_holds_the_file_already(world: World) -> None:
    """D10"""
    save(world.person, "main", parse_draft(content="The first thing."))
    content = exported(world)
    save(world.person, "main", parse_draft(content="Something after it."))

    assert imported(world, "main", content).unchanged


def test_a_bank_with_memories_of_its_own_is_refused(world: World) -> None:
    """D10"""
    make_bank(world, "copy")
    save(world.person, "main", parse_draft(content="Here."))
    save(world.person, "copy", parse_draft(content="There."))
    before = exported(world, "copy")

    with pytest.raises(Conflict, match="isn't empty"):
        imported(world, "copy", exported(world))

    assert exported(world, "copy") == before


def test_imported_memories_are_found_by_word_at_once_and_by_meaning_after_the_job(
    world: World,
) -> None:
    """D10"""
    fill(world)
    make_bank(world, "copy")
    imported(world, "copy", exported(world))
    by_word = search(world.person, "copy", Query(text="crane tonnes", mode="keyword"))
    with acting_as(world.person):
        copied = Bank.objects.get(organization_id=world.organization.id, slug="copy")
        waiting = Job.objects.filter(bank_id=copied.id, task="rebuild_vectors").count()

    made = fill_vectors(world.person, "copy")

    with acting_as(world.person):
        without = Cell.objects.filter(bank_id=copied.id, embedding=None).count()
    assert "forty tonnes" in by_word.result.hits[0].memory.content
    assert (waiting, made > 0, without) == (1, True, 0)
    assert ledger.verify(world.person, "copy").valid


def test_an_imported_bank_goes_on_like_the_first(world: World) -> None:
    """D10"""
    rows = fill(world)
    make_bank(world, "copy")
    imported(world, "copy", exported(world))

    revive(world.person, "copy", rows["retired"].id)
    edit(
        world.person,
        "copy",
        rows["live"].id,
        parse_changes({"content": "The crane lifts fifty tonnes."}),
        expected_watermark=None,
    )

    with acting_as(world.person):
        there = Memory.objects.get(bank_id=world.bank.id, id=rows["live"].id)
    assert "forty" in there.content
    assert ledger.verify(world.person, "copy").valid


def swapped(content: bytes, old: bytes, new: bytes) -> bytes:
    assert old in content
    return content.replace(old, new, 1)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "another file": lambda _: b"The first statement.\nThe second.\n",
    "binary": lambda _: bytes(range(256)) * 20,
    "cut inside a line": lambda content: content[: len(content) // 2],
    "cut behind a line": lambda content: content[: content.rindex(b"\n", 0, -1) + 1],
    "a line is missing": lambda content: b"".join(
        [*content.splitlines(keepends=True)[:1], *content.splitlines(keepends=True)[2:]]
    ),
    "a text was changed": lambda content: swapped(content, b"forty tonnes", b"fifty tonnes"),
    "a newer format": lambda content: swapped(content, b'"version":1', b'"version":2'),
    "another head": lambda content: swapped(content, b'"head_hash":"', b'"head_hash":"f'),
    "another bank": lambda content: swapped(content, b'"bank":"bank_', b'"bank":"bank_!'),
    "something behind": lambda content: content + b"{}\n",
    "a deep nest": lambda content: swapped(content, b"\n", b"\n" + b"[" * 100_000 + b"\n"),
    "a row of no kind": lambda content: swapped(content, b'{"kind":"memory"', b'{"kind":"bank"'),
    "a setting out of range": lambda content: swapped(
        content, b'"freshness_weight":0.1', b'"freshness_weight":99'
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_refused_with_its_line_and_nothing_is_stored(
    world: World, damage: Callable[[bytes], bytes]
) -> None:
    """D10"""
    fill(world)
    make_bank(world, "copy")
    before = exported(world, "copy")
    content = damage(exported(world))

    with pytest.raises(InvalidArgument, match="Line ") as refusal:
        imported(world, "copy", content)

    assert refusal.value.details["line"] >= 1
    assert exported(world, "copy") == before


def forged(content: bytes, change: Callable[[dict[str, object]], None], kind: str) -> bytes:
    """The file with the first row of a kind changed, and an end line that fits."""
    from memory_app.formats.export import write

    lines = [json.loads(line) for line in content.splitlines()]
    header, rows = lines[0], lines[1:-1]
    change(next(row["row"] for row in rows if row["kind"] == kind))
    kept = {name: value for name, value in header.items() if name not in ("kind", "version")}
    return b"".join(write(kept, ((row["kind"], row["row"]) for row in rows)))


FORGERIES: dict[str, tuple[str, dict[str, object]]] = {
    "content": ("memory", {"content": "Something else."}),
    "too long": ("memory", {"category": "x" * 101}),
    "wrong type": ("memory", {"tags": "not a list"}),
    "an unknown field": ("memory", {"superuser": True}),
    "another kind's id": ("memory", {"id": "bank_01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
    "a watermark to come": ("memory", {"head_watermark": 10**9}),
    "a stranger's memory": ("version", {"memory_id": "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
    "no such type": ("link", {"type": "owns"}),
    "another actor": ("ledger", {"actor": "agent_x"}),
    "another content": ("ledger", {"content": {"content": "Never said."}}),
    "a NUL": ("entity", {"name": "a\x00b"}),
    "no instant": ("entity", {"created_at": "yesterday"}),
    "other bytes": ("file", {"content": "AAAA"}),
    "a path outside": ("file", {"path": "../plan.bin"}),
    "infinite": ("proposal", {"confidence": "NaN"}),
}


@pytest.mark.parametrize(("kind", "values"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_row_with_a_fitting_end_is_refused_too(
    world: World, kind: str, values: dict[str, object]
) -> None:
    """D10"""
    fill(world)
    make_bank(world, "copy")
    before = exported(world, "copy")
    content = forged(exported(world), lambda row: row.update(values), kind)

    with pytest.raises(InvalidArgument, match="Line "):
        imported(world, "copy", content)

    assert exported(world, "copy") == before


def test_rows_that_only_the_database_finds_wrong_leave_nothing_behind(world: World) -> None:
    """D10"""
    rows = fill(world)
    make_bank(world, "copy")
    before = exported(world, "copy")
    content = forged(exported(world), lambda row: row.update(source_id=row["target_id"]), "link")

    with pytest.raises(InvalidArgument, match="contradict"):
        imported(world, "copy", content)

    assert exported(world, "copy") == before
    assert rows


def test_agents_export_with_the_full_tier_only_and_never_import(world: World) -> None:
    """D10"""
    content = exported(world)

    with pytest.raises(TierInsufficient):
        next(export_bank(world.caller, "main"))
    with pytest.raises(RoleInsufficient):
        import_bank(world.caller, "main", io.BytesIO(content))
