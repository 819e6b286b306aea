"""Families M to O and W: filters, scores, pages, time, whose is what, other integrity."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise, product
from typing import Any

from django.db import connection
from mcp.shared.exceptions import MCPError

from accounts.services.agents import create_agent
from accounts.services.api_keys import issue_key
from accounts.services.connections import connect
from accounts.tenancy import acting_as
from memory_app.domain.ids import to_uuid
from memory_app.domain.values import parse_draft
from memory_app.services.memories import save_many
from tests.cases.doors import RestDoor
from tests.cases.stage import Stage
from tests.factories import make_bank
from tests.mcp.client import mcp_call
from tests.memory_app.rest.client import Rest, session_of

TOPICS = ("harbour", "orchard", "foundry", "library", "tramway")


def more_filters_never_find_more(stage: Stage) -> None:
    """64: sixty queries with none to three filters; every hit satisfies each filter."""
    for number, (topic, tag) in enumerate(product(TOPICS, ("old", "new"))):
        stage.rest.save(
            f"The {topic} of district {number} employs {number + 3} people.",
            tags=[tag, topic],
            category=tag,
            collection=topic,
        )
    filters = [{"tags": ["old"]}, {"category": "old"}, {"collection": "harbour"}]

    for number in range(60):
        query = f"{TOPICS[number % 5]} {number % 12}"
        narrowed: dict[str, Any] = {"limit": 50}
        found = [{hit["id"] for hit in stage.rest.search(query, **narrowed).hits}]
        for condition in filters:
            narrowed |= condition
            found.append({hit["id"] for hit in stage.rest.search(query, **narrowed).hits})
        assert all(after <= before for before, after in pairwise(found))

    tagged = stage.door.search("harbour", tags=["old", "harbour"]).hits
    assert [set(hit["tags"]) for hit in tagged] == [{"old", "harbour"}]


def least_score_is_kept(stage: Stage) -> None:
    """66: every hit reaches it, a higher one gives a subset, nonsense is refused."""
    for topic in TOPICS:
        stage.door.save(f"The {topic} is closed for repairs.")

    found = [
        stage.door.search("Is the harbour open?", min_score=least).hits
        for least in (0, 0.3, 0.6, 0.9, 1.0)
    ]

    for least, hits in zip((0, 0.3, 0.6, 0.9, 1.0), found, strict=True):
        assert all(hit["score"] >= least for hit in hits)
    names = [{hit["id"] for hit in hits} for hits in found]
    assert all(after <= before for before, after in pairwise(names))
    wrong = [stage.door.search("x", min_score=value) for value in (-1, 1.5, "abc", True)]
    assert [outcome.code for outcome in wrong] == ["invalid_argument"] * 4
    if not stage.over_mcp:
        assert stage.rest.ask("GET", "search", q="x", min_score="NaN").code == "invalid_argument"


def list_and_search_agree(stage: Stage) -> None:
    """68: one filter, one membership; an id of any read path works everywhere."""
    stage.rest.save("The north lift is red.", tags=["lift"], source="survey", collection="north")
    stage.rest.save("The south stair is grey.", tags=["stair"], source="letter", collection="south")
    agent = stage.world.agent.id
    conditions = [{"tags": "lift"}, {"source": "survey"}, {"collection": "north"}]

    for condition in conditions:
        listed = {row["id"] for row in stage.listed(**condition)}
        found = {hit["id"] for hit in stage.rest.search("the", **condition).hits}
        assert listed == found
        assert len(listed) == 1
    written = {hit["id"] for hit in stage.rest.search("the", authors=[agent]).hits}
    assert written == {row["id"] for row in stage.listed(author=agent)}
    hit = stage.door.search("north lift").hits[0]
    assert stage.rest.ask("GET", f"memories/{hit['id']}").body["content"] == hit["content"]
    assert stage.rest.ask("DELETE", f"memories/{hit['id']}").body["status"] == "deleted"
    assert hit["id"] not in {other["id"] for other in stage.door.search("north lift").hits}


def model_is_known_and_said(stage: Stage) -> None:
    """70: an unknown model is refused; the size is the model's own, and health says both."""
    person = RestDoor(session_of(stage.world))
    stage.door.save("A row with a vector.")

    refused = person.ask(
        "POST", "/api/v1/banks", {"name": "Other", "embedding_model": "no-such-model"}
    )
    health = stage.rest.ask("GET", "health").body

    assert (refused.code, "embedding_model" in refused.message) == ("invalid_argument", True)
    assert health["embedding_model"] == stage.world.bank.embedding_model
    assert health["dimensions"] == stage.world.bank.dimensions
    assert health["counts"]["without_vector"] == 0


