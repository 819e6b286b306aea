from __future__ import annotations

from typing import Any

import pytest

from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, TierInsufficient
from memory_app.domain.stated import parse_entities, parse_relations
from memory_app.domain.values import Changes, Draft
from memory_app.models import Entity, Memory, Relationship
from memory_app.queries.access import resolve
from memory_app.queries.subgraph import Narrowing, around, semantic, structural
from memory_app.services.memories import forget
from memory_app.services.observations import (
    GraphChanges,
    ObservationWritten,
    add_observation,
    update_observation,
)
from memory_app.services.recalling import query_vector
from tests.factories import World


def described(*names: str) -> tuple[Any, ...]:
    given = [{"name": name, "description": f"{name} is part of the team."} for name in names]
    return parse_entities(given, field="entities", kind="type", described=True)


def related(*triples: tuple[str, str, str]) -> tuple[Any, ...]:
    given = [{"source": a, "type": t, "target": b} for a, t, b in triples]
    return parse_relations(given, field="relationships", source="source", target="target")


def observe(world: World, text: str, *names: str, **fields: Any) -> ObservationWritten:
    draft = Draft(
        content=text,
        title=fields.pop("title", "A title"),
        entities=described(*names),
        relations=related(*fields.pop("relations", ())),
        identity=None,
        compared=False,
        **fields,
    )
    return add_observation(world.caller, "main", draft)


def graph(world: World) -> tuple[set[str], set[tuple[str, str, str]]]:
    with acting_as(world.person):
        entities = {row.name for row in Entity.objects.filter(bank=world.bank, until=None)}
        rows = Relationship.objects.filter(bank=world.bank, until=None)
        edges = {
            (row.source.name, row.type, row.target.name)
            for row in rows.select_related("source", "target")
        }
    return entities, edges


def test_an_entity_without_a_description_refuses_the_write() -> None:
    """A5"""
    with pytest.raises(InvalidArgument) as refusal:
        parse_entities(
            [{"name": "Ana", "description": "  "}], field="entities", kind="type", described=True
        )

    assert refusal.value.field == "entities[0].description"


def test_the_reply_holds_the_neighbourhood_of_each_touched_entity(world: World) -> None:
    """A8"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", relations=(("Ana", "leads", "Billing"),))

    written = observe(world, "Ana is on leave.", "Ana")

    assert [one.entity.name for one in written.touched] == ["Ana"]
    assert [edge.type for edge in written.touched[0].neighbourhood] == ["leads"]


def test_a_long_observation_is_stored_with_a_warning(world: World) -> None:
    """A6"""
    written = observe(world, "word " * 500, "Ana")

    assert len(written.warnings) == 1
    assert written.memory.status == "active"


def test_a_changed_description_brings_a_review_hint_and_rewrites_nothing(world: World) -> None:
    """A13"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", relations=(("Ana", "leads", "Billing"),))
    draft = Draft(
        content="Ana has left.",
        entities=parse_entities(
            [{"name": "ana", "description": "A former lead."}],
            field="entities",
            kind="type",
            described=True,
        ),
        identity=None,
        compared=False,
    )

    written = add_observation(world.caller, "main", draft)

    assert len(written.review_hints) == 1
    assert graph(world)[1] == {("Ana", "leads", "Billing")}


def test_an_update_unites_and_removes_only_what_it_names(world: World) -> None:
    """A12, A1"""
    first = observe(
        world,
        "Ana leads Billing and knows Bo.",
        *("Ana", "Billing", "Bo"),
        relations=(("Ana", "leads", "Billing"), ("Ana", "knows", "Bo")),
    )

    written = update_observation(
        world.person,
        "main",
        first.memory.slug,
        Changes(title="Another title"),
        GraphChanges(
            entities=described("Cy"),
            relations=related(("Cy", "knows", "Ana")),
            remove_entities=("bo",),
        ),
    )

    assert (written.memory.slug, written.memory.title) == (first.memory.slug, "Another title")
    assert graph(world) == (
        {"Ana", "Billing", "Cy"},
        {("Ana", "leads", "Billing"), ("Cy", "knows", "Ana")},
    )
    assert len(written.pruned.entities) == 1


