from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from typing import Any

import pytest
from django.db import connection

from accounts.models import Organization
from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    DailyCapReached,
    InvalidArgument,
    NotFound,
    TierInsufficient,
    Unavailable,
)
from memory_app.domain.values import parse_draft
from memory_app.models import Cell, ImportJob, ImportLine, Job, Memory
from memory_app.providers.embedding import get_embedder
from memory_app.services import importing, ledger, memories, usage
from memory_app.services.importing import ImportReport, run_import, undo_import
from memory_app.services.memories import embedding
from tests.factories import World, make_world
from tests.jobs import do_jobs


def fates(report: ImportReport) -> list[tuple[int, str]]:
    return [(line.number, line.outcome) for line in report.lines]


def stored(world: World, **where: Any) -> list[str]:
    with acting_as(world.person):
        rows = Memory.objects.filter(bank=world.bank, **where).order_by("id")
        return [row.content for row in rows]


def facts(number: int) -> list[str]:
    return [f"Shelf {n} in hall {n % 7} holds {n * 3} boxes." for n in range(number)]


def test_every_lines_fate_is_reported_and_kept(world: World) -> None:
    """E9"""
    memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))
    text = "- Kit lives in AYR.\n\n2. Ravi likes tea.\n1. Ada runs.\nAda  runs.\n" + "x" * 10_001

    report = run_import(world.caller, "main", text)

    assert fates(report) == [
        (1, "known"),
        (3, "created"),
        (4, "created"),
        (5, "known"),
        (6, "refused"),
    ]
    assert report.counts == {"known": 2, "created": 2, "refused": 1}
    assert report.lines[0].reason == "stored already"
    assert report.lines[3].reason == "the same as item 4"
    assert "10,000" in report.lines[4].reason
    assert importing.report_of(world.caller, "main", report.import_id) == report
    assert stored(world) == ["Kit lives in Ayr.", "Ravi likes tea.", "Ada runs."]
    assert ledger.verify(world.person, "main").valid


def test_a_json_list_keeps_tags_source_dates_and_confidence(world: World) -> None:
    """E9, case 138"""
    value = {
        "memory": "Kit moved to Oban.",
        "tags": ["Home"],
        "source": "notes",
        "confidence": "extracted",
        "category": "people",
        "created_at": "2026-06-01T19:00:00-05:00",
        "user_id": "kit",
    }

    report = run_import(world.caller, "main", [value, {"text": "Ada runs."}, 7])

    with acting_as(world.person):
        memory = Memory.objects.get(bank=world.bank, id=report.lines[0].memory_id)
    assert fates(report) == [(1, "created"), (2, "created"), (3, "refused")]
    assert (memory.tags, memory.source, memory.category) == (["home"], "notes", "people")
    assert (memory.confidence, memory.props) == ("extracted", {"user_id": "kit"})
    assert memory.observed_at is not None
    assert memory.observed_offset == -300


def test_the_same_line_three_times_is_one_memory(world: World) -> None:
    """E9, case 016"""
    report = run_import(world.caller, "main", "Kit lives in Ayr.\n" * 3)

    assert [line.outcome for line in report.lines] == ["created", "known", "known"]
    assert stored(world) == ["Kit lives in Ayr."]


@pytest.mark.usefixtures("minilm")
def test_near_duplicates_merge_as_they_land_and_changed_figures_do_not() -> None:
    """E4, E9"""
    world = make_world()
    get_embedder(world.bank.embedding_model).embed(["warm"])
    lines = ["Borehole BH-7 showed no benzene.", "Borehole BH-9 showed no benzene."]

    report = run_import(
        world.caller, "main", "\n".join([*lines, "Borehole BH-7 showed no benzene"])
    )

    assert [line.outcome for line in report.lines] == ["created", "created", "known"]
    assert stored(world) == lines


def test_an_import_retires_and_revives_nothing(world: World) -> None:
    """E9: the judge is skipped, also for a retired text word for word."""
    old = memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr.")).memory
    new = memories.save(world.caller, "main", parse_draft(content="Kit lives in Oban.")).memory
    memories.retire(world.person, "main", old.id, superseded_by=new.id)

    report = run_import(world.caller, "main", "Kit lives in Ayr.\nKit moved from Oban to Fife.")

    assert fates(report) == [(1, "known"), (2, "created")]
    assert stored(world, retired_at=None) == ["Kit lives in Oban.", "Kit moved from Oban to Fife."]