def every_row_is_reached(stage: Stage) -> None:
    """72: 1,137 rows; a limit over the most is refused; the walk reaches each once."""
    numbers = range(1_137)
    for start in numbers[::400]:
        drafts = [
            parse_draft(content=f"Locker {number} holds {number * 3} keys.")
            for number in numbers[start : start + 400]
        ]
        save_many(stage.world.person, "main", drafts)

    refused = stage.rest.ask("GET", "memories", limit=5_000)
    pages = list(pages_of(stage.rest, {"limit": 200}))

    assert (refused.code, "200" in refused.message) == ("invalid_argument", True)
    ids = [row["id"] for page in pages for row in page]
    assert len(ids) == len(set(ids)) == len(numbers)


def next_page_keeps_the_filters(stage: Stage) -> None:
    """74: tag, date and agent hold on every page, and the address can be shared."""
    for number in range(30):
        stage.rest.save(f"Ticket {number} weighs {number * 5} grams.", tags=[f"t{number % 2}"])
    asked = {"tags": "t0", "created_from": "2020-01-01", "author": stage.world.agent.id, "limit": 4}

    pages = list(pages_of(stage.rest, asked))

    assert len(pages) == 4
    assert all(row["tags"] == ["t0"] for page in pages for row in page)
    assert len({row["id"] for page in pages for row in page}) == 15


def clock_of_the_server_does_not_matter(stage: Stage) -> None:
    """76: the same answers in every time zone; the cap resets at 00:00 UTC."""
    stage.door.save("The ferry leaves at noon.")
    answers = []

    for zone in ("Pacific/Kiritimati", "UTC", "Pacific/Midway"):
        with time_zone(zone):
            found = stage.rest.search("ferry", created_from="2020-01-01T00:00:00Z").contents
            usage = stage.rest.ask("GET", "/api/v1/usage").body
            answers.append((found, usage["day"], usage["resets_at"]))

    assert len(set(map(str, answers))) == 1
    assert answers[0][2].endswith("T00:00:00+00:00")


def evening_keeps_its_day(stage: Stage) -> None:
    """78: shown with the offset that it was given in."""
    memory = stage.rest.save(
        "The council met in the evening.", observed_at="2026-06-01T19:00:00-05:00"
    ).memory

    assert memory["observed_at"] == "2026-06-01T19:00:00-05:00"
    hit = stage.door.search("council").hits[0]
    assert hit["observed_at"] == "2026-06-01T19:00:00-05:00"


def banks_don_t_leak_into_each_other(stage: Stage) -> None:
    """80, 82: two banks with markers; each search shows its own only."""
    make_bank(stage.world, "second")
    stage.door.save("The wombat marker stands here.")
    session_of(stage.world).post(
        "/api/v1/banks/second/memories", {"content": "The numbat marker stands there."}
    )

    for mode in ("hybrid", "vector", "keyword", "profile"):
        found = stage.rest.ask("POST", "recall", {"query": "marker", "mode": mode}).contents
        assert found == ["The wombat marker stands here."]
    assert stage.door.search("marker").contents == ["The wombat marker stands here."]
    assert stage.door.search().contents == ["The wombat marker stands here."]


def key_acts_for_its_own_agent_only(stage: Stage) -> None:
    """84: what another agent wrote can't be deleted with a key that may only add."""
    memory = stage.rest.save("Written by the first agent.").memory
    other = create_agent(stage.world.person, name="Other")
    connect(stage.world.person, agent=other.id, bank="main", tier="read_write")
    secret = issue_key(stage.world.person, agent=other.id).secret

    answer = Rest(secret).delete(f"memories/{memory['id']}")

    assert answer.status_code == 403
    assert stage.status_of("Written by the first agent.") == "active"


def each_bank_has_its_own_tier(stage: Stage) -> None:
    """86: full on the first, read on the second, nothing on the third."""
    person = stage.world.person
    make_bank(stage.world, "second")
    make_bank(stage.world, "third", visibility="private")
    connect(person, agent=stage.world.agent.id, bank="second", tier="read")
    secret = issue_key(person, agent=stage.world.agent.id).secret
    codes = []

    for bank in ("main", "second", "third"):
        if stage.over_mcp:
            codes.append(_tried_over_mcp(stage, bank, secret))
        else:
            answer = Rest(secret, bank=bank).post("memories", {"content": "Tried everywhere."})
            codes.append({201: "created"}.get(answer.status_code) or answer.json()["code"])

    assert codes[0] == "created"
    assert codes[1] == ("unlisted" if stage.over_mcp else "tier_insufficient")
    assert codes[2] == "not_found"


