"""Families A, D, E, H, N and W where a case is about entities, facts, notes and observations."""

from __future__ import annotations

import unicodedata
from typing import Any

from accounts.tenancy import acting_as
from memory_app.models import Entity
from tests.cases.doors import RestDoor
from tests.cases.graph_door import (
    about,
    ask,
    entities,
    episode,
    fact,
    inspect,
    look,
    observe,
    open_graph,
    remember,
)
from tests.cases.stage import Stage


def names_that_differ_by_a_figure_stay_apart(stage: Stage) -> None:
    """2: four entities and two facts; nothing is merged, and nothing is proposed that would."""
    open_graph(stage)
    *names, first, second = stage.quoted

    written = episode(
        stage,
        fact(names[0], "showed", names[2], first),
        fact(names[1], "showed", names[3], second),
        names=names,
    )
    proposed = ask(stage, "consolidate", "entity-proposals", {})

    assert written.body["stored"]
    assert sorted(entities(stage)) == sorted(names)
    assert [about(stage, name) for name in names[:2]] == [[first], [second]]
    assert proposed.body["proposals"] == []


def decisions_in_one_template_stay_apart(stage: Stage) -> None:
    """4: as notes, as facts and as observations."""
    open_graph(stage)
    texts = stage.quoted

    notes = [remember(stage, text).body["memory"]["id"] for text in texts]
    facts = [
        episode(stage, fact("We", "picked", picked, text), assume_new=True).body
        for text, picked in zip(texts, ("SQLite", "Svelte"), strict=True)
    ]
    observed = [observe(stage, text, "Team").body["observation"]["id"] for text in texts]

    assert len({*notes, *observed}) == 4
    assert [one["superseded"] for one in facts] == [[], []]
    assert about(stage, "We") == list(reversed(texts))


def repeats_are_told_once(stage: Stage) -> None:
    """16: the same fact three times in a call is one; the same note again is the one there is."""
    open_graph(stage)
    line = "The night train leaves from platform four."
    one = fact("night train", "leaves from", "platform four", line)

    written = episode(stage, one, one, one)
    notes = [remember(stage, "Platform four is covered.").body["memory"]["id"] for _ in range(2)]

    assert written.body["stored"]
    assert len({row["fact_id"] for row in written.body["facts"]}) == 1
    assert about(stage, "Night Train") == [line]
    assert len(set(notes)) == 1


def both_unicode_forms_are_one_name(stage: Stage) -> None:
    """18: composed, decomposed and full-width spellings name one entity."""
    open_graph(stage)
    *words, wide = stage.quoted

    for word in words:
        for form in ("NFC", "NFD"):
            spelled = unicodedata.normalize(form, word)
            observe(stage, f"{form}: {word} has a desk.", spelled)
    observe(stage, "The full-width one has a desk.", wide)

    assert len(entities(stage)) == len(words) + 1  # the full-width one has no accent
    assert inspect(stage, "cafe").body["entity"]["name"] == wide
    for word in words:
        for form in ("NFC", "NFD"):
            shown = inspect(stage, unicodedata.normalize(form, word)).body
            assert len(shown["observations"]) >= 2


def every_script_has_a_key_of_its_own(stage: Stage) -> None:
    """20: four entities with distinct keys and slugs, each found by its own name."""
    open_graph(stage)
    names = stage.quoted

    slugs = {
        name: observe(stage, f"{name} {number}", name, title=name).body["observation"]["slug"]
        for number, name in enumerate(names)
    }

    keys = entities(stage)
    assert sorted(keys) == sorted(names)
    assert all(keys.values())
    assert len(set(keys.values())) == len(set(slugs.values())) == len(names)
    assert all(slugs.values())
    for name in names:
        shown = inspect(stage, name).body
        assert shown["entity"]["name"] == name
        assert [row["slug"] for row in shown["observations"]] == [slugs[name]]


def only_case_folds(stage: Stage) -> None:
    """22: apostrophes and spaces stay apart until a person accepts a proposal."""
    open_graph(stage)
    names = stage.quoted

    for number, name in enumerate(names):
        observe(stage, f"Observation {number}.", name)
    proposed = ask(stage, "consolidate", "entity-proposals", {}).body["proposals"]

    assert set(entities(stage)) == {"O'Shea", "Oshea", "New Castle", "Newcastle", "US", "Polish"}
    assert {"New Castle", "Newcastle"} in [
        {one["name"] for one in proposal["entities"]} for proposal in proposed
    ]
    assert len(inspect(stage, "us").body["observations"]) == 2
    assert len(inspect(stage, "O’Shea").body["observations"]) == 1


def spacing_variants_are_proposed(stage: Stage) -> None:
    """24: the spacing variant brings a proposal; the two people stay two."""
    open_graph(stage)
    names = stage.quoted

    for number, name in enumerate(names):
        observe(stage, f"Observation {number}.", name)
    proposed = ask(stage, "consolidate", "entity-proposals", {}).body["proposals"]

    assert sorted(entities(stage)) == sorted(names)
    assert [{one["name"] for one in proposal["entities"]} for proposal in proposed] == [
        set(names[:2])
    ]


