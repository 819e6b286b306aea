"""Memory tests, decisions on knowledge gaps and shared views in a bank's file (D10)."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument
from memory_app.formats.export import KINDS, kinds_of, write
from memory_app.models import GapDecision, MemoryTest, SavedView
from memory_app.services import ledger, saved_views, test_runs
from memory_app.services.portability import export_bank, import_bank
from memory_app.services.reindexing import fill_vectors
from tests.factories import World, make_bank
from tests.memory_app.services.portability.rich import fill

NEW = ("memory_test", "gap_decision", "saved_view")


def lines_of(world: World, bank: str = "main") -> list[dict[str, Any]]:
    content = b"".join(export_bank(world.person, bank))
    return [json.loads(line) for line in content.splitlines()]


def rows_of(world: World, kind: str, bank: str = "main") -> list[dict[str, Any]]:
    return [line["row"] for line in lines_of(world, bank) if line["kind"] == kind]


def written(
    lines: list[dict[str, Any]], change: Callable[[str, dict[str, Any]], None] | None = None
) -> bytes:
    """The lines as a file with a fitting end, each row changed first."""
    header, rows = lines[0], lines[1:-1]
    for row in rows:
        if change is not None:
            change(row["kind"], row["row"])
    kept = {name: value for name, value in header.items() if name not in ("kind", "version")}
    return b"".join(write(kept, ((row["kind"], row["row"]) for row in rows)))


def of_version_1(lines: list[dict[str, Any]]) -> bytes:
    """The file as the first version wrote it: without the three kinds."""
    counts = {kind: n for kind, n in lines[0]["counts"].items() if kind not in NEW}
    left = [line for line in lines if line["kind"] not in NEW]
    return written([left[0] | {"counts": counts}, *left[1:]]).replace(
        b'"version":2', b'"version":1', 1
    )


def take(world: World, content: bytes, bank: str = "copy") -> None:
    import_bank(world.person, bank, io.BytesIO(content))


def test_they_come_back_equal_in_a_copy(world: World) -> None:
    fill(world)
    make_bank(world, "copy")

    take(world, written(lines_of(world)))

    found = {kind: rows_of(world, kind, "copy") for kind in NEW}
    assert found == {kind: rows_of(world, kind) for kind in NEW}
    assert [len(rows) for rows in found.values()] == [1, 1, 1]
    assert ledger.verify(world.person, "copy").valid


def test_what_was_taken_back_or_is_private_does_not_travel(world: World) -> None:
    fill(world)

    assert [row["query"] for row in rows_of(world, "memory_test")] == ["What lifts forty tonnes?"]
    assert [row["status"] for row in rows_of(world, "gap_decision")] == ["snoozed"]
    assert [row["name"] for row in rows_of(world, "saved_view")] == ["Yard"]


def test_people_are_named_and_no_account_is_referred_to(world: World, stranger: World) -> None:
    fill(world)
    lines = lines_of(world)

    take(stranger, written(lines), "main")

    with acting_as(stranger.person):
        rows = (
            MemoryTest.objects.get(bank=stranger.bank).created_by,
            GapDecision.objects.get(bank=stranger.bank).decided_by,
            SavedView.objects.get(bank=stranger.bank).created_by,
        )
        shown = {name.name for name in names_of(stranger.person, rows).values()}
    assert rows == ("Olive", "Olive", "Olive")
    assert shown == {"Olive"}
    assert not any(world.owner.id in json.dumps(line) for line in lines if line["kind"] in NEW)


def test_an_imported_test_runs_and_an_imported_view_is_seen(world: World, stranger: World) -> None:
    fill(world)
    take(stranger, written(lines_of(world)), "main")
    fill_vectors(stranger.person, "main")

    tally = test_runs.run_all(stranger.person, "main")

    assert (tally.green, tally.red) == (1, 0)
    assert [view.name for view in saved_views.list_views(stranger.person, "main")] == ["Yard"]


def test_a_file_of_the_first_version_is_taken_as_ever(world: World) -> None:
    fill(world)
    make_bank(world, "copy")
    lines = lines_of(world)

    take(world, of_version_1(lines))

    expected = [line for line in lines[1:-1] if line["kind"] not in NEW]
    assert lines_of(world, "copy")[1:-1] == expected
    assert set(kinds_of(1)) | set(NEW) == set(KINDS)


def test_a_first_versions_file_with_rows_of_the_second_is_refused(world: World) -> None:
    fill(world)
    make_bank(world, "copy")
    content = written(lines_of(world)).replace(b'"version":2', b'"version":1', 1)

    with pytest.raises(InvalidArgument, match="Line 1"):
        take(world, content)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("memory_test", {"options": {"created_from": "yesterday"}}),
        ("memory_test", {"last_watermark": 10**9}),
        ("memory_test", {"status": "blue"}),
        ("gap_decision", {"keys": "not a list"}),
        ("gap_decision", {"until": "tomorrow"}),
        ("saved_view", {"query": "next=https://evil.example"}),
        ("saved_view", {"query": "tag=\x00"}),
        ("saved_view", {"shared": False}),
    ],
)
def test_a_forged_one_is_refused_with_its_line(
    world: World, kind: str, values: dict[str, Any]
) -> None:
    fill(world)
    make_bank(world, "copy")

    def forge(found: str, row: dict[str, Any]) -> None:
        row.update(values if found == kind else {})

    with pytest.raises(InvalidArgument, match="Line "):
        take(world, written(lines_of(world), forge))
    assert rows_of(world, "memory", "copy") == []
