"""An import that is larger than the day's cap: what fits today, the rest after each reset."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.storage import default_storage

from accounts.actor import CONSOLIDATION, system_actor
from accounts.models import Membership, Organization
from accounts.tenancy import acting_as
from memory_app.domain.errors import DailyCapReached
from memory_app.domain.values import parse_draft
from memory_app.models import Bank, ImportJob, Job
from memory_app.providers.clock import frozen
from memory_app.queries import health, jobs
from memory_app.queries.access import resolve
from memory_app.services import bank_bin, importing, memories, usage
from memory_app.services.importing import running
from memory_app.tasks import work_import
from tests.factories import World
from tests.jobs import do_jobs, waiting_jobs
from tests.memory_app.services.uploading import facts, stored, upload

MONDAY = datetime(2035, 1, 1, 12, 0, tzinfo=UTC)
TUESDAY = datetime(2035, 1, 2, 0, 0, 5, tzinfo=UTC)
WEDNESDAY = datetime(2035, 1, 3, 0, 0, 5, tzinfo=UTC)


def cap(world: World, number: int) -> None:
    with acting_as(world.person):
        Organization.objects.filter(id=world.organization.id).update(daily_operation_cap=number)


def state(world: World, job: ImportJob) -> ImportJob:
    return importing.find_import(world.person, "main", job.id)


def begun(world: World, lines: int) -> ImportJob:
    """An import of so many lines, spread over days with ten operations each, begun on Monday."""
    cap(world, 10)
    job = upload(world, "\n".join(facts(lines)))
    with frozen(MONDAY):
        return importing.start(world.person, "main", job.id, over_days=True)


def test_what_fits_is_stored_today_and_the_rest_after_each_reset(world: World) -> None:
    """E9, E10: a fifth of each day's cap stays for others."""
    job = begun(world, 20)

    monday = (job.status, importing.done_of(job), importing.goes_on_at(job))
    with acting_as(world.person):
        (due,) = Job.objects.filter(bank=world.bank).values_list("not_before", flat=True)
    with frozen(TUESDAY):
        do_jobs(world)
        do_jobs(world)
        tuesday = state(world, job)
    with frozen(WEDNESDAY):
        do_jobs(world)
        do_jobs(world)

    assert monday == ("paused", 8, datetime(2035, 1, 2, tzinfo=UTC))
    assert due == datetime(2035, 1, 2, tzinfo=UTC)
    assert (tuesday.status, importing.done_of(tuesday)) == ("paused", 16)
    assert (state(world, job).status, stored(world)) == ("done", facts(20))
    assert waiting_jobs(world) == []


def test_others_have_a_fifth_of_the_day_left(world: World) -> None:
    begun(world, 20)

    with frozen(MONDAY):
        memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))
        assert usage.today(world.person).remaining == 1


def test_the_import_takes_less_where_others_were_first(world: World) -> None:
    cap(world, 10)
    job = upload(world, "\n".join(facts(20)))
    with frozen(MONDAY):
        for number in range(5):
            memories.save(world.caller, "main", parse_draft(content=f"Kit has {number} cats."))
        paused = importing.start(world.person, "main", job.id, over_days=True)

    assert importing.done_of(paused) == 3


def test_an_import_that_fits_today_takes_no_days(world: World) -> None:
    """Nobody waits until tomorrow for what has room now, even in the others' fifth."""
    cap(world, 10)
    job = upload(world, "\n".join(facts(10)))

    assert importing.start(world.person, "main", job.id, over_days=True).status == "done"


def test_without_asking_for_days_nothing_begins(world: World) -> None:
    cap(world, 10)
    job = upload(world, "\n".join(facts(20)))

    with pytest.raises(DailyCapReached):
        importing.start(world.person, "main", job.id)
    assert (state(world, job).status, stored(world)) == ("ready", [])


def test_a_cap_of_nothing_is_refused_and_not_waited_for(world: World) -> None:
    cap(world, 0)
    job = upload(world, "\n".join(facts(2)))

    with pytest.raises(DailyCapReached):
        importing.start(world.person, "main", job.id, over_days=True)
    assert state(world, job).status == "ready"


def test_going_on_by_hand_leaves_the_appointment_without_effect(world: World) -> None:
    job = begun(world, 20)
    cap(world, 1_000)

    with frozen(MONDAY):
        done = importing.resume(world.person, "main", job.id)
        do_jobs(world)

    assert (done.status, stored(world)) == ("done", facts(20))
    assert state(world, job).status == "done"