@pytest.mark.parametrize("number", [0, 501])
def test_nothing_and_too_many_are_refused_whole(world: World, number: int) -> None:
    """E9, case 134"""
    with pytest.raises(InvalidArgument) as refused:
        run_import(world.caller, "main", "\n".join(facts(number)))

    assert refused.value.field == "text"
    assert stored(world) == []
    assert importing.list_imports(world.person, "main").items == []


def test_five_hundred_are_imported_at_a_time(world: World) -> None:
    """E9, case 132"""
    lines = facts(500)
    lines[2] = '6" of snow fell on hall 3.'

    report = run_import(world.caller, "main", "\r\n".join(lines))

    assert report.counts == {"created": 500}
    assert stored(world) == lines
    assert usage.today(world.person).operations == 500


def test_over_the_daily_cap_nothing_is_written_and_nothing_counted(world: World) -> None:
    """E9, E10"""
    with acting_as(world.person):
        Organization.objects.filter(id=world.organization.id).update(daily_operation_cap=9)

    with pytest.raises(DailyCapReached):
        run_import(world.caller, "main", "\n".join(facts(10)))

    assert stored(world) == []
    assert usage.today(world.person).operations == 0


def test_lines_the_database_cannot_hold_are_refused_one_by_one(world: World) -> None:
    """Case 030"""
    report = run_import(world.caller, "main", ["a\x00b", "half \ud83e", "", {"content": 7}, "Ok."])

    assert [line.outcome for line in report.lines] == ["refused"] * 4 + ["created"]
    assert all(line.reason for line in report.lines[:4])


def test_an_import_of_refused_lines_only_is_reported(world: World) -> None:
    report = run_import(world.caller, "main", [1, 2])

    assert report.counts == {"refused": 2}
    assert importing.report_of(world.person, "main", report.import_id).counts == {"refused": 2}


def test_a_dry_run_tells_the_fates_and_writes_nothing(world: World) -> None:
    """E9"""
    memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))

    report = run_import(
        world.caller, "main", "Kit lives in Ayr.\nAda runs.\nAda runs.", dry_run=True
    )

    assert (report.import_id, report.status) == ("", "dry_run")
    assert [line.outcome for line in report.lines] == ["known", "created", "known"]
    assert stored(world) == ["Kit lives in Ayr."]
    assert usage.today(world.person).operations == 1


def test_undo_bins_what_was_created_and_not_what_was_known(world: World) -> None:
    """E9, case 134"""
    memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))
    report = run_import(world.caller, "main", "Kit lives in Ayr.\nAda runs.\nRavi likes tea.")
    other = run_import(world.caller, "main", "Zoe keeps bees.")

    undone = undo_import(world.person, "main", report.import_id)
    again = undo_import(world.person, "main", report.import_id)

    assert (undone.status, again.status) == ("undone", "undone")
    assert stored(world, deleted_at=None) == ["Kit lives in Ayr.", "Zoe keeps bees."]
    assert stored(world, deleted_at__isnull=False) == ["Ada runs.", "Ravi likes tea."]
    statuses = [job.status for job in importing.list_imports(world.person, "main").items]
    assert statuses == ["done", "undone"]
    assert other.status == "done"
    assert ledger.verify(world.person, "main").valid


def test_an_undone_import_can_be_run_again(world: World) -> None:
    report = run_import(world.caller, "main", "Ada runs.")
    undo_import(world.person, "main", report.import_id)

    again = run_import(world.caller, "main", "Ada runs.")

    assert again.counts == {"created": 1}
    assert stored(world, deleted_at=None) == ["Ada runs."]


def test_an_agent_imports_with_read_write_and_undoes_only_with_full(world: World) -> None:
    """A16, A19"""
    report = run_import(world.caller, "main", "Ada runs.")

    with pytest.raises(TierInsufficient):
        undo_import(world.caller, "main", report.import_id)


