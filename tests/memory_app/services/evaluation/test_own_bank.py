"""D10: recall on a bank's own memories, by questions that the bank itself answers."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from accounts.tenancy import acting_as
from memory_app.models import LedgerEntry, Recall
from tests.contracts.facts_world import call, fact, second_agent, write
from tests.contracts.knowledge import connect
from tests.factories import World
from tests.mcp.client import mcp_call

pytestmark = pytest.mark.usefixtures("minilm")


@pytest.fixture
def filled(minilm: None, world: World) -> World:
    """Six facts, an observation whose entity carries a question, and one recorded save."""
    connect(world, tier="full")
    works = [("Ana", "Acme"), ("Ben", "Birch"), ("Cleo", "Cedar"), ("Dan", "Delta")]
    reply = write(
        world,
        *(
            fact(who, "works_at", where, f"{who} designs turbine number {n} at {where} in spring.")
            for n, (who, where) in enumerate(works)
        ),
        fact("Ben", "visited", "Acme", "Ben inspected the flooded cellar of Acme twice."),
        fact("Acme", "hired", "Ben", "Acme later hired Ben as an inspector of cellars."),
        assume_new=True,
    )
    mcp_call(
        world,
        "add_observation",
        {
            "title": "Harbour",
            "content": "The harbour master keeps the tide tables in a tin box.",
            "entities": [
                {
                    "name": "Tide tables",
                    "type": "document",
                    "description": "When the water stands high",
                    "queries": ["When is high water?"],
                }
            ],
        },
    )
    reader = second_agent(world)
    found = call(world, "query_memory", key=reader, query="Who designs turbines at Cedar?").reply
    fact_id = reply["facts"][2]["fact_id"]
    assert fact_id in [one["fact_id"] for one in found["facts"]]
    saved = call(world, "record_recall_save", key=reader, fact_id=fact_id, note="No need to ask.")
    assert saved.reply["recorded"]
    return world


def measured(world: World, *arguments: str) -> dict[str, Any]:
    output = io.StringIO()
    call_command(
        "eval",
        "own-bank",
        "--bank=main",
        f"--organization={world.organization.slug}",
        "--json",
        *arguments,
        stdout=output,
    )
    return dict(json.loads(output.getvalue()))


def counted(world: World) -> list[int]:
    kinds = (LedgerEntry, Recall)
    return [kind.objects.filter(bank_id=world.bank.id).count() for kind in kinds]


def test_every_shape_is_asked_and_what_is_stored_is_found(filled: World) -> None:
    """D10"""
    found = measured(filled)

    shapes = {name: one["questions"] for name, one in found["by_shape"].items()}
    assert shapes == {"entity query": 1, "pair": 5, "saved": 1, "words": 7}
    assert found["total"]["questions"] == 14
    assert found["total"]["averages"]["hit@10"] == 1
    assert found["by_shape"]["words"]["averages"]["MRR"] > 0.9


def test_measuring_changes_logs_and_counts_nothing(filled: World) -> None:
    """D10"""
    with acting_as(filled.person):
        before = counted(filled)

    assert measured(filled) == measured(filled)

    with acting_as(filled.person):
        assert counted(filled) == before


def test_a_sweep_asks_by_weights_and_by_budgets(filled: World) -> None:
    """D10"""
    found = measured(filled, "--sweep")

    assert list(found["weights"]) == ["0.0", "0.25", "0.5", "0.75", "1.0"]
    least, most = found["budgets"]["250"], found["budgets"]["8000"]
    assert least["averages"]["recall@10"] <= most["averages"]["recall@10"] == 1


def test_the_context_a_recall_saves_is_told_over_the_size_of_the_bank(filled: World) -> None:
    """D10"""
    found = measured(filled, "--context", "--sweep")["context"]

    assert [part["memories"] for part in found] == [6, 7]
    assert found[0]["everything"] < found[1]["everything"]
    assert all(0 < part["found"] <= 1 for part in found)


def test_an_empty_bank_has_no_questions(world: World) -> None:
    """D10"""
    output = io.StringIO()
    call_command(
        "eval",
        "own-bank",
        "--bank=main",
        f"--organization={world.organization.slug}",
        "--context",
        "--sweep",
        stdout=output,
    )

    assert "all" in output.getvalue()
    assert measured(world)["total"] == {
        "questions": 0,
        "averages": {"hit@1": None, "hit@10": None, "recall@10": None, "MRR": None},
    }
