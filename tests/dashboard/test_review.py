from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.actor import JUDGE
from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.queries.access import resolve
from memory_app.services import ledger
from memory_app.services.proposing import propose
from tests.dashboard.conftest import Desk

Remember = Callable[..., Memory]


@pytest.fixture
def doubt(desk: Desk, remember: Remember) -> tuple[Memory, Memory, str]:
    """Two memories and the address where their contradiction is decided."""
    old = remember("The limit is 100 requests a minute.")
    new = remember("Nobody limits requests these days.")
    with acting_as(desk.world.person), ledger.opened(resolve(desk.world.person, "main")) as book:
        proposal = propose(
            book,
            kind="contradiction",
            old=old,
            new=new,
            confidence=0.72,
            evidence={},
            created_by=JUDGE,
        )
    assert proposal is not None
    return old, new, desk.url(f"review/{proposal.id}")


def test_both_texts_stand_side_by_side(desk: Desk, doubt: tuple[Memory, Memory, str]) -> None:
    """F4: a review queue with both texts and what can be decided."""
    page = desk.client.get(desk.url("review/"))

    question = page.context["proposals"][0]
    assert question.percent == 72
    assert question.old.content == "The limit is 100 requests a minute."
    assert [choice.value for choice in question.choices] == ["replace", "keep_old", "both_stand"]
    assert page.context["shell"].bank_links[1].count == 1


@pytest.mark.parametrize(
    ("decision", "retired"),
    [("replace", [True, False]), ("keep_old", [False, True]), ("both_stand", [False, False])],
)
def test_a_decision_is_carried_out_and_taken_back(
    desk: Desk, doubt: tuple[Memory, Memory, str], decision: str, retired: list[bool]
) -> None:
    old, new, address = doubt

    decided = desk.client.post(address, {"decision": decision}, follow=True).content.decode()
    after = _retired(desk, old, new)
    desk.client.post(f"{address}/undo")

    assert f'action="{address}/undo"' in decided
    assert after == retired
    assert _retired(desk, old, new) == [False, False]
    assert len(desk.client.get(desk.url("review/")).context["proposals"]) == 1


def test_an_unknown_decision_changes_nothing(desk: Desk, doubt: tuple[Memory, Memory, str]) -> None:
    old, new, address = doubt

    page = desk.client.post(
        address, {"decision": "guess", "next": desk.url("review/")}, follow=True
    )

    assert "decision is" in page.content.decode()
    assert _retired(desk, old, new) == [False, False]


def _retired(desk: Desk, *memories: Memory) -> list[bool]:
    with acting_as(desk.world.person):
        found = {m.id: m for m in Memory.objects.filter(bank_id=desk.world.bank.id)}
    return [found[memory.id].retired_at is not None for memory in memories]
