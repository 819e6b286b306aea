from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from accounts.actor import CONSOLIDATION, system_actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    RoleInsufficient,
    Unavailable,
)
from memory_app.domain.observing import parse_observation
from memory_app.domain.values import parse_changes, parse_draft
from memory_app.models import Bank, Cell, EntityProbe, LedgerEntry, OtherVector, Reembedding
from memory_app.providers.embedding import registry
from memory_app.providers.embedding.hashing import HashingEmbedder
from memory_app.queries.access import resolve
from memory_app.recall.values import Query
from memory_app.services import ledger, memories, observations, recalling, reembedding
from memory_app.services.model_comparing import compare
from tests.accounts.people import join
from tests.factories import World

OTHER = HashingEmbedder(96)
TEXTS = ("The staging database is reset on Mondays.", "Ilse runs the web shop.")


@pytest.fixture(autouse=True)
def second_model() -> Iterator[None]:
    """Another model that this installation runs."""
    registry.get_embedder()
    registry._embedders[OTHER.model_id] = OTHER
    yield
    registry.forget_embedders()


def write(world: World, *texts: str) -> None:
    for text in texts:
        memories.save(world.person, "main", parse_draft(content=text))


def lengths(world: World) -> set[int]:
    """The lengths of the vectors that the bank itself has."""
    with acting_as(world.person):
        cells = Cell.objects.filter(bank_id=world.bank.id, embedding__isnull=False)
        probes = EntityProbe.objects.filter(bank_id=world.bank.id, embedding__isnull=False)
        rows = [*cells.values_list("embedding", flat=True)]
        rows += [*probes.values_list("embedding", flat=True)]
    return {len(row) for row in rows}


def bank_of(world: World) -> Bank:
    with acting_as(world.person):
        return Bank.objects.get(id=world.bank.id)


def rebuilt(world: World) -> None:
    reembedding.start(world.person, "main", OTHER.model_id)
    reembedding.build(system_actor(world.organization.id, CONSOLIDATION), world.bank.id)


def found(world: World, text: str) -> list[str]:
    answer = recalling.search(world.person, "main", Query(text=text, mode="vector", limit=1))
    return [hit.memory.content for hit in answer.result.hits]


def test_the_bank_is_served_by_its_own_model_until_the_switch(world: World) -> None:
    write(world, *TEXTS)

    rebuilt(world)

    assert lengths(world) == {384}
    assert found(world, TEXTS[0]) == [TEXTS[0]]
    assert bank_of(world).embedding_model == world.bank.embedding_model


def test_a_switch_changes_every_vector_at_once_and_back(world: World) -> None:
    write(world, *TEXTS)
    graph = {"entities": [{"name": "Ilse", "type": "person", "description": "Runs the shop."}]}
    observations.add_observation(
        world.person, "main", parse_observation({"content": "Ilse is here.", **graph})
    )
    rebuilt(world)

    reembedding.switch(world.person, "main", to=OTHER.model_id)
    after, model = lengths(world), bank_of(world).embedding_model
    answered = found(world, TEXTS[1])
    reembedding.switch(world.person, "main", to=world.bank.embedding_model)

    assert (after, model, answered) == ({96}, OTHER.model_id, [TEXTS[1]])
    assert lengths(world) == {384}
    assert found(world, TEXTS[1]) == [TEXTS[1]]
    assert ledger.verify(world.person, "main").valid


def test_what_is_written_meanwhile_has_both(world: World) -> None:
    """Vectors of two ids never meet, whenever they were made."""
    write(world, TEXTS[0])
    rebuilt(world)
    write(world, TEXTS[1])

    reembedding.switch(world.person, "main", to=OTHER.model_id)
    write(world, "After the switch.")
    reembedding.tend(system_actor(world.organization.id, CONSOLIDATION), world.bank.id)

    with acting_as(world.person):
        others = OtherVector.objects.filter(bank_id=world.bank.id)
        kept = {len(row.embedding) for row in others}
        number = others.count()
    assert lengths(world) == {96}
    assert (kept, number) == ({384}, 3)


def test_an_edited_text_gets_its_second_vector_anew(world: World) -> None:
    saved = memories.save(world.person, "main", parse_draft(content=TEXTS[0]))
    rebuilt(world)
    memories.edit(
        world.person,
        "main",
        saved.memory.id,
        parse_changes({"content": TEXTS[1]}),
        expected_watermark=None,
    )
    reembedding.switch(world.person, "main", to=OTHER.model_id)

    assert found(world, TEXTS[1]) == [TEXTS[1]]
    assert lengths(world) == {96}


