from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, NotFound
from memory_app.domain.values import parse_changes
from memory_app.models import Memory, MemoryVersion, Recall
from memory_app.recall.values import Filters, Query
from memory_app.services import expanding, memories, recalling, receipts
from tests.factories import World
from tests.memory_app.recall.asking import save, save_all

QUESTION = "When is the staging database reset?"


@pytest.fixture
def asked(world: World) -> tuple[Memory, Memory, str]:
    """Two memories, and the recall of an agent that got both."""
    first = save(world, "The staging database is reset on Monday.", tags=["ops"])
    second = save(world, "The production database was reset once.", tags=["ops"])
    query = Query(text=QUESTION, limit=5, filters=Filters(tags=("ops",)))
    return first, second, recalling.search(world.caller, "main", query).recall_id


def test_a_receipt_holds_the_texts_of_then(world: World, asked: tuple[Memory, Memory, str]) -> None:
    """F5: what was served, as it stood then."""
    first, _, recall = asked
    changes = parse_changes({"content": "The staging database is reset on Friday."})
    memories.edit(world.person, "main", first.id, changes, expected_watermark=first.head_watermark)

    found = receipts.receipt(world.person, "main", recall)

    assert found.recall.query == QUESTION
    assert found.recall.actor == world.agent.id
    served = found.served[0]
    assert served.memory is not None
    assert served.memory.content == "The staging database is reset on Monday."
    assert (served.exact, served.changed) == (True, True)


def test_a_text_whose_history_is_gone_is_marked(
    world: World, asked: tuple[Memory, Memory, str]
) -> None:
    first, second, recall = asked
    with acting_as(world.person):
        MemoryVersion.objects.filter(bank=world.bank, memory_id=first.id).delete()
    memories.delete(world.person, "main", second.id)
    memories.erase(world.person, "main", second.id)

    served = receipts.receipt(world.person, "main", recall).served

    assert [(each.exact, each.memory is None) for each in served] == [(False, False), (False, True)]


def test_a_replay_of_then_gives_what_was_served(
    world: World, asked: tuple[Memory, Memory, str]
) -> None:
    first, second, recall = asked
    save(world, "The staging database is reset every Sunday as well.", tags=["ops"])
    memories.retire(world.person, "main", second.id)
    changes = parse_changes({"content": "The fox is red."})
    current = memories.pin(world.person, "main", first.id)
    memories.edit(
        world.person, "main", first.id, changes, expected_watermark=current.head_watermark
    )

    then = receipts.replay(world.person, "main", recall, at="then")

    assert [each.kind for each in then.differences] == ["same", "same"]
    assert [each.id for each in then.differences] == [first.id, second.id]


def test_a_replay_of_today_shows_gained_lost_and_moved(
    world: World, asked: tuple[Memory, Memory, str]
) -> None:
    """F5: the difference, with the reason for what is no longer served."""
    first, second, recall = asked
    new = save(world, "When is the staging database reset? On Sunday.", tags=["ops"])
    memories.retire(world.person, "main", second.id, reason="sold")

    today = receipts.replay(world.person, "main", recall)

    assert {each.id: each.kind for each in today.differences} == {
        new.id: "gained",
        first.id: "moved",
        second.id: "lost",
    }
    lost = today.differences[-1]
    assert lost.reason is not None
    assert lost.reason.stage == "retired"
    assert "sold" in lost.reason.text
    with acting_as(world.person):
        assert Recall.objects.filter(bank=world.bank).count() == 1
        assert Memory.objects.get(bank=world.bank, id=new.id).recall_count == 0


def test_a_replay_asks_with_every_option_of_the_log(world: World) -> None:
    save(world, "The staging database is reset on Monday.")
    query = Query(
        text=QUESTION,
        mode="vector",
        limit=7,
        min_score=0.1,
        max_tokens=500,
        fusion="reciprocal_rank",
        graph=False,
        filters=Filters(pinned=False, authors=(world.agent.id,), about=("Ada",)),
    )
    recall = recalling.search(world.caller, "main", query).recall_id

    assert receipts.replay(world.person, "main", recall).query == query


def test_the_number_of_statements_does_not_depend_on_the_answer(
    world: World, asked: tuple[Memory, Memory, str]
) -> None:
    few = _statements(world, asked[2])
    save_all(world, [f"Database {n} is reset on day {n}." for n in range(40)], tags=["ops"])
    query = Query(text=QUESTION, limit=40, filters=Filters(tags=("ops",)))
    many = recalling.search(world.caller, "main", query).recall_id
    memories.retire(world.person, "main", asked[0].id)

    assert _statements(world, many) <= few + 4


def test_a_walk_of_the_graph_is_kept_but_not_replayed(world: World) -> None:
    save(world, "The staging database is reset on Monday.")
    caller = replace(world.caller, tool="recall")
    walked = expanding.recall(caller, "main", text="staging", entity="", hops=1, limit=5)

    assert receipts.receipt(world.person, "main", walked.recall_id).served
    with pytest.raises(Conflict):
        receipts.replay(world.person, "main", walked.recall_id)


def test_refusals(world: World, stranger: World, asked: tuple[Memory, Memory, str]) -> None:
    with pytest.raises(NotFound):
        receipts.receipt(stranger.person, "main", asked[2])
    with pytest.raises(NotFound):
        receipts.receipt(stranger.person, world.bank.id, asked[2])
    with pytest.raises(InvalidArgument):
        receipts.replay(world.person, "main", asked[2], at="tomorrow")


def _statements(world: World, recall: str) -> int:
    with CaptureQueriesContext(connection) as counted:
        receipts.replay(world.person, "main", recall)
    return len(counted)
