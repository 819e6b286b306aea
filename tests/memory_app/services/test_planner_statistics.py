"""The planner's statistics are renewed as soon as much was written at once."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.db import connections

from memory_app.domain.values import parse_draft
from memory_app.models import Memory
from memory_app.services import bulk, importing, memories, planner_statistics
from memory_app.services.portability import export_bank, import_bank
from tests.factories import World, make_bank
from tests.jobs import do_jobs, waiting_jobs
from tests.memory_app.services.bulk.stock import ids
from tests.memory_app.services.uploading import upload

LINES = "Kit drinks tea in Ayr.\nAda drinks water in Fife.\nRavi drinks cocoa in Oban."


@pytest.fixture(autouse=True)
def small_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner_statistics, "BIG", 3)


def _save_lines(world: World) -> list[Memory]:
    drafts = [parse_draft(content=line) for line in LINES.split("\n")]
    return [memories.save(world.caller, "main", one, judge=False).memory for one in drafts]


def _renewals(world: World) -> int:
    return [job.task for job in waiting_jobs(world)].count("renew_statistics")


def _forget(table: str) -> None:
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT pg_clear_relation_stats('public', %s)", [table])


def _known_rows(table: str) -> float:
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [table])
        return float(owner.fetchone()[0])


def test_a_big_import_has_its_tables_analyzed_by_one_job(world: World) -> None:
    _forget("memories")
    _forget("cells")
    for text in (LINES, LINES.replace("drinks", "likes")):
        importing.start(world.person, "main", upload(world, text).id)
    waiting = _renewals(world)

    answers = do_jobs(world)

    assert waiting == 1
    assert set(answers) == {"done"}
    assert _known_rows("memories") >= 3
    assert _known_rows("cells") >= 3


def test_a_small_import_has_nothing_analyzed(world: World) -> None:
    importing.start(world.person, "main", upload(world, "Kit drinks tea in Ayr.").id)

    assert _renewals(world) == 0


def test_taking_a_big_import_back_has_its_tables_analyzed(world: World) -> None:
    job = upload(world, LINES)
    importing.start(world.person, "main", job.id)
    do_jobs(world)
    before = _renewals(world)

    importing.undo(world.person, "main", job.id)

    assert (before, _renewals(world)) == (0, 1)


def test_a_big_change_in_bulk_has_its_tables_analyzed(world: World) -> None:
    saved = _save_lines(world)

    bulk.begin(world.person, "main", "retire", ids(saved), {})

    assert _renewals(world) == 1


def test_an_imported_bank_has_its_tables_analyzed_also_after_its_vectors_are_made(
    world: World,
) -> None:
    _save_lines(world)
    there = replace(world, bank=make_bank(world, "copy"))
    file = io.BytesIO(b"".join(export_bank(world.person, "main")))
    import_bank(world.person, "copy", file)
    waiting = [job.task for job in waiting_jobs(there)]
    _forget("cells")

    answers = do_jobs(there)

    assert sorted(waiting) == ["rebuild_vectors", "renew_statistics"]
    assert set(answers) == {"done"}
    assert _known_rows("cells") >= 3


def test_what_has_not_grown_is_left_alone(world: World) -> None:
    planner_statistics.renew()
    _forget("memories")
    importing.run_import(world.caller, "main", LINES)

    first, second = planner_statistics.renew(), planner_statistics.renew()

    assert "memories" in first
    assert second == []