def test_a_writer_that_embedded_before_the_switch_is_asked_to_send_again(world: World) -> None:
    write(world, TEXTS[0])
    with acting_as(world.person):
        stale = resolve(world.person, "main")
    rebuilt(world)
    reembedding.switch(world.person, "main", to=OTHER.model_id)

    with pytest.raises(Unavailable), acting_as(world.person), ledger.opened(stale):
        pass


def test_a_stopped_build_goes_on_where_it_was(world: World) -> None:
    write(world, *TEXTS)
    reembedding.start(world.person, "main", OTHER.model_id)
    made = reembedding.build(world.person, "main")

    assert made == 2
    assert reembedding.build(world.person, "main") == 0


def test_nothing_is_switched_to_before_it_is_built(world: World) -> None:
    write(world, *TEXTS)
    reembedding.start(world.person, "main", OTHER.model_id)

    with pytest.raises(Conflict, match="still being built"):
        reembedding.switch(world.person, "main", to=OTHER.model_id)


def test_a_switch_asked_for_twice_is_made_once(world: World) -> None:
    write(world, *TEXTS)
    rebuilt(world)

    reembedding.switch(world.person, "main", to=OTHER.model_id)
    again = reembedding.switch(world.person, "main", to=OTHER.model_id)

    with acting_as(world.person):
        entries = LedgerEntry.objects.filter(bank_id=world.bank.id, operation="bank.reembedded")
        assert entries.count() == 1
    assert again.embedding_model == OTHER.model_id
    assert lengths(world) == {96}


@pytest.mark.parametrize(("to", "refusal"), [("hashing:7", Conflict), ("", InvalidArgument)])
def test_a_switch_to_what_the_bank_has_no_vectors_of_is_refused(
    world: World, to: str, refusal: type[Exception]
) -> None:
    write(world, *TEXTS)
    rebuilt(world)

    with pytest.raises(refusal):
        reembedding.switch(world.person, "main", to=to)

    assert bank_of(world).embedding_model == world.bank.embedding_model


def test_a_dropped_model_leaves_nothing(world: World) -> None:
    write(world, *TEXTS)
    rebuilt(world)

    reembedding.drop(world.person, "main")

    with acting_as(world.person):
        assert not OtherVector.objects.filter(bank_id=world.bank.id).exists()
    assert reembedding.look_at(world.person, "main").open is None
    with pytest.raises(Conflict, match="no second model"):
        reembedding.switch(world.person, "main", to=OTHER.model_id)


def test_the_model_of_before_goes_after_a_week(world: World) -> None:
    write(world, *TEXTS)
    rebuilt(world)
    reembedding.switch(world.person, "main", to=OTHER.model_id)
    with acting_as(world.person):
        row = Reembedding.objects.get(bank_id=world.bank.id)
        assert row.kept_until is not None
        late = row.kept_until - timedelta(days=8)
        Reembedding.objects.filter(bank_id=world.bank.id).update(kept_until=late)

    reembedding.tend(system_actor(world.organization.id, CONSOLIDATION), world.bank.id)

    assert reembedding.look_at(world.person, "main").open is None


@pytest.mark.parametrize("model", ["unknown:1", 7, ""])
def test_a_model_that_is_not_run_here_is_refused(world: World, model: object) -> None:
    with pytest.raises(InvalidArgument):
        reembedding.start(world.person, "main", model)


def test_two_second_models_are_refused(world: World) -> None:
    reembedding.start(world.person, "main", OTHER.model_id)

    with pytest.raises(Conflict):
        reembedding.start(world.person, "main", OTHER.model_id)


def test_a_stranger_and_a_viewer_start_nothing(world: World, stranger: World) -> None:
    with pytest.raises(NotFound):
        reembedding.start(stranger.person, world.bank.id, OTHER.model_id)
    with pytest.raises(RoleInsufficient):
        reembedding.start(join(world, "viewer"), "main", OTHER.model_id)
    with pytest.raises(RoleInsufficient):
        reembedding.start(replace(world.caller), "main", OTHER.model_id)


def test_both_models_answer_the_last_questions(world: World) -> None:
    write(world, *TEXTS)
    found(world, "staging database")
    rebuilt(world)

    [one] = compare(world.person, "main")

    assert one.question == "staging database"
    assert one.own[0][0].content == one.other[0][0].content == TEXTS[0]
    assert one.shared == 2
