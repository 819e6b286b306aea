"""Long imports: killed, raced and stopped, and still every line once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.models import ImportJob, ImportLine, Job
from memory_app.services import importing, ledger, usage
from memory_app.services.importing import running, working
from tests.factories import World
from tests.jobs import do_jobs
from tests.memory_app.services.uploading import facts, stored, upload


def test_a_long_import_goes_on_after_its_worker_was_killed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F7: no line twice, none lost, and the ledger holds."""
    lines = facts(1_130)
    job = upload(world, "\n".join(lines))
    started = importing.start(world.person, "main", job.id)
    monkeypatch.setattr(running, "BATCH_SECONDS", 60.0)
    _die_at(monkeypatch, batch=3)
    with pytest.raises(KeyboardInterrupt):
        do_jobs(world)
    monkeypatch.undo()
    halfway = importing.find_import(world.person, "main", job.id)
    _lose_the_lease(world)

    finished = do_jobs(world)

    done = importing.find_import(world.person, "main", job.id)
    assert started.status == "running"
    assert (halfway.status, halfway.cursor) == ("running", 2 * running.BATCH_LINES)
    assert "done" in finished
    assert (done.status, done.counts) == ("done", {"created": 1_130})
    assert Counter(stored(world)) == Counter(lines)
    assert usage.today(world.person).operations == 1_130
    assert ledger.verify(world.person, "main").valid


WORK = """
import sys, django
django.setup()
from memory_app.services import importing
from memory_app.services.importing import running
running.BATCH_SECONDS = 60.0  # batches of one size, on a busy machine too
print("ready", flush=True)
importing.perform(*sys.argv[1:])
"""


@pytest.mark.parametrize("delay", [0.2, 0.9])
def test_a_worker_that_is_killed_leaves_whole_batches_and_the_next_goes_on(
    world: World, delay: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 134, for files: SIGKILL at any moment."""
    monkeypatch.setattr(running, "TURN_SECONDS", 600)
    lines = facts(620)
    job = upload(world, "\n".join(lines))
    importing.start(world.person, "main", job.id)
    with acting_as(world.person):
        (waiting,) = Job.objects.filter(bank=world.bank)
    process = subprocess.Popen(
        [sys.executable, "-c", WORK, world.organization.id, world.bank.id, waiting.id],
        stdout=subprocess.PIPE,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "memory_app.config.settings.test"},
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay)
    process.kill()
    process.wait(10)
    time.sleep(0.3)
    part = len(stored(world))
    _lose_the_lease(world)

    do_jobs(world)

    assert part % running.BATCH_LINES == 0 or part == len(lines)
    assert Counter(stored(world)) == Counter(lines)
    assert importing.find_import(world.person, "main", job.id).counts == {"created": len(lines)}
    assert ledger.verify(world.person, "main").valid


def test_two_workers_on_one_import_store_every_line_once(world: World) -> None:
    job = upload(world, "\n".join(facts(700)))
    importing.start(world.person, "main", job.id)
    stale = importing.find_import(world.person, "main", job.id)
    rows = _lines(world, stale, 0, 100)
    running.store_lines(world.person, job)

    with pytest.raises(working.Stopped):
        running._store(world.person, stale, rows, last=False)

    assert len(stored(world)) == 700


def test_a_long_import_can_be_stopped_and_what_it_stored_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = upload(world, "\n".join(facts(600)))
    importing.start(world.person, "main", job.id)
    monkeypatch.setattr(running, "TURN_SECONDS", 0)
    do_jobs(world)

    stopped = importing.cancel(world.person, "main", job.id)
    do_jobs(world)
    part = len(stored(world))
    importing.undo(world.person, "main", job.id)
    do_jobs(world)

    assert (stopped.status, part) == ("cancelled", running.BATCH_LINES)
    assert importing.find_import(world.person, "main", job.id).status == "undone"
    assert stored(world, deleted_at=None) == []
    assert ledger.verify(world.person, "main").valid


def _die_at(monkeypatch: pytest.MonkeyPatch, *, batch: int) -> None:
    """A kill in the middle of a batch: what it did is rolled back, and nobody tidies up."""
    store, calls = running._record, Counter[str]()

    def record(*given: Any, **options: Any) -> None:
        calls["batch"] += 1
        store(*given, **options)
        if calls["batch"] == batch:
            raise KeyboardInterrupt

    monkeypatch.setattr(running, "_record", record)


def _lose_the_lease(world: World) -> None:
    with acting_as(world.person):
        Job.objects.filter(bank=world.bank).update(leased_until=None)


def _lines(world: World, job: ImportJob, after: int, limit: int) -> list[ImportLine]:
    with acting_as(world.person):
        rows = ImportLine.objects.filter(bank=world.bank, import_id=job.id, number__gt=after)
        return list(rows.order_by("number")[:limit])