def names_accepted_on_write_are_found(stage: Stage) -> None:
    """38: a hyphen, a dot and an ampersand in the names of entities."""
    open_graph(stage)
    for number, name in enumerate(stage.quoted):
        episode(
            stage, fact(name, "owns", f"pier {number}", f"{name} owns a pier."), assume_new=True
        )

    for name in stage.quoted:
        assert about(stage, name) == [f"{name} owns a pier."]
        assert inspect(stage, name).body["entity"]["name"] == name
        found = ask(stage, "recall_subgraph", "graph/recall", {"entity": name}).body
        assert name in [one["name"] for one in found["entities"]]


def every_row_of_the_graph_is_reached(stage: Stage) -> None:
    """72: entities, relationships and the audit log, page by page, each once."""
    open_graph(stage)
    names = [f"Mast {number}" for number in range(7)]
    edges = [("Mast 0", "carries", name) for name in names[1:]]
    observe(stage, "Seven masts.", *names, edges=edges)

    assert sorted(row["name"] for row in paged(stage.rest, "entities")) == names
    assert len({row["id"] for row in paged(stage.rest, "relationships")}) == len(edges)
    rows = paged(stage.rest, "audit", of="entries")
    assert len(rows) == len({(row["target"], row["at"], row["operation"]) for row in rows})


def bad_old_row_breaks_no_graph(stage: Stage) -> None:
    """154: an entity that today's rules refuse: lists, recall and inspection still answer."""
    open_graph(stage)
    observe(stage, "The windmill turns.", "Windmill", "Miller")
    with acting_as(stage.world.person):
        Entity.objects.filter(bank=stage.world.bank, name="Miller").update(
            name="", type="", description="x" * 50_000, queries={"not": "a list"}
        )

    assert inspect(stage, "Windmill").body["entity"]["name"] == "Windmill"
    found = ask(stage, "recall_subgraph", "graph/recall", {"query": "windmill"})
    assert not found.code
    assert len(stage.rest.ask("GET", "entities").body["entities"]) == 2
    assert not stage.rest.ask("GET", "graph").code
    assert not observe(stage, "Another windmill.", "Windmill").code


def correction_by_id_and_by_slug_ends_alike(stage: Stage) -> None:
    """156: one observation with the new words, and a fact that was stated anew."""
    open_graph(stage)
    for number, name in enumerate(("slug", "id")):
        told = observe(stage, f"Gauge {number} reads {number + 2} bar.", "Gauge").body
        memory = told["observation"]
        content = {"content": f"Gauge {number} is broken."}
        if stage.over_mcp:
            stage.door.ask("update_observation", {"slug": memory[name], **content})  # type: ignore[attr-defined]
        else:
            stage.rest.ask("PATCH", f"observations/{memory[name]}", content)
        found = [row for row in stage.listed(state="all") if f"Gauge {number}" in row["content"]]
        assert [row["content"] for row in found] == [content["content"]]

    episode(stage, fact("Valve", "is", "state", "The valve is open."))
    again = episode(stage, fact("valve", "IS", "State", "The valve is shut.")).body

    assert len(again["superseded"]) == 1
    assert about(stage, "Valve") == ["The valve is shut."]
    assert stage.status_of("The valve is open.") == "retired"


def wrong_arguments_are_refused_with_their_range(stage: Stage) -> None:
    """158: hops, limits, times and names of the graph."""
    open_graph(stage)
    observe(stage, "The windmill turns.", "Windmill")
    scope = {"scope": "shared"} if stage.over_mcp else {}

    wrong = [
        look(stage, "recall", "notes/recall", {"query": "x", "hops": 4}, query="x", hops=4),
        look(stage, "recall", "notes/recall", {"query": "x", "limit": 51}, query="x", limit=51),
        ask(stage, "recall_subgraph", "graph/recall", {"query": "x", "limit": 0}),
        ask(
            stage,
            "recall_subgraph",
            "graph/recall",
            {"observed_from": "2030-01-01", "observed_to": "2020-01-01"},
        ),
        look(stage, "query_memory", "facts", scope | {"query": "x", "top_k": -1}, top_k=-1),
        look(
            stage,
            "trace_cause",
            "causes",
            scope | {"subject": "Windmill", "max_hops": 7},
            subject="Windmill",
            max_hops=7,
        ),
        look(
            stage,
            "trace_cause",
            "causes",
            scope | {"subject": "Windmill", "direction": "sideways"},
            subject="Windmill",
            direction="sideways",
        ),
    ]

    assert [one.code for one in wrong] == ["invalid_argument"] * len(wrong)
    assert ["3" in wrong[0].message, "50" in wrong[1].message, "6" in wrong[5].message] == [
        True
    ] * 3


def paged(rest: RestDoor, path: str, *, of: str = "") -> list[dict[str, Any]]:
    """Every page of three."""
    rows: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 3}
    while query:
        body = rest.ask("GET", path, **query).body
        rows += body[of or path]
        cursor = body.get("next_cursor")
        query = {"limit": 3, "cursor": cursor} if cursor else {}
    return rows


REPLAYS = {
    2: names_that_differ_by_a_figure_stay_apart,
    4: decisions_in_one_template_stay_apart,
    16: repeats_are_told_once,
    18: both_unicode_forms_are_one_name,
    20: every_script_has_a_key_of_its_own,
    22: only_case_folds,
    24: spacing_variants_are_proposed,
    38: names_accepted_on_write_are_found,
    72: every_row_of_the_graph_is_reached,
    154: bad_old_row_breaks_no_graph,
    156: correction_by_id_and_by_slug_ends_alike,
    158: wrong_arguments_are_refused_with_their_range,
}