def test_a_reading_agent_imports_nothing() -> None:
    """A16"""
    world = make_world(tier="read")

    with pytest.raises(TierInsufficient):
        run_import(world.caller, "main", "Ada runs.")
    with pytest.raises(TierInsufficient):
        run_import(world.caller, "main", [7])


def test_a_stranger_finds_no_import(world: World, stranger: World) -> None:
    report = run_import(world.caller, "main", "Ada runs.")

    with pytest.raises(NotFound):
        undo_import(stranger.person, "main", report.import_id)
    with pytest.raises(NotFound):
        importing.report_of(stranger.person, world.bank.id, report.import_id)


def test_without_an_embedder_every_line_is_stored_and_indexed_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E9, case 134: and what was imported retires nothing when its vectors come."""
    memories.save(world.caller, "main", parse_draft(content="Ravi is assigned to project Falcon."))
    do_jobs(world)

    def down(*_: Any, **__: Any) -> None:
        raise Unavailable("The embedder is down.")

    with monkeypatch.context() as patched:
        patched.setattr(embedding, "embed_texts", down)
        report = run_import(
            world.caller, "main", "Ravi moved from project Falcon to project Heron.\nAda runs."
        )

    assert report.counts == {"pending": 2}
    assert do_jobs(world) == ["done"]
    assert len(stored(world, retired_at=None, indexed_at__isnull=False)) == 3


def test_two_imports_of_the_same_lines_in_opposite_order_both_end_well(world: World) -> None:
    """Case 054"""
    lines, reports = facts(500), []

    def run(texts: list[str]) -> None:
        reports.append(run_import(world.caller, "main", "\n".join(texts)))
        connection.close()

    threads = [
        threading.Thread(target=run, args=(order,)) for order in (lines, list(reversed(lines)))
    ]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]

    assert sum((Counter(report.counts) for report in reports), Counter()) == {
        "created": 500,
        "known": 500,
    }
    assert sorted(stored(world)) == sorted(lines)


def test_a_failure_at_the_end_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 134: memories, report, ledger and the day's count are one transaction."""

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(ImportLine.objects, "bulk_create", fail)
    with pytest.raises(RuntimeError):
        run_import(world.caller, "main", "\n".join(facts(20)))

    assert stored(world) == []
    assert importing.list_imports(world.person, "main").items == []
    assert usage.today(world.person).operations == 0


IMPORT = """
import sys, django
django.setup()
from accounts.actor import Actor
from memory_app.services.importing import run_import
actor = Actor(organization_id=sys.argv[1], kind="agent", id=sys.argv[2])
print("ready", flush=True)
run_import(actor, "main", sys.stdin.read())
"""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.15, 0.4, 0.8])
def test_an_import_that_is_killed_is_absent_or_whole(world: World, delay: float) -> None:
    """Case 134"""
    settings = {"DJANGO_SETTINGS_MODULE": "memory_app.config.settings.test"}
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, world.organization.id, world.agent.id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | settings,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("\n".join(facts(500)))
    process.stdin.close()
    time.sleep(delay)
    process.kill()
    process.wait(10)
    time.sleep(0.3)

    with acting_as(world.person):
        shape = (
            Memory.objects.filter(bank=world.bank).count(),
            ImportLine.objects.filter(bank=world.bank).count(),
            ImportJob.objects.filter(bank=world.bank).count(),
            Job.objects.filter(bank=world.bank).count(),
        )
    assert shape in {(0, 0, 0, 0), (500, 500, 1, 0)}
    assert ledger.verify(world.person, "main").valid


def test_what_an_undo_has_binned_can_be_restored_with_its_vectors(world: World) -> None:
    """E9: the same end state as a deletion by hand."""
    report = run_import(world.caller, "main", "\n".join(facts(12)))
    undo_import(world.person, "main", report.import_id)
    chosen = report.lines[3].memory_id
    assert chosen is not None

    memories.restore(world.person, "main", chosen)

    with acting_as(world.person):
        live = Cell.objects.filter(bank=world.bank, live=True)
        found = [(cell.memory_id, cell.embedding is not None) for cell in live]
    assert found == [(chosen, True)]
    assert ledger.verify(world.person, "main").valid
