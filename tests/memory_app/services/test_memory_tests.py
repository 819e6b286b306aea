from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.services.agents import pause_agent
from accounts.tenancy import acting_as
from memory_app.config.schedule import SCHEDULE
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound, TierInsufficient
from memory_app.models import LedgerEntry, Memory, MemoryTest, MemoryTestRun, Recall
from memory_app.services import importing, memories, memory_tests, test_runs
from tests.factories import World
from tests.jobs import do_jobs, waiting_jobs
from tests.memory_app.recall.asking import save

QUESTION = "When is the staging database reset?"


@pytest.fixture
def monday(world: World) -> Memory:
    return save(world, "The staging database is reset on Monday.")


def test_a_test_is_green_while_the_memory_is_served_and_red_after(
    world: World, monday: Memory
) -> None:
    """Red or green, with history and the reason."""
    test = create(world, monday)
    first = test_runs.run_one(world.person, "main", test.id)
    memories.retire(world.person, "main", monday.id, reason="moved")
    second = test_runs.run_one(world.person, "main", test.id)

    runs = memory_tests.story(world.person, "main", test.id).runs

    assert (first.status, first.last_place) == ("green", 1)
    assert (second.status, second.last_place) == ("red", None)
    assert "moved" in second.last_reason
    assert [(run.status, run.stage) for run in runs] == [("red", "retired"), ("green", "served")]
    assert runs[0].watermark > runs[1].watermark


def test_what_must_never_appear_is_red_while_it_does(world: World, monday: Memory) -> None:
    test = create(world, monday, must_appear=False)
    served = test_runs.run_one(world.person, "main", test.id)
    memories.retire(world.person, "main", monday.id)
    gone = test_runs.run_one(world.person, "main", test.id)

    assert (served.status, gone.status) == ("red", "green")
    assert "served at place 1" in served.last_reason


def test_the_memory_has_to_be_among_the_first(world: World, monday: Memory) -> None:
    better = save(world, "When is the staging database reset? On Monday.")
    narrow = create(world, monday, within=1)
    wide = create(world, monday, within=2)

    assert test_runs.run_one(world.person, "main", narrow.id).status == "red"
    assert test_runs.run_one(world.person, "main", wide.id).last_place == 2
    assert better.id != monday.id


def test_a_test_keeps_the_conditions_of_the_recall_it_came_from(
    world: World, monday: Memory
) -> None:
    test = create(world, monday, options={"tags": ["ops"], "limit": 3, "as_of": "never"})

    assert test.options == {"tags": ["ops"]}
    ran = test_runs.run_one(world.person, "main", test.id)
    assert "tags asks for ops" in ran.last_reason


def test_an_agent_without_access_gets_nothing(world: World, monday: Memory) -> None:
    must = create(world, monday, agent=world.agent.id)
    never = create(world, monday, agent=world.agent.slug, must_appear=False)
    before = test_runs.run_one(world.person, "main", must.id).status
    pause_agent(world.person, world.agent.id)

    red = test_runs.run_one(world.person, "main", must.id)

    assert (before, red.status) == ("green", "red")
    assert "paused" in red.last_reason
    assert test_runs.run_one(world.person, "main", never.id).status == "green"


def test_an_erased_memory_turns_its_test_red(world: World, monday: Memory) -> None:
    test = create(world, monday)
    memories.delete(world.person, "main", monday.id)
    memories.erase(world.person, "main", monday.id)

    assert test_runs.run_one(world.person, "main", test.id).last_reason == "It has been erased."


def test_runs_are_nobodys_recalls(world: World, monday: Memory) -> None:
    test = create(world, monday, agent=world.agent.id)
    test_runs.run_one(world.person, "main", test.id)

    with acting_as(world.person):
        assert Recall.objects.filter(bank=world.bank).count() == 0
        assert Memory.objects.get(bank=world.bank, id=monday.id).recall_count == 0


def test_every_change_is_in_the_ledger_and_can_be_taken_back(world: World, monday: Memory) -> None:
    test = create(world, monday)
    same = create(world, monday)
    memory_tests.change(world.person, "main", test.id, {"within": 3, "note": "why"})
    memory_tests.delete(world.person, "main", test.id)
    empty = memory_tests.list_page(world.person, "main").tests
    memory_tests.restore(world.person, "main", test.id)

    with acting_as(world.person):
        entries = LedgerEntry.objects.filter(bank=world.bank, target=test.id).order_by("seq")
        told = list(entries.values_list("operation", flat=True))
    assert same.id == test.id
    assert told == ["create_test", "change_test", "delete_test", "restore_test"]
    assert empty == ()
    assert memory_tests.list_page(world.person, "main").tests[0].within == 3


