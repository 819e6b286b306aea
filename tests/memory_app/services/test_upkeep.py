from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, connections

from accounts.actor import CONSOLIDATION, Actor, system_actor
from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from memory_app.domain.values import parse_changes, parse_draft
from memory_app.models import Bank, BankTerm, Cell, LedgerContent, Memory, MemoryVersion, Recall
from memory_app.providers.clock import frozen, now
from memory_app.queries import neighbours
from memory_app.queries.access import resolve
from memory_app.recall.channels import dense
from memory_app.services import importing, ledger, memories, purging, upkeep, vector_index
from tests.factories import World
from tests.jobs import do_jobs, waiting_jobs


def system(world: World) -> Actor:
    return system_actor(world.organization.id, CONSOLIDATION)


def save(world: World, text: str) -> Memory:
    return memories.save(world.caller, "main", parse_draft(content=text), judge=False).memory


def bank_of(world: World) -> Bank:
    with acting_as(world.person):
        return Bank.objects.get(id=world.bank.id)


def terms_of(world: World) -> dict[str, int]:
    with acting_as(world.person):
        return dict(BankTerm.objects.filter(bank=world.bank).values_list("lexeme", "cells"))


def test_terms_and_figures_follow_the_live_cells(world: World) -> None:
    save(world, "Kit drinks tea in Ayr.")
    save(world, "Ada drinks water in Fife.")
    gone = save(world, "Ravi drinks tea in Oban.")
    upkeep.refresh_terms(system(world), world.bank.id)
    before = terms_of(world)
    memories.retire(world.person, "main", gone.id)

    upkeep.refresh_terms(system(world), world.bank.id)

    assert before.items() >= {"drink": 3, "tea": 2}.items()
    assert terms_of(world)["drink"] == 2
    assert "tea" not in terms_of(world)
    assert bank_of(world).live_cells == 2
    assert bank_of(world).average_length > 0


def test_a_bank_that_has_not_changed_costs_no_count(world: World) -> None:
    save(world, "Kit drinks tea in Ayr.")

    rounds = [upkeep.tend(system(world), world.bank.id) for _ in range(2)]
    save(world, "Ravi drinks coffee in Oban.")

    assert [*rounds, upkeep.tend(system(world), world.bank.id)] == [True, False, True]


def test_a_pending_memory_whose_job_was_lost_gets_another(world: World) -> None:
    memory = save(world, "Kit drinks tea in Ayr.")
    with acting_as(world.person):
        Memory.objects.filter(bank=world.bank, id=memory.id).update(
            indexed_at=None, updated_at=now() - timedelta(hours=1)
        )
        Cell.objects.filter(bank=world.bank, memory_id=memory.id).update(embedding=None)

    upkeep.tend(system(world), world.bank.id)
    upkeep.tend(system(world), world.bank.id)

    assert [job.arguments for job in waiting_jobs(world)] == [{"memory_ids": [memory.id]}]
    assert do_jobs(world) == ["done"]


def plan_of(world: World, statement: str) -> str:
    """How a statement is carried out when every other way is made dear."""
    vector = "[" + ",".join(["0.1"] * world.bank.dimensions) + "]"
    bank = to_uuid("bank", world.bank.id)
    values = {"vector": vector, "bank": bank, "bank_literal": bank, "limit": 5, "depth": 5}
    values |= {"near_bank": bank, "near_limit": 5}
    values["model"] = world.bank.embedding_model
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        size = world.bank.dimensions
        asked = statement.format(
            dimensions=size,
            type=f"halfvec({size})",
            same_model=dense._SAME_MODEL,
            vector="vector",
        )
        cursor.execute("EXPLAIN " + asked, values)
        return "\n".join(row[0] for row in cursor.fetchall())


def test_a_big_bank_gets_an_index_and_a_shrunken_one_loses_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_index, "BUILD_ABOVE", 2)
    monkeypatch.setattr(vector_index, "DROP_BELOW", 1)
    kept = [save(world, f"Item {number} weighs {number} kg.") for number in range(3)]
    upkeep.tend(system(world), world.bank.id)
    built = do_jobs(world)
    name = bank_of(world).vector_index
    with acting_as(world.person):
        cells = list(Cell.objects.filter(bank=world.bank).order_by("id"))
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [name])
        (definition,) = owner.fetchone()
    writing = neighbours._NEAREST_INDEXED + neighbours._WITH_TEXTS
    plans = [plan_of(world, writing), plan_of(world, dense._INDEXED)]
    [memories.retire(world.person, "main", memory.id) for memory in kept[:2]]

    upkeep.tend(system(world), world.bank.id)
    dropped = do_jobs(world)

    assert (built, dropped) == (["done"], ["done"])
    assert "USING hnsw" in definition
    assert f"halfvec({world.bank.dimensions})" in definition
    assert bank_of(world).vector_index == ""
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT count(*) FROM pg_class WHERE relname = %s", [name])
        assert owner.fetchone() == (0,)
    assert len(cells) == 3
    assert [f"using {name}" in plan.lower() for plan in plans] == [True, True]