def bad_old_row_breaks_nothing(stage: Stage) -> None:
    """154: a stored row that breaks today's rules is flagged; list, search and profile go on."""
    bad = stage.door.save("An old row about the windmill.").memory
    stage.door.save("A good row about the windmill.")
    with acting_as(stage.world.person), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memories SET content = %s, tags = %s, props = %s, category = %s"
            " WHERE bank_id = %s AND id = %s",
            [
                "An old row about the windmill. " + "x" * 20_000,
                [f"tag {number}, with comma" for number in range(40)],
                json.dumps([1, 2]),
                "",
                to_uuid("bank", stage.world.bank.id),
                to_uuid("mem", bad["id"]),
            ],
        )

    assert len(stage.listed()) == 2
    assert len(stage.door.search("windmill").hits) == 2
    assert len(stage.door.search().hits) == 2
    flagged = stage.rest.ask("GET", f"memories/{bad['id']}").body["broken_rules"]
    assert flagged == ["content", "tags", "props"]
    assert [row["id"] for row in stage.listed() if "broken_rules" in row] == [bad["id"]]


def correction_ends_alike(stage: Stage) -> None:
    """156: by id, by slug and by a person: one row, the new words, the old ones in the history."""
    person = RestDoor(session_of(stage.world))
    editors = [(stage.rest, "id"), (stage.rest, "slug"), (person, "id")]

    for number, (editor, name) in enumerate(editors):
        memory = stage.door.save(f"Gauge {number} reads {number + 2} bar.").memory
        editor.ask("PATCH", f"memories/{memory[name]}", {"content": f"Gauge {number} is broken."})
        found = [row for row in stage.listed(state="all") if f"Gauge {number}" in row["content"]]
        assert [row["content"] for row in found] == [f"Gauge {number} is broken."]
        history = stage.rest.ask("GET", f"memories/{memory['id']}/history").body["versions"]
        assert [version["content"] for version in history] == [
            f"Gauge {number} is broken.",
            f"Gauge {number} reads {number + 2} bar.",
        ]


def wrong_arguments_answer_no_other_question(stage: Stage) -> None:
    """158: refused with the range; nothing is silently capped."""
    limits: list[Any] = [0, -1, 51, 10**9, "ten", 1.5, True]

    outcomes = [stage.door.search("x", limit=limit) for limit in limits]
    unknown = stage.door.search("x", depth=4)
    swapped = stage.rest.search("x", created_from="2030-01-01", created_to="2020-01-01")

    assert {outcome.code for outcome in (*outcomes, unknown, swapped)} == {"invalid_argument"}
    assert all("limit" in outcome.message for outcome in outcomes)
    assert all("50" in outcome.message for outcome in outcomes[:4])
    assert "depth" in unknown.message


def _tried_over_mcp(stage: Stage, bank: str, secret: str) -> str:
    """The refusal's code; a tool that the tier may not use isn't there at all."""
    arguments = {"content": "Tried everywhere."}
    try:
        tried = mcp_call(stage.world, "create_memory", arguments, key=secret, path=f"/mcp/{bank}")
    except MCPError as error:
        known = {"Unknown tool: create_memory": "unlisted", "There is no such bank.": "not_found"}
        return known.get(str(error), str(error))
    return str(tried.error.get("code", "created"))


def pages_of(rest: RestDoor, asked: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Every page; after the first one nothing but the cursor is sent."""
    query = asked
    while query:
        body = rest.ask("GET", "memories", **query).body
        yield body["memories"]
        following = body.get("next_cursor")
        query = {"cursor": following, "limit": asked["limit"]} if following else {}


@contextmanager
def time_zone(name: str) -> Iterator[None]:
    """This process's local time, for a moment."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        os.environ |= {} if before is None else {"TZ": before}
        time.tzset()


REPLAYS = {
    64: more_filters_never_find_more,
    66: least_score_is_kept,
    68: list_and_search_agree,
    70: model_is_known_and_said,
    72: every_row_is_reached,
    74: next_page_keeps_the_filters,
    76: clock_of_the_server_does_not_matter,
    78: evening_keeps_its_day,
    80: banks_don_t_leak_into_each_other,
    82: banks_don_t_leak_into_each_other,
    84: key_acts_for_its_own_agent_only,
    86: each_bank_has_its_own_tier,
    154: bad_old_row_breaks_nothing,
    156: correction_ends_alike,
    158: wrong_arguments_answer_no_other_question,
}
