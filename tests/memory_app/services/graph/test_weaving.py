from __future__ import annotations

import os
import threading
from typing import Any

import pytest
from django.db import connection

from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.values import Draft, EntityDraft, RelationDraft
from memory_app.models import Assertion, Entity, EntityProbe, Memory, Mention, Relationship
from memory_app.services import ledger
from memory_app.services.memories import forget, restore, retire, revive, save, save_many
from memory_app.services.memories.relating import fact_identity
from tests.factories import World

BATCHES = min(40, int(os.environ.get("FUZZ_CASES", "2")))


def about(text: str, *entities: str, relations: tuple[tuple[str, str, str], ...] = ()) -> Draft:
    return Draft(
        content=text,
        entities=tuple(EntityDraft(name=name, description=f"What {name} is.") for name in entities),
        relations=tuple(RelationDraft(source=a, type=t, target=b) for a, t, b in relations),
        compared=False,
    )


def fact(text: str, source: str, relation: str, target: str) -> Draft:
    return Draft(
        content=text,
        entities=(EntityDraft(name=source), EntityDraft(name=target)),
        relations=(RelationDraft(source=source, type=relation, target=target),),
        confidence="extracted",
        fact=True,
        identity=fact_identity(source, relation, target),
        compared=False,
    )


def names(world: World) -> dict[str, int]:
    with acting_as(world.person):
        rows = Entity.objects.filter(bank=world.bank, until=None)
        return {row.name: row.degree for row in rows}


def edges(world: World) -> set[tuple[str, str, str]]:
    with acting_as(world.person):
        rows = Relationship.objects.filter(bank=world.bank, until=None).select_related(
            "source", "target"
        )
        return {(row.source.name, row.type, row.target.name) for row in rows}


def live(world: World, model: Any) -> int:
    with acting_as(world.person):
        return int(model.objects.filter(bank=world.bank, until=None).count())


def test_one_name_in_two_memories_is_one_entity(world: World) -> None:
    """A2, A8"""
    save(world.caller, "main", about("Ana leads the billing team.", "Ana", "Billing"))
    save(world.caller, "main", about("ANA moved to Porto.", " ana ", "Porto"))

    assert set(names(world)) == {"Ana", "Billing", "Porto"}
    assert live(world, Mention) == 4


@pytest.mark.parametrize(
    "pair", [("C", "C++"), ("C++", "C#"), ("BH-7", "BH-9"), ("O'Shea", "Oshea")]
)
def test_names_that_differ_in_a_sign_stay_two_entities(world: World, pair: tuple[str, str]) -> None:
    """A002, E022"""
    save(world.caller, "main", about("Both are named here.", *pair))

    assert set(names(world)) == set(pair)


def test_relationships_keep_their_direction_and_count_in_degrees(world: World) -> None:
    """A3"""
    save(
        world.caller,
        "main",
        about(
            "Ana reports to Bo, and Bo to Cy.",
            *("Ana", "Bo", "Cy"),
            relations=(("Ana", "reports to", "Bo"), ("bo", "REPORTS_TO", "Cy")),
        ),
    )

    assert edges(world) == {("Ana", "reports to", "Bo"), ("Bo", "REPORTS_TO", "Cy")}
    assert names(world) == {"Ana": 1, "Bo": 2, "Cy": 1}


def test_the_same_relationship_from_two_memories_is_one_with_two_backers(world: World) -> None:
    relations = (("Ana", "reports to", "Bo"),)
    save(world.caller, "main", about("Ana reports to Bo.", "Ana", "Bo", relations=relations))
    save(world.caller, "main", about("Bo is Ana's lead.", "Ana", "Bo", relations=relations))

    assert live(world, Relationship) == 1
    assert live(world, Assertion) == 2


def test_an_unknown_endpoint_stores_nothing(world: World) -> None:
    """C2"""
    draft = about("Ana likes Zed.", "Ana", relations=(("Ana", "likes", "Zed"),))

    with pytest.raises(InvalidArgument):
        save(world.caller, "main", draft)

    assert (names(world), live(world, Mention)) == ({}, 0)
    with acting_as(world.person):
        assert not Memory.objects.filter(bank=world.bank).exists()