def test_between_the_bars_an_index_stays_as_it_is() -> None:
    shape = {"dimensions": 384, "live_cells": 15_000}

    assert not vector_index.wanted(Bank(**shape))
    assert vector_index.wanted(Bank(**shape, vector_index="cells_hnsw_x"))
    assert vector_index.wanted(Bank(dimensions=1_536, live_cells=1))
    assert not vector_index.wanted(Bank(dimensions=8_000, live_cells=50_000))


def test_no_more_indexes_than_the_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "BUILD_ABOVE", 0)
    monkeypatch.setattr(vector_index, "INDEXES_LIMIT", 0)
    save(world, "Kit drinks tea in Ayr.")
    upkeep.refresh_terms(system(world), world.bank.id)

    assert vector_index.tend(system(world), world.bank.id) == "full"
    assert bank_of(world).vector_index == ""


def test_the_bin_is_emptied_after_thirty_days_and_the_chain_holds(world: World) -> None:
    """F2: content leaves the ledger too, and nothing breaks."""
    gone, kept = save(world, "Kit drinks tea in Ayr."), save(world, "Ravi drinks coffee in Oban.")
    memories.delete(world.person, "main", gone.id)
    early = purging.purge(system(world), world.bank.id)["memories"]

    with frozen(now() + timedelta(days=31)):
        late = purging.purge(system(world), world.bank.id)["memories"]

    with acting_as(world.person):
        left = list(Memory.objects.filter(bank=world.bank).values_list("id", flat=True))
        contents = str(list(LedgerContent.objects.filter(bank=world.bank).values("content")))
    assert (early, late) == (0, 1)
    assert left == [kept.id]
    assert "drinks tea" not in contents
    assert "drinks coffee" in contents
    assert ledger.verify(world.person, "main").valid


def test_what_was_erased_by_hand_leaves_ledger_and_import_report(world: World) -> None:
    """F2"""
    report = importing.run_import(world.caller, "main", "Kit drinks tea in Ayr.")
    erased = str(report.lines[0].memory_id)
    memories.delete(world.person, "main", erased)
    memories.erase(world.person, "main", erased)

    first = purging.purge(system(world), world.bank.id)["contents"]
    second = purging.purge(system(world), world.bank.id)["contents"]

    with acting_as(world.person):
        contents = str(list(LedgerContent.objects.filter(bank=world.bank).values("content")))
    assert (first, second) == (2, 0)
    assert "drinks tea" not in contents
    kept = importing.report_of(world.person, "main", report.import_id)
    assert [line.text for line in kept.lines] == [""]
    assert ledger.verify(world.person, "main").valid


def test_history_goes_after_the_banks_window_and_a_retired_memory_can_still_be_revived(
    world: World,
) -> None:
    """B3, B5"""
    edited, retired = save(world, "Kit drinks tea in Ayr."), save(world, "Ravi drinks cocoa.")
    changes = parse_changes({"content": "Kit drinks coffee in Oban."})
    memories.edit(world.person, "main", edited.id, changes, expected_watermark=None)
    memories.retire(world.person, "main", retired.id)
    early = purging.purge(system(world), world.bank.id)

    with frozen(now() + timedelta(days=8)):
        late = purging.purge(system(world), world.bank.id)

    memories.revive(world.person, "main", retired.id)
    with acting_as(world.person):
        versions = MemoryVersion.objects.filter(bank=world.bank, memory_id=edited.id).count()
        texts = Cell.objects.filter(bank=world.bank, live=True).order_by("text")
        vectors = [(cell.text, cell.embedding is not None) for cell in texts]
    assert (early["versions"], early["cells"]) == (0, 0)
    assert (late["versions"], late["cells"]) == (1, 1)
    assert versions == 1
    assert vectors == [("Kit drinks coffee in Oban.", True), ("Ravi drinks cocoa.", True)]


def test_read_logs_go_after_ninety_days(world: World) -> None:
    with acting_as(world.person):
        Recall.objects.create(
            organization=world.organization, bank=world.bank, actor=world.agent.id, mode="hybrid"
        )
    early = purging.purge(system(world), world.bank.id)["recalls"]

    with frozen(now() + timedelta(days=91)):
        late = purging.purge(system(world), world.bank.id)["recalls"]

    assert (early, late) == (0, 1)


def test_a_strangers_round_touches_nothing_of_ours(world: World, stranger: World) -> None:
    memory = save(world, "Kit drinks tea in Ayr.")
    memories.delete(world.person, "main", memory.id)

    with frozen(now() + timedelta(days=31)):
        purging.purge(system(stranger), stranger.bank.id)
        redacted = purging.redact(system(stranger), world.bank.id, [memory.id])

    with acting_as(world.person):
        assert Memory.objects.filter(bank=world.bank).count() == 1
        assert resolve(world.person, "main").bank.head_watermark == 2
    assert redacted == 0
