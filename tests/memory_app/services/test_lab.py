from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound, TierInsufficient
from memory_app.domain.observing import parse_observation
from memory_app.models import DailyUsage, Memory, Recall
from memory_app.queries.access import resolve
from memory_app.recall import run
from memory_app.recall.trace import Trace
from memory_app.recall.values import Filters, Query
from memory_app.services import lab, memories
from memory_app.services.lab_replies import lab_reply
from tests.factories import World, make_bank, make_world
from tests.memory_app.recall.asking import save, save_all

QUESTION = "When is the staging database reset?"


def test_the_parts_of_a_score_add_up_to_it(minilm: None) -> None:
    """F5: every channel's rank and score, and what each of them gave."""
    world = make_world()
    save(world, "The staging database is reset every Monday.", session="s1")
    save(world, "Somebody has to warn the testers before.", session="s1")
    save_all(world, [f"Pump {number} stands in hall {number}." for number in range(30)])

    found = lab.explain(world.person, "main", Query(text=QUESTION, limit=5))

    for hit in found.result.hits:
        parts = sum(found.contributions(hit.memory.id).values())
        lent = hit.adjustments.get("neighbour", 0.0)
        assert (parts + lent) * hit.adjustments["freshness"] == pytest.approx(hit.fused)
    first = found.result.hits[0]
    assert set(first.channels) >= {"dense", "lexical"}
    assert first.channels["lexical"].rank == 1
    assert found.beside(first.memory.id)
    assert set(found.result.timings) >= {"dense", "lexical", "surroundings", "load"}


def test_the_path_through_the_graph_is_told(world: World) -> None:
    """F5: the expansion path; the graph's channel adds its own part of the score."""
    for content in ("Ada leads Billing.", "Billing owns the invoice database."):
        draft = parse_observation(
            {
                "content": content,
                "entities": [
                    {"name": name, "description": f"About {name}."} for name in _capitals(content)
                ],
            }
        )
        memories.save(world.caller, "main", draft)

    found = lab.explain(world.person, "main", Query(text="What does Ada lead?", graph=True))

    paths = {hit.memory.content: found.mentioned[hit.memory.id] for hit in found.result.hits}
    assert paths["Billing owns the invoice database."] == ("Billing",)
    assert all("graph" in found.contributions(hit.memory.id) for hit in found.result.hits)


def test_tracing_changes_neither_the_answer_nor_the_statements(world: World) -> None:
    """F5: the same engine, and a recall without a trace does nothing more."""
    save_all(world, [f"Pump {number} stands in hall {number}." for number in range(30)])
    query = Query(text="pump in hall 7", limit=3)

    with acting_as(world.person):
        access = resolve(world.person, "main")
        with CaptureQueriesContext(connection) as plain:
            first = run(access, query)
        with CaptureQueriesContext(connection) as traced:
            second = run(access, query, trace=Trace())

    assert [hit.memory.id for hit in first.hits] == [hit.memory.id for hit in second.hits]
    assert len(plain) == len(traced)


def test_a_look_counts_for_nobody(world: World) -> None:
    memory = save(world, "The staging database is reset every Monday.")
    used = _used(world)

    lab.explain(world.person, "main", Query(text=QUESTION), agent=world.agent.id, why=memory.id)

    with acting_as(world.person):
        assert Recall.objects.filter(bank=world.bank).count() == 0
        assert Memory.objects.get(bank=world.bank, id=memory.id).recall_count == 0
    assert _used(world) == used


def test_an_agents_look_is_paid_and_logged_but_feeds_no_profile() -> None:
    world = make_world(tier="full")
    memory = save(world, "The staging database is reset every Monday.")
    used = _used(world)

    lab.explain(world.caller, "main", Query(text=QUESTION))

    with acting_as(world.person):
        logged = Recall.objects.get(bank=world.bank)
        assert Memory.objects.get(bank=world.bank, id=memory.id).recall_count == 0
    assert (logged.tool, logged.actor) == ("run_lab", world.agent.id)
    assert _used(world) == used + 1


def test_an_agent_below_full_is_refused(world: World) -> None:
    with pytest.raises(TierInsufficient):
        lab.explain(world.caller, "main", Query(text=QUESTION))


@pytest.mark.parametrize(
    ("query", "stage", "unit"),
    [
        (Query(text=QUESTION, limit=5, min_score=0.9), "floor", "cosine"),
        (Query(text=QUESTION, limit=1), "limit", "score"),
        (Query(text=QUESTION, limit=5, max_tokens=60), "tokens", "tokens"),
        (Query(text=QUESTION, filters=Filters(tags=("ops",))), "filter:tags", ""),
        (Query(text=QUESTION, filters=Filters(category="rules")), "filter:category", ""),
        (Query(text=QUESTION, mode="lookup"), "channels", ""),
        (Query(text=QUESTION, mode="keyword"), "channels", ""),
        (Query(text=QUESTION, limit=5), "served", ""),
    ],
)
def test_a_memory_is_told_where_it_fell_and_by_how_much(
    world: World, query: Query, stage: str, unit: str
) -> None:
    """F5: why not this one?"""
    save(world, "When is the staging database reset? The staging database is reset on Monday.")
    other = save(world, "The production database was reset once.", tags=["past"])

    found = lab.explain(world.person, "main", query, why=other.id)

    assert found.reason is not None
    assert (found.reason.stage, found.reason.unit) == (stage, unit)
    assert (found.reason.missed is not None) == bool(unit)
    assert found.reason.steps[-1].text == found.reason.text