def test_descriptions_and_queries_get_a_vector_each(world: World) -> None:
    """A7"""
    draft = Draft(
        content="Ana leads billing.",
        entities=(
            EntityDraft(
                name="Ana", description="Lead of billing.", queries=("Who leads billing?",)
            ),
        ),
    )

    save(world.caller, "main", draft)

    with acting_as(world.person):
        probes = list(EntityProbe.objects.filter(bank=world.bank).order_by("kind"))
    assert [(row.kind, row.embedding is not None) for row in probes] == [
        ("description", True),
        ("query", True),
    ]


def test_a_fact_stated_anew_replaces_the_one_before(world: World) -> None:
    """D3"""
    first = save(
        world.caller, "main", fact("Ana works at Acme since 2020.", "Ana", "works at", "Acme")
    )
    second = save(
        world.caller, "main", fact("Ana works at Acme as lead.", "Ana", "WORKS_AT", "Acme")
    )
    again = save(
        world.caller, "main", fact("ana works at acme as lead.", "Ana", "works at", "ACME")
    )

    assert [row.id for row in second.replaced] == [first.memory.id]
    assert (again.status, again.memory.id) == ("known", second.memory.id)
    assert edges(world) == {("Ana", "works at", "Acme")}
    assert names(world) == {"Ana": 1, "Acme": 1}


def test_the_same_text_about_other_entities_is_another_fact(world: World) -> None:
    """D3"""
    save(world.caller, "main", fact("It works well.", "Ana", "works at", "Acme"))
    other = save(world.caller, "main", fact("It works well.", "Bo", "works at", "Acme"))

    assert (other.status, other.replaced) == ("created", ())


def test_forgetting_prunes_what_only_that_memory_backed(world: World) -> None:
    """A14"""
    relations = (("Ana", "uses", "Redis"),)
    kept = save(world.caller, "main", about("Ana is a developer.", "Ana"))
    gone = save(world.caller, "main", about("Ana uses Redis.", "Ana", "Redis", relations=relations))

    deleted = forget(world.person, "main", gone.memory.id)

    assert (len(deleted.pruned.entities), len(deleted.pruned.relationships)) == (1, 1)
    assert (names(world), edges(world)) == ({"Ana": 0}, set())
    assert kept.status == "created"


def test_restoring_brings_entities_edges_and_degrees_back(world: World) -> None:
    relations = (("Ana", "uses", "Redis"),)
    memory = save(
        world.caller, "main", about("Ana uses Redis.", "Ana", "Redis", relations=relations)
    )
    forget(world.person, "main", memory.memory.id)
    assert names(world) == {}

    restore(world.person, "main", memory.memory.id)

    assert (names(world), edges(world)) == ({"Ana": 1, "Redis": 1}, {("Ana", "uses", "Redis")})
    assert live(world, Mention) == 2


def test_a_retired_memory_backs_nothing_until_it_is_revived(world: World) -> None:
    relations = (("Ana", "uses", "Redis"),)
    memory = save(
        world.caller, "main", about("Ana uses Redis.", "Ana", "Redis", relations=relations)
    )

    retire(world.person, "main", memory.memory.id)
    assert (names(world), edges(world)) == ({"Ana": 0, "Redis": 0}, set())
    revive(world.person, "main", memory.memory.id)

    assert (names(world), edges(world)) == ({"Ana": 1, "Redis": 1}, {("Ana", "uses", "Redis")})


@pytest.mark.fuzz
def test_concurrent_writers_of_the_same_names_make_one_entity_each(world: World) -> None:
    """Twelve writers of forty shared names in either order; forty batches each in `make fuzz`."""
    errors: list[Exception] = []
    shared = [f"Name {n}" for n in range(40)]

    def write(number: int) -> None:
        try:
            for round_number in range(BATCHES):
                order = shared if number % 2 else shared[::-1]
                text = f"Writer {number}, round {round_number}."
                save_many(world.caller, "main", [about(text, *order)])
        except Exception as error:  # noqa: BLE001 counted below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (errors, len(names(world))) == ([], 40)
    assert ledger.verify(world.person, "main").valid
