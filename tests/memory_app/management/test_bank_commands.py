from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Cell, Entity, EntityProbe, Link, Memory, Proposal
from memory_app.queries.jobs import every_bank
from memory_app.recall.values import Query
from memory_app.services import ledger
from memory_app.services.banks import update_bank
from memory_app.services.memories import save
from memory_app.services.recalling import search
from tests.factories import World, make_bank
from tests.memory_app.services.portability.rich import fill


def run(world: World, command: str, *arguments: str) -> str:
    output = io.StringIO()
    call_command(command, *arguments, stdout=output, stderr=io.StringIO())
    return output.getvalue()


def run_in(world: World, command: str, bank: str, *arguments: str) -> str:
    named = ["--bank", bank, "--organization", world.organization.slug]
    return run(world, command, *named, *arguments)


def test_a_bank_goes_through_a_file(world: World, tmp_path: Path) -> None:
    """D10"""
    fill(world)
    make_bank(world, "copy")
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"

    run_in(world, "export", "main", str(first))
    said = run_in(world, "import_bank", "copy", str(first))
    run_in(world, "export", "copy", str(second))

    assert "memory" in said
    assert first.read_bytes().split(b"\n", 1)[1] == second.read_bytes().split(b"\n", 1)[1]
    assert "nothing was changed" in run_in(world, "import_bank", "copy", str(first))


def test_a_missing_file_and_an_unknown_bank_are_said(world: World, tmp_path: Path) -> None:
    """D10"""
    with pytest.raises(CommandError, match="No such file"):
        run_in(world, "import_bank", "main", str(tmp_path / "absent.jsonl"))
    with pytest.raises(CommandError, match=r"no such bank.*manage\.py create_access"):
        run_in(world, "import_bank", "absent", __file__)
    with pytest.raises(CommandError, match="no such bank"):
        run_in(world, "export", "absent", str(tmp_path / "bank.jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_health_says_what_is_weak_and_what_recall_cost(world: World) -> None:
    """D10"""
    save(world.caller, "main", parse_draft(content="The valve opens at noon."))
    search(world.caller, "main", Query(text="valve", mode="keyword"))
    search(world.caller, "main", Query(text="zeppelin", mode="keyword"))
    with acting_as(world.person):
        Memory.objects.filter(bank=world.bank).update(
            recall_count=0, updated_at="2020-01-01T00:00:00Z"
        )

    found = json.loads(run_in(world, "health", "main", "--json"))

    assert (found["recall"]["reads"], found["recall"]["answered"]) == (2, 1)
    assert (found["stale"], found["never_recalled"]) == (1, 1)
    assert found["score"] == 100 - sum(one["points"] for one in found["weak"]) < 100
    assert "found nothing" in found["weak"][0]["what"]


def test_an_empty_bank_is_well(world: World) -> None:
    """D10"""
    assert run_in(world, "health", "main").startswith("Score: 100 of 100")
    assert "main" in run(world, "status")


def test_reindex_makes_vectors_words_and_degrees_again(world: World) -> None:
    """D10"""
    fill(world)
    with acting_as(world.person):
        Cell.objects.filter(bank=world.bank).update(embedding=None, words=None)
        EntityProbe.objects.filter(bank=world.bank).update(embedding=None)
        Entity.objects.filter(bank=world.bank).update(degree=9)

    said = run_in(world, "reindex", "main")

    found = search(world.person, "main", Query(text="crane tonnes", mode="keyword"))
    with acting_as(world.person):
        degrees = set(Entity.objects.filter(bank=world.bank).values_list("degree", flat=True))
        without = Cell.objects.filter(bank=world.bank, embedding=None).count()
    assert "2 degrees corrected" in said
    assert (degrees, without) == ({1}, 0)
    assert found.result.hits


def test_reindexing_everything_keeps_what_is_found(world: World) -> None:
    """D10"""
    fill(world)
    before = search(world.person, "main", Query(text="the night shift")).result.hits

    said = run_in(world, "reindex", "main", "--all")

    after = search(world.person, "main", Query(text="the night shift")).result.hits
    assert [hit.memory.id for hit in after] == [hit.memory.id for hit in before]
    assert not said.startswith("0 ")


def test_reindexing_everything_makes_automatic_links_again(world: World) -> None:
    """D10"""
    update_bank(world.person, "main", auto_link=True, auto_link_threshold=0.3)
    save(world.person, "main", parse_draft(content="The gate of the north yard opens at seven."))
    save(world.person, "main", parse_draft(content="The gate of the south yard opens at nine."))
    with acting_as(world.person):
        made = Link.objects.filter(bank=world.bank, type="vector_neighbor")
        before = list(made.values_list("source_id", "target_id"))
        made.delete()

    first = run_in(world, "reindex", "main", "--all")
    second = run_in(world, "reindex", "main", "--all")

    with acting_as(world.person):
        after = list(made.values_list("source_id", "target_id"))
    assert len(before) == 1
    assert after == before
    assert ("1 links changed" in first, "0 links changed" in second) == (True, True)
    assert ledger.verify(world.person, "main").valid


def test_why_tells_a_memorys_story_from_any_bank(world: World) -> None:
    """D9, D10"""
    rows = fill(world)

    told = run(world, "why", rows["live"].id)

    assert rows["live"].id in told
    with pytest.raises(CommandError, match="no such memory"):
        run(world, "why", "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_calibrate_finds_the_bar_from_which_people_agreed(world: World) -> None:
    """D10"""
    old = save(world.person, "main", parse_draft(content="The lamp is red.")).memory
    with acting_as(world.person):
        for number in range(40):
            Proposal.objects.create(
                organization=world.organization,
                bank=world.bank,
                kind="duplicate",
                status="accepted" if number >= 20 else "rejected",
                old_memory_id=old.id,
                new_memory_id=old.id,
                pair_key=str(number),
                confidence=0.5 + number / 100,
                created_by="agent_system_judge",
            )

    found = json.loads(run_in(world, "calibrate", "main", "--json"))

    assert [(one["kind"], one["decided"], one["suggested"]) for one in found] == [
        ("duplicate", 40, 0.7)
    ]


def test_benchmark_times_three_operations_and_leaves_no_bank() -> None:
    """D10"""
    before = every_bank()
    output = io.StringIO()

    call_command("benchmark", "--memories", "20", "--times", "3", "--json", stdout=output)

    measured = json.loads(output.getvalue())
    assert [one["operation"] for one in measured] == ["write", "query", "digest"]
    assert all(0 < one["median"] <= one["p95"] for one in measured)
    assert sorted(every_bank()) == sorted(before)
