"""A deleted file waits in the bin, comes back with all its versions, and goes for good in the end."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage

from accounts.actor import CONSOLIDATION, system_actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, NotFound, TierInsufficient
from memory_app.models import File, LedgerEntry
from memory_app.providers.clock import frozen, now
from memory_app.services import files, purging
from memory_app.services.files_bin import bin_file, list_binned, restore_file
from memory_app.services.portability import export_bank
from tests.factories import World, make_world


@pytest.fixture
def world() -> World:
    return make_world(tier="full")


def store(world: World, path: str, data: bytes) -> File:
    return files.store_file(world.person, "main", path=path, chunks=iter([data])).file


def listed(world: World) -> list[tuple[str, int]]:
    rows, _ = files.list_files(world.person, "main")
    return [(row.path, row.version) for row in rows]


def read(file: File) -> bytes:
    with files.opened_file(file) as handle:
        return handle.read()


def test_a_binned_file_is_nowhere_but_in_the_bin(world: World) -> None:
    first, second = store(world, "a.txt", b"one"), store(world, "a.txt", b"two")

    bin_file(world.person, "main", first.id)

    assert listed(world) == []
    assert [row.id for row in list_binned(world.person, "main")] == [second.id]
    for reference in (first.id, second.id, "a.txt"):
        with pytest.raises(NotFound):
            files.find_file(world.person, "main", reference)
    exported = b"".join(export_bank(world.person, "main")).splitlines()
    assert "file" not in [json.loads(line).get("kind") for line in exported]


def test_it_comes_back_with_every_version_and_its_bytes(world: World) -> None:
    first, second = store(world, "a.txt", b"one"), store(world, "a.txt", b"two")
    bin_file(world.person, "main", "a.txt")

    back = restore_file(world.person, "main", first.id)

    assert (back.id, back.until) == (second.id, None)
    versions = files.versions_of(world.person, "main", "a.txt")
    assert [(row.version, read(row)) for row in versions] == [(2, b"two"), (1, b"one")]
    assert store(world, "a.txt", b"three").version == 3
    with acting_as(world.person):
        entries = LedgerEntry.objects.filter(bank=world.bank).order_by("seq")
        assert [row.operation for row in entries][2:4] == ["bin_file", "restore_file"]


def test_another_file_under_the_path_is_not_overwritten(world: World) -> None:
    old = store(world, "a.txt", b"old")
    bin_file(world.person, "main", old.id)
    new = store(world, "a.txt", b"new")

    with pytest.raises(Conflict):
        restore_file(world.person, "main", old.id)

    assert new.version == 1
    assert [row.id for row in files.versions_of(world.person, "main", "a.txt")] == [new.id]
    assert [row.id for row in list_binned(world.person, "main")] == [old.id]


def test_what_is_not_in_the_bin_is_not_restored(world: World) -> None:
    live = store(world, "a.txt", b"one")

    with pytest.raises(NotFound):
        restore_file(world.person, "main", live.id)


def test_two_of_one_path_come_back_apart(world: World) -> None:
    first = store(world, "a.txt", b"first")
    bin_file(world.person, "main", first.id)
    second = store(world, "a.txt", b"second")
    bin_file(world.person, "main", second.id)

    restore_file(world.person, "main", first.id)

    assert [row.id for row in files.versions_of(world.person, "main", "a.txt")] == [first.id]
    assert [row.id for row in list_binned(world.person, "main")] == [second.id]


def test_out_of_the_bin_it_goes_for_good_with_its_bytes(world: World) -> None:
    gone, kept = store(world, "a.txt", b"one"), store(world, "b.txt", b"two")
    bin_file(world.person, "main", gone.id)

    files.delete_file(world.person, "main", gone.id)

    assert list_binned(world.person, "main") == []
    assert not default_storage.exists(gone.storage_name)
    assert default_storage.exists(kept.storage_name)


def test_after_thirty_days_it_goes_by_itself(world: World) -> None:
    gone, kept = store(world, "a.txt", b"one"), store(world, "b.txt", b"two")
    bin_file(world.person, "main", gone.id)
    system = system_actor(world.organization.id, CONSOLIDATION)

    early = purging.purge(system, world.bank.id)
    with frozen(now() + timedelta(days=31)):
        late = purging.purge(system, world.bank.id)

    assert (early["files"], late["files"]) == (0, 1)
    assert not default_storage.exists(gone.storage_name)
    assert read(kept) == b"two"


def test_only_who_may_change_bins_and_restores_and_a_stranger_sees_nothing(
    world: World, stranger: World
) -> None:
    file = store(world, "a.txt", b"one")
    reader = make_world(tier="read_write")
    theirs = files.store_file(reader.caller, "main", path="a", chunks=iter([b"x"])).file

    with pytest.raises(TierInsufficient):
        bin_file(reader.caller, "main", theirs.id)
    with pytest.raises(NotFound):
        bin_file(stranger.person, "main", file.id)
    bin_file(world.person, "main", file.id)
    with pytest.raises(NotFound):
        restore_file(stranger.person, "main", file.id)