def test_an_import_that_was_stopped_stays_stopped(world: World) -> None:
    job = begun(world, 20)
    importing.cancel(world.person, "main", job.id)

    with frozen(TUESDAY):
        do_jobs(world)

    assert (state(world, job).status, len(stored(world))) == ("cancelled", 8)


def test_the_same_appointment_twice_goes_on_once(world: World) -> None:
    job = begun(world, 20)
    with frozen(MONDAY):
        importing.resume(world.person, "main", job.id)

    with frozen(TUESDAY):
        do_jobs(world)
        do_jobs(world)

    assert importing.done_of(state(world, job)) == 16


def test_who_may_no_longer_write_imports_no_further(world: World) -> None:
    job = begun(world, 20)
    with acting_as(world.person):
        Membership.objects.filter(organization=world.organization).delete()

    with frozen(TUESDAY):
        do_jobs(world)
        do_jobs(world)

    assert len(stored(world)) == 8
    with acting_as(world.person):
        assert ImportJob.objects.get(bank=world.bank, id=job.id).status == "failed"


def test_an_appointment_counts_as_no_waiting_job(world: World) -> None:
    begun(world, 20)

    with acting_as(world.person):
        access = resolve(world.person, "main")
        told = (jobs.waiting(access).waiting, health.of_bank(access).waiting_jobs)
    # Stored as pending or not, nothing but tomorrow's appointment is left here.
    assert told == (0, 0)


def test_undoing_between_the_days_takes_back_what_is_stored(world: World) -> None:
    job = begun(world, 20)

    importing.undo(world.person, "main", job.id)
    with frozen(TUESDAY):
        do_jobs(world)

    assert (state(world, job).status, stored(world, deleted_at=None)) == ("undone", [])


def test_what_was_due_while_the_bank_lay_in_the_bin_goes_on_when_it_is_back(world: World) -> None:
    job = begun(world, 20)
    with acting_as(world.person):
        (waits,) = Job.objects.filter(bank=world.bank)
    bank_bin.bin_bank(world.person, "main", confirm="main")
    with frozen(TUESDAY):
        tried = [work_import(world.organization.id, world.bank.id, waits.id) for _ in range(6)]

    bank_bin.restore_bank(world.person, world.bank.id)
    back = state(world, job)
    with frozen(TUESDAY):
        do_jobs(world)
        do_jobs(world)

    assert tried == ["absent"] * 6
    assert (back.status, importing.done_of(back)) == ("paused", 8)
    assert importing.done_of(state(world, job)) == 16


def test_an_import_whose_bank_is_binned_under_it_goes_on_when_it_is_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half-way, with a batch under way: no failure, no line lost and none twice."""
    lines = facts(600)
    job = upload(world, "\n".join(lines))
    importing.start(world.person, "main", job.id)
    (waits,) = waiting_jobs(world)
    store = running.save_many

    def and_then_gone(*given: Any, **options: Any) -> Any:
        saved = store(*given, **options)
        bank_bin.bin_bank(world.person, "main", confirm="main")
        return saved

    with monkeypatch.context() as patched:
        patched.setattr(running, "save_many", and_then_gone)
        outcome = work_import(world.organization.id, world.bank.id, waits.id)
    with acting_as(world.person):
        away = ImportJob.objects.get(bank=world.bank, id=job.id)

    bank_bin.restore_bank(world.person, world.bank.id)
    do_jobs(world)

    done = state(world, job)
    assert (outcome, away.status, away.error, away.cursor) == ("failed", "running", "", 25)
    assert (done.status, done.counts) == ("done", {"created": 600})
    assert Counter(stored(world)) == Counter(lines)


def test_the_uploads_of_an_unfinished_import_go_with_its_purged_bank(world: World) -> None:
    job = upload(world, "\n".join(facts(20)))
    place = job.options["uploads"][0]["storage"]
    bank_bin.bin_bank(world.person, "main", confirm="main")
    there = default_storage.exists(place)
    with acting_as(world.person):
        Bank.objects.filter(id=world.bank.id).update(deleted_at=MONDAY.replace(year=2020))

    bank_bin.purge_bank(system_actor(world.organization.id, CONSOLIDATION), world.bank.id)

    assert (there, default_storage.exists(place)) == (True, False)
