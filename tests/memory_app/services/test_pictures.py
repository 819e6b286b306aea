"""Which entities a picture shows, and that a whole graph is read from indexes alone."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory_app.domain.values import Draft, EntityDraft
from memory_app.models import Assertion, Memory, Relationship
from memory_app.queries.surroundings import Conditions, View
from memory_app.services import memories, pictures
from tests.dashboard.graphed import entity_called, state
from tests.factories import World


def shown(world: World, view: View, **asked: object) -> list[tuple[str, int]]:
    picture = pictures.draw(world.person, world.bank.slug, view=view, **asked)  # type: ignore[arg-type]
    return [(node.name, node.degree) for node in picture.overview.nodes]


def mention(world: World, *names: str) -> None:
    draft = Draft(
        content=f"Seen: {', '.join(names)}.",
        entities=tuple(EntityDraft(name=name) for name in names),
        compared=False,
    )
    memories.save(world.caller, world.bank.slug, draft)


def test_the_past_shows_who_was_best_connected_then(world: World) -> None:
    """D11, F3"""
    state(world, "Ana runs two.", ("Ana", "runs", "Billing"), ("Ana", "runs", "Roof"))
    then = timezone.now()
    state(world, "Ben runs three.", *[("Ben", "runs", name) for name in ("Pier", "Silo", "Yard")])

    assert shown(world, View(limit=1), as_of=then) == [("Ana", 2)]
    assert shown(world, View(limit=1)) == [("Ben", 3)]


def test_entities_without_relations_fill_what_room_the_past_leaves(world: World) -> None:
    state(world, "Ana runs Billing.", ("Ana", "runs", "Billing"))
    mention(world, "Alone", "Apart")
    then = timezone.now()
    mention(world, "Later")

    everything = dict(shown(world, View(limit=10), as_of=then))
    cut = shown(world, View(limit=2), as_of=then)

    assert everything == {"Ana": 1, "Billing": 1, "Alone": 0, "Apart": 0}
    assert {name for name, _ in cut} == {"Ana", "Billing"}


def test_who_said_it_and_when_decide_which_relations_count(world: World) -> None:
    """D11"""
    state(world, "Ana runs two.", ("Ana", "runs", "Billing"), ("Ana", "runs", "Roof"))
    then = timezone.now()
    state(world, "Ben runs Pier.", ("Ben", "runs", "Pier"))

    early = shown(world, View(where=Conditions(until=then)))
    late = shown(world, View(where=Conditions(since=then)))
    hers = shown(world, View(where=Conditions(author=world.agent.id, until=then)), as_of=then)
    nobody = shown(world, View(where=Conditions(author=world.owner.id)))

    assert {name for name, _ in early} == {"Ana", "Billing", "Roof"}
    assert {name for name, _ in late} == {"Ben", "Pier"}
    assert dict(hers) == {"Ana": 2, "Billing": 1, "Roof": 1}
    assert nobody == []


@pytest.mark.parametrize(
    ("where", "past"),
    [
        (Conditions(), True),
        (Conditions(relation="runs"), False),
        (Conditions(author="agent_1"), False),
        (Conditions(since=timezone.now()), False),
        (Conditions(author="agent_1", until=timezone.now()), True),
    ],
)
def test_the_relations_of_a_bank_are_read_without_the_table(
    world: World, where: Conditions, past: bool
) -> None:
    state(world, "Ana runs Billing.", ("Ana", "runs", "Billing"))
    moments = {True: timezone.now(), False: None}
    with CaptureQueriesContext(connection) as seen:
        pictures.draw(world.person, world.bank.slug, view=View(where=where), as_of=moments[past])
    ranking = next(one["sql"] for one in seen if "count(*) AS degree" in one["sql"])

    assert read_of("r", ranking) <= covered(Relationship, "relationships_source")
    assert read_of("a", ranking) <= covered(Assertion, "assertions_relationship")
    assert read_of("m", ranking) <= covered(Memory, "memories_created")


@pytest.mark.parametrize("past", [False, True])
def test_a_filtered_picture_costs_the_same_for_many(world: World, past: bool) -> None:
    state(world, "Ana runs Billing.", ("Ana", "runs", "Billing"))
    few = statements(world, past)
    for number in range(8):
        state(world, f"Ana runs {number}.", ("Ana", "runs", f"Plant {number}"))

    many = statements(world, past)

    assert few == many


def statements(world: World, past: bool) -> int:
    view = View(where=Conditions(author=world.agent.id))
    moments = {True: timezone.now(), False: None}
    with CaptureQueriesContext(connection) as seen:
        pictures.draw(world.person, world.bank.slug, view=view, as_of=moments[past])
    return len(seen)


def read_of(alias: str, statement: str) -> set[str]:
    """The columns that a statement reads of a table; row security reads the organization."""
    return {*re.findall(rf"\b{alias}\.(\w+)", statement), "organization_id"}


def covered(model: type[Model], index: str) -> set[str]:
    """The columns that an index holds."""
    found = next(one for one in model._meta.indexes if one.name == index)
    names = [*found.fields, *found.include]
    return {str(model._meta.get_field(name).column) for name in names}  # type: ignore[union-attr]


def test_entities_beyond_the_kept_groups_have_groups_of_their_own(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 148: a bank holds more entities than are clustered."""
    state(world, "Ana runs two.", ("Ana", "runs", "Billing"), ("Ana", "runs", "Roof"))
    state(world, "Ben runs Pier.", ("Ben", "runs", "Pier"))
    monkeypatch.setattr(pictures, "NODES_LIMIT", 1)
    pictures.refresh(world.person, world.bank.slug)
    ben = entity_called(world, "Ben")

    picture = pictures.draw(world.person, world.bank.slug, view=View(focus=(ben.id,)))

    assert picture.groups is not None
    assert set(picture.groups.clusters) == {node.id for node in picture.overview.nodes}
    assert [size for _, size in picture.clusters] == [2]