def test_what_another_observation_backs_survives_a_removal(world: World) -> None:
    """A14"""
    first = observe(world, "Ana knows Bo.", "Ana", "Bo", relations=(("Ana", "knows", "Bo"),))
    observe(world, "Bo knows that Ana knows him.", "Ana", "Bo", relations=(("Ana", "knows", "Bo"),))

    forget(world.person, "main", first.memory.id)

    assert graph(world) == ({"Ana", "Bo"}, {("Ana", "knows", "Bo")})


def test_removing_what_isn_t_there_changes_nothing(world: World) -> None:
    first = observe(world, "Ana knows Bo.", "Ana", "Bo", relations=(("Ana", "knows", "Bo"),))

    with pytest.raises(InvalidArgument):
        update_observation(
            world.person,
            "main",
            first.memory.id,
            Changes(title="Never stored"),
            GraphChanges(remove_entities=("Zed",)),
        )

    with acting_as(world.person):
        assert Memory.objects.get(bank=world.bank, id=first.memory.id).title == "A title"


def test_updating_needs_the_full_tier(world: World) -> None:
    """A16"""
    first = observe(world, "Ana knows Bo.", "Ana", "Bo")

    with pytest.raises(TierInsufficient):
        update_observation(
            world.caller, "main", first.memory.id, Changes(title="x"), GraphChanges()
        )


def test_a_semantic_recall_ranks_entities_and_brings_their_subgraph(
    minilm: None, world: World
) -> None:
    """A9, A11"""
    observe(world, "Ana leads Billing.", "Ana", "Billing", relations=(("Ana", "leads", "Billing"),))
    observe(world, "The cat sleeps.", "Cat")

    with acting_as(world.caller):
        access = resolve(world.caller, "main")
        vector = query_vector(access.bank, "who is Ana")
        found = semantic(
            access, "who is Ana", vector, Narrowing(), at=access.bank.head_watermark, limit=2
        )

    assert found.entities[0].name == "Ana"
    assert found.memories[0].content == "Ana leads Billing."
    assert found.dropped == {"entities": 1}


def test_a_structural_recall_filters_by_category_tag_and_entity(world: World) -> None:
    """A9"""
    observe(world, "Ana leads Billing.", "Ana", category="team", tags=("lead",))
    observe(world, "Ana likes tea.", "Ana", category="taste")

    with acting_as(world.caller):
        access = resolve(world.caller, "main")
        at = access.bank.head_watermark
        ana = Entity.objects.get(bank=world.bank, name="Ana").id
        by_tag = structural(access, Narrowing(tags=("lead",)), [], at=at, limit=50)
        by_entity = structural(access, Narrowing(entity="Ana"), [ana], at=at, limit=50)

    assert [row.content for row in by_tag.memories] == ["Ana leads Billing."]
    assert len(by_entity.memories) == 2
    assert [row.name for row in by_tag.entities] == ["Ana"]


def test_an_entity_as_it_stood_before_has_the_edges_of_then(world: World) -> None:
    """F3"""
    first = observe(world, "Ana knows Bo.", "Ana", "Bo", relations=(("Ana", "knows", "Bo"),))
    before = first.memory.head_watermark
    observe(world, "Ana knows Cy.", "Ana", "Cy", relations=(("Ana", "knows", "Cy"),))
    forget(world.person, "main", first.memory.id)

    with acting_as(world.caller):
        access = resolve(world.caller, "main")
        ana = Entity.objects.get(bank=world.bank, name="Ana")
        then = around(access, ana, at=before)
        now = around(access, ana, at=access.bank.head_watermark)

    assert [edge.target.name for edge in then.relationships] == ["Bo"]
    assert [edge.target.name for edge in now.relationships] == ["Cy"]