def test_a_round_runs_each_test_in_as_many_statements(world: World, monday: Memory) -> None:
    create(world, monday)
    few = _statements(world)
    for within in range(1, 6):
        create(world, monday, within=within)

    many = _statements(world)

    assert (many - few) % 5 == 0
    assert (many - few) / 5 <= 14
    assert test_runs.run_all(world.person, "main").green == 6


def test_only_so_many_runs_are_kept(
    world: World, monday: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_runs, "RUNS_KEPT", 3)
    test = create(world, monday)
    for _ in range(5):
        test_runs.run_one(world.person, "main", test.id)

    with acting_as(world.person):
        assert MemoryTestRun.objects.filter(bank=world.bank).count() == 3


def test_after_an_import_the_tests_run_once_it_is_over(
    world: World, monday: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = create(world, monday)
    test_runs.run_one(world.person, "main", test.id)
    idle = _due(world)
    importing.run_import(world.person, "main", "- The pump is red.\n- The fan is blue.")
    running = _due(world)
    monkeypatch.setattr(test_runs, "QUIET", timedelta(0))
    due = _due(world)
    twice = _due(world)
    _do(world)

    after = memory_tests.story(world.person, "main", test.id)
    assert idle is False
    assert (running, due, twice) == (False, True, False)
    assert [run.cause for run in after.runs] == ["sweep", "demand"]
    assert _due(world) is False


def test_an_ordinary_change_waits_for_the_night(world: World, monday: Memory) -> None:
    test = create(world, monday)
    test_runs.run_one(world.person, "main", test.id)
    save(world, "The pump is red.")

    by_day = _due(world)
    at_night = test_runs.enqueue_due(world.person, world.bank.id, night=True)
    _do(world)

    assert (by_day, at_night) == (False, True)
    assert memory_tests.story(world.person, "main", test.id).runs[0].cause == "night"
    assert test_runs.enqueue_due(world.person, world.bank.id, night=True) is False
    assert SCHEDULE["tests_at_night"]["kwargs"] == {"night": True}


def test_a_bank_without_tests_is_left_alone(world: World, monday: Memory) -> None:
    with CaptureQueriesContext(connection) as counted:
        assert test_runs.enqueue_due(world.person, world.bank.id, night=True) is False

    assert len(counted) <= 5


def test_tests_are_listed_by_page_and_status(world: World, monday: Memory) -> None:
    made = [create(world, monday, within=within) for within in range(1, 6)]
    test_runs.run_one(world.person, "main", made[0].id)

    first = memory_tests.list_page(world.person, "main", limit=3)
    second = memory_tests.list_page(world.person, "main", limit=3, after=first.next_after)
    green = memory_tests.list_page(world.person, "main", status="green")

    listed = [test.id for test in (*first.tests, *second.tests)]
    assert listed == [test.id for test in reversed(made)]
    assert [test.id for test in green.tests] == [made[0].id]
    assert second.next_after is None


def test_refusals(
    world: World, stranger: World, monday: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = create(world, monday)
    theirs = save(stranger, "The staging database is reset on Monday.")

    with pytest.raises(NotFound):
        memory_tests.story(stranger.person, "main", test.id)
    with pytest.raises(NotFound):
        test_runs.run_one(stranger.person, "main", test.id)
    with pytest.raises(NotFound):
        create(world, theirs)
    with pytest.raises(TierInsufficient):
        memory_tests.delete(replace(world.person, role="viewer"), "main", test.id)
    with pytest.raises(InvalidArgument):
        create(world, monday, within=51)
    monkeypatch.setattr(memory_tests, "TESTS_LIMIT", 1)
    with pytest.raises(Conflict, match="most it can have"):
        create(world, monday, within=9)


def create(world: World, memory: Memory, **values: object) -> MemoryTest:
    given = {"query": QUESTION, "memory": memory.id} | values
    return memory_tests.create(world.person, "main", **given)  # type: ignore[arg-type]


def _due(world: World) -> bool:
    return test_runs.enqueue_due(world.person, world.bank.id)


def _do(world: World) -> None:
    assert [job.task for job in waiting_jobs(world)] == ["run_tests"]
    assert do_jobs(world) == ["done"]


def _statements(world: World) -> int:
    with CaptureQueriesContext(connection) as counted:
        test_runs.run_all(world.person, "main")
    return len(counted)
