from __future__ import annotations

from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.stated import parse_episode
from memory_app.models import Entity, Memory
from memory_app.queries import causes
from memory_app.queries.access import resolve
from memory_app.services.episodes import EpisodeWritten, write_episode
from tests.factories import World


def entities(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "type": "Thing"} for name in names]


def fact(source: str, relation: str, target: str, text: str = "", **more: str) -> dict[str, str]:
    said = text or f"{source} {relation.replace('_', ' ')} {target}."
    return {
        "source": source,
        "target": target,
        "relation_type": relation,
        "fact": said,
        "confidence": "extracted",
        **more,
    }


def write(
    world: World, names: list[dict[str, str]], facts: list[dict[str, str]], **more: Any
) -> EpisodeWritten:
    episode = parse_episode(session_id="s1", entities=names, facts=facts, **more)
    return write_episode(world.caller, "main", episode)


def stored(world: World) -> int:
    with acting_as(world.person):
        return int(Memory.objects.filter(bank=world.bank).count())


def test_facts_are_stored_with_their_entities(world: World) -> None:
    """D1"""
    written = write(world, entities("Ana", "Acme"), [fact("Ana", "works_at", "Acme")])

    assert written.stored
    assert [(entity.name, how) for entity, how in written.entities] == [
        ("Ana", "new"),
        ("Acme", "new"),
    ]
    assert written.facts[0][1].memory.confidence == "extracted"


@pytest.mark.parametrize(
    "broken",
    [
        {"confidence": "0.9"},
        {"confidence": 0.9},
        {"confidence": "Extracted"},
        {"causal_hint": "because"},
        {"source": "Nobody"},
        {"fact": ""},
        {"relation_type": ""},
        {"extra": 1},
    ],
)
def test_a_fact_that_breaks_a_rule_refuses_the_whole_call(world: World, broken: Any) -> None:
    """D1"""
    facts = [fact("Ana", "works_at", "Acme"), fact("Ana", "knows", "Acme") | broken]

    with pytest.raises(InvalidArgument):
        write(world, entities("Ana", "Acme"), facts)

    assert stored(world) == 0


def test_a_name_given_twice_is_refused(world: World) -> None:
    """D1"""
    with pytest.raises(InvalidArgument):
        write(world, entities("Ana", "ANA"), [])


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Acme Corp", "Acme-Corp"),
        ("Ana Souza", "Ana"),
        ("Margarete", "Margareta"),
        ("ACME GmbH", "Acme"),
    ],
)
def test_a_near_match_is_offered_and_nothing_is_stored(world: World, known: str, new: str) -> None:
    """D2"""
    write(world, entities(known, "Project X"), [fact(known, "owns", "Project X")])

    written = write(
        world,
        entities(new, "Project X", "Lisbon"),
        [fact("Project X", "runs_in", "Lisbon"), fact(new, "sells", "Project X")],
    )

    assert not written.stored
    assert [one.name for one in written.ambiguous[new]] == [known]
    assert written.ambiguous[new][0].reason
    assert stored(world) == 1


def test_a_choice_or_assume_new_stores_what_was_ambiguous(world: World) -> None:
    """D2"""
    write(world, entities("Ana Souza", "X"), [fact("Ana Souza", "owns", "X")])
    with acting_as(world.person):
        known = Entity.objects.get(bank=world.bank, name="Ana Souza").id
    facts = [fact("Ana", "likes", "X")]

    chosen = write(
        world,
        entities("Ana", "X"),
        facts,
        entity_resolutions={"Ana": {"resolved_to": known}},
        assume_new=True,
    )
    new = write(world, entities("Anna", "X"), [fact("Anna", "likes", "X")], assume_new=True)

    assert next(entity.id for entity, _ in chosen.entities) == known
    assert [how for _, how in new.entities] == ["new", "existing"]


def test_a_resolution_to_another_banks_entity_is_unknown(world: World, stranger: World) -> None:
    """D2"""
    write(stranger, entities("Ana", "X"), [fact("Ana", "owns", "X")])
    with acting_as(stranger.person):
        foreign = Entity.objects.get(bank=stranger.bank, name="Ana").id

    with pytest.raises(NotFound):
        write(
            world,
            entities("Ana", "X"),
            [fact("Ana", "owns", "X")],
            entity_resolutions={"Ana": {"resolved_to": foreign}},
        )

    assert stored(world) == 0


def test_names_that_differ_in_a_number_are_no_near_match(world: World) -> None:
    """A002"""
    write(world, entities("BH-7", "Site"), [fact("BH-7", "lies_in", "Site")])

    assert write(world, entities("BH-9", "Site"), [fact("BH-9", "lies_in", "Site")]).stored


def test_causes_are_followed_both_ways_and_cycles_end(world: World) -> None:
    """D5"""
    write(
        world,
        entities("Outage", "Bad deploy", "Skipped review", "Refunds"),
        [
            fact("Outage", "caused_by", "Bad deploy"),
            fact("Skipped review", "led_to", "Bad deploy"),
            fact("Outage", "led_to", "Refunds"),
            fact("Refunds", "led_to", "Skipped review"),
        ],
    )

    with acting_as(world.caller):
        access = resolve(world.caller, "main")
        found = causes.trace(access, "outage", direction="both", hops=3)

    assert [len(chain) for chain in found.causes] == [3]
    assert [len(chain) for chain in found.effects] == [3]
    assert found.empty_reason is None


@pytest.mark.parametrize(
    ("subject", "direction", "reason"),
    [
        ("Nobody", "both", "unknown_subject"),
        ("Site", "both", "no_causal_links"),
        ("Rain", "upstream", "none_in_direction"),
    ],
)
def test_an_empty_trace_says_which_kind_of_empty_it_is(
    world: World, subject: str, direction: Any, reason: str
) -> None:
    """D5"""
    write(
        world,
        entities("Rain", "Delay", "Site", "Oslo"),
        [fact("Rain", "led_to", "Delay"), fact("Site", "lies_in", "Oslo")],
    )

    with acting_as(world.caller):
        access = resolve(world.caller, "main")
        found = causes.trace(access, subject, direction=direction, hops=3)

    assert found.empty_reason == reason
