"""D10: typing stored facts by what their own sentence says, and taking exactly that back."""

from __future__ import annotations

import io
import json
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import acting_as
from memory_app.domain.errors import TierInsufficient
from memory_app.models import Assertion, LedgerEntry
from memory_app.providers.judging.causal import CauseReader
from memory_app.providers.judging.language_model import ChatEndpoint
from memory_app.services import hinting, ledger
from memory_app.services.memories import retire
from tests.contracts.facts_world import call, fact, write
from tests.contracts.knowledge import connect
from tests.factories import World

CAUSE = "The outage was caused by the config push."


@pytest.fixture(autouse=True)
def connected(world: World) -> None:
    connect(world, tier="full")


def infer(world: World, *arguments: str) -> dict[str, Any]:
    output = io.StringIO()
    call_command(
        "infer_causal_hints",
        "--bank=main",
        f"--organization={world.organization.slug}",
        "--json",
        *arguments,
        stdout=output,
    )
    return dict(json.loads(output.getvalue()))


def hints(world: World) -> list[str]:
    with acting_as(world.person):
        rows = Assertion.objects.filter(bank=world.bank, until=None).order_by("id")
        return [row.causal_hint for row in rows]


def entries(world: World) -> list[LedgerEntry]:
    with acting_as(world.person):
        return list(LedgerEntry.objects.filter(bank_id=world.bank.id).order_by("seq"))


def test_a_dry_run_shows_the_words_and_changes_nothing(world: World) -> None:
    """D10"""
    write(world, fact("outage", "came_from", "config push", CAUSE), fact("Ana", "knows", "Ben"))
    before = len(entries(world))

    found = infer(world)

    assert (found["facts"], found["read"], found["written"]) == (2, 1, 0)
    assert [(one["hint"], one["quote"]) for one in found["suggestions"]] == [("caused_by", CAUSE)]
    assert len(entries(world)) == before
    assert hints(world) == ["", ""]


def test_written_hints_join_a_chain_and_stand_in_the_ledger(world: World) -> None:
    """D10, D5, D7"""
    write(world, fact("outage", "came_from", "config push", CAUSE))

    assert infer(world, "--write")["written"] == 1
    again = infer(world, "--apply")

    traced = call(world, "trace_cause", subject="outage", direction="upstream").reply
    assert [[one["fact"] for one in chain] for chain in traced["causes"]] == [[CAUSE]]
    assert (again["facts"], again["written"]) == (0, 0)
    assert entries(world)[-1].operation == "causal_hint"
    assert ledger.verify(world.person, "main").valid
    audited = call(world, "get_audit_log").reply["entries"][-1]["reason"]
    assert audited.startswith("Typed the cause that the fact states")


def test_clearing_takes_back_late_hints_and_no_others(world: World) -> None:
    """D10"""
    write(world, fact("outage", "came_from", "config push", CAUSE))
    write(world, fact("storm", "hit", "pier", "A storm led to the pier.", causal_hint="led_to"))
    infer(world, "--write")

    assert infer(world, "--clear") == {"cleared": 1, "written": False}
    assert hints(world) == ["caused_by", "led_to"]
    assert infer(world, "--clear", "--write")["cleared"] == 1
    assert hints(world) == ["", "led_to"]
    assert infer(world, "--clear", "--write")["cleared"] == 0


def test_a_fact_that_ended_since_is_left_alone(world: World) -> None:
    """D10"""
    reply = write(world, fact("outage", "came_from", "config push", CAUSE))
    found = hinting.suggest(world.person, "main", hinting.WordReader())
    retire(world.person, "main", reply["facts"][0]["fact_id"])

    assert hinting.write(world.person, "main", found.suggestions) == 0
    assert entries(world)[-1].operation == "retire"


def test_an_agent_that_may_only_add_may_not(world: World) -> None:
    """D10, A19"""
    connect(world, tier="read_write")

    with pytest.raises(TierInsufficient):
        hinting.suggest(world.caller, "main", hinting.WordReader())


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ({"hint": "caused_by", "quote": "was caused by"}, 1),
        ({"hint": "caused_by", "quote": "is caused by"}, 0),
        ({"hint": "caused_by", "quote": "config push"}, 0),
        ({"hint": "none", "quote": "was caused by"}, 0),
        ({"hint": ["caused_by"], "quote": 7}, 0),
        ("nothing", 0),
    ],
)
def test_a_models_word_counts_only_with_words_of_the_fact(
    world: World, answer: object, read: int
) -> None:
    """D10"""
    write(world, fact("outage", "came_from", "config push", CAUSE), fact("Ana", "knows", "Ben"))
    asked: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        content = json.dumps(answer)
        return httpx.Response(200, json={"choices": [{"message": {"content": content}}]})

    client = httpx.Client(transport=httpx.MockTransport(respond))
    reader = CauseReader(ChatEndpoint(base="https://llm.example/v1", model="m", client=client))

    found = hinting.suggest(world.person, "main", reader)

    assert len(asked) == 1
    assert len(found.suggestions) == read


def test_a_model_that_is_not_named_is_said(world: World) -> None:
    """D10"""
    with pytest.raises(CommandError, match="JUDGE_MODEL"):
        infer(world, "--reader=model")