def test_the_distance_to_the_floor_is_exact(world: World) -> None:
    other = save(world, "The production database was reset once.")
    plain = lab.explain(world.person, "main", Query(text=QUESTION))
    cosine = plain.result.hits[0].score or 0.0

    found = lab.explain(world.person, "main", Query(text=QUESTION, min_score=0.95), why=other.id)

    assert found.reason is not None
    assert found.reason.missed == pytest.approx(0.95 - cosine)
    assert [cut.stage for cut in found.cuts] == ["floor"]
    assert found.cuts[0].shown[0].memory.content == "The production database was reset once."


def test_what_is_retired_or_binned_says_so(world: World) -> None:
    old = save(world, "The staging database is reset on Monday.")
    new = save(world, "The staging database is reset on Friday now.")
    gone = save(world, "The staging database is called blue.")
    memories.retire(world.person, "main", old.id, reason="moved", superseded_by=new.id)
    memories.delete(world.person, "main", gone.id)

    retired = lab.explain(world.person, "main", Query(text=QUESTION), why=old.id)
    binned = lab.explain(world.person, "main", Query(text=QUESTION), why=gone.id)

    assert retired.reason is not None
    assert retired.reason.stage == "retired"
    assert "moved" in retired.reason.text
    assert new.id in retired.reason.text
    assert [each.memory.id for each in retired.hidden] == [old.id]
    assert binned.reason is not None
    assert binned.reason.stage == "bin"


def test_what_a_filter_hides_is_shown_with_the_filter(world: World) -> None:
    hidden = save(world, "The staging database is reset on Monday.", category="ops")
    save(world, "Staging is a database of rules.", category="rules")
    query = Query(text=QUESTION, filters=Filters(category="rules"))

    found = lab.explain(world.person, "main", query)

    assert [(each.memory.id, each.stage) for each in found.hidden] == [
        (hidden.id, "filter:category")
    ]
    assert "asks for rules; the memory has ops" in found.hidden[0].text


def test_a_memory_of_later_is_named_in_a_question_about_earlier(world: World) -> None:
    first = save(world, "The staging database is reset on Monday.")
    later = save(world, "The staging database has a twin.")
    query = Query(text=QUESTION, as_of=first.created_at)

    found = lab.explain(world.person, "main", query, why=later.id)

    assert [hit.memory.id for hit in found.result.hits] == [first.id]
    assert found.reason is not None
    assert found.reason.stage == "later"


def test_the_number_of_statements_does_not_depend_on_what_is_found(world: World) -> None:
    save_all(world, ["The staging database is reset on Monday.", "Ada prefers window seats."])
    few = _statements(world)
    save_all(world, [f"Database {number} is reset on day {number}." for number in range(60)])

    assert _statements(world) == few


def test_one_asks_as_an_agent_that_may_read_the_bank(world: World) -> None:
    make_bank(world, "secret", visibility="private")

    found = lab.explain(world.person, "main", Query(text=QUESTION), agent=world.agent.slug)

    assert found.asker.tier == "read_write"
    with pytest.raises(InvalidArgument, match="no connection"):
        lab.explain(world.person, "secret", Query(text=QUESTION), agent=world.agent.id)


def test_a_stranger_finds_neither_bank_nor_agent_nor_memory(world: World, stranger: World) -> None:
    theirs = save(stranger, "The staging database is reset on Monday.")
    query = Query(text=QUESTION)

    with pytest.raises(NotFound):
        lab.explain(world.person, stranger.bank.id, query)
    with pytest.raises(NotFound):
        lab.explain(world.person, "main", query, agent=stranger.agent.id)
    with pytest.raises(NotFound):
        lab.explain(world.person, "main", query, why=theirs.id)


def test_the_reply_is_plain_json_of_everything(world: World) -> None:
    memory = save(world, "The staging database is reset on Monday.")

    reply = lab_reply(lab.explain(world.person, "main", Query(text=QUESTION), why=memory.id))

    assert reply["memories"][0]["channels"]["dense"]["adds"] > 0
    assert reply["why"]["stage"] == "served"
    assert reply["timings"]["embedding"] >= 0


def _capitals(content: str) -> list[str]:
    return [word.strip(".") for word in content.split() if word[0].isupper()]


def _statements(world: World) -> int:
    query = Query(text=QUESTION, limit=5, min_score=0.2, filters=Filters(pinned=False))
    with CaptureQueriesContext(connection) as counted:
        lab.explain(world.person, "main", query)
    return len(counted)


def _used(world: World) -> int:
    with acting_as(world.person):
        day = DailyUsage.objects.filter(organization=world.organization).first()
    return day.operations if day else 0
