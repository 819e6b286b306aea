from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection as database

from accounts.actor import Actor
from accounts.services.agents import create_agent
from accounts.services.connections import connect
from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    Conflict,
    FixedSetting,
    InvalidArgument,
    NotFound,
    RoleInsufficient,
    WrongIdPrefix,
)
from memory_app.models import LedgerContent, LedgerEntry
from memory_app.providers.embedding import get_embedder
from memory_app.services.banks import create_bank, get_bank, list_banks, own_bank, update_bank
from memory_app.services.ledger import verify
from tests.accounts.people import join
from tests.factories import World, make_bank


def test_a_new_bank_remembers_its_embedding_model(world: World) -> None:
    bank = create_bank(world.person, name="Field notes", visibility="private")

    embedder = get_embedder()
    assert (bank.slug, bank.visibility, bank.created_by) == (
        "field-notes",
        "private",
        world.person.id,
    )
    assert (bank.embedding_model, bank.dimensions) == (embedder.model_id, embedder.dimensions)


def test_a_taken_slug_gets_a_number_only_when_it_was_not_asked_for(world: World) -> None:
    assert create_bank(world.person, name="Main").slug == "main-2"
    with pytest.raises(Conflict):
        create_bank(world.person, name="Other", slug="main")


def test_two_organizations_may_have_a_bank_of_one_slug(world: World, stranger: World) -> None:
    create_bank(world.person, name="Shared name")

    assert create_bank(stranger.person, name="Shared name").slug == "shared-name"


def test_of_two_that_ask_for_one_slug_at_once_one_gets_it(world: World) -> None:
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def make() -> None:
        start.wait()
        try:
            outcomes.append(create_bank(world.person, name="Race", slug="race").slug)
        except Conflict as error:
            outcomes.append(error.code)
        database.close()

    threads = [threading.Thread(target=make) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert sorted(outcomes) == ["conflict", "race"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("embedding_model", "another-model"),
        ("dimensions", 3),
        ("text_search", "german"),
        ("chunker", "whole"),
        ("slug", "renamed"),
    ],
)
def test_what_was_fixed_at_creation_is_refused_with_the_reason(
    world: World, setting: str, value: object
) -> None:
    """A18."""
    with pytest.raises(FixedSetting) as caught:
        update_bank(world.person, "main", **{setting: value})

    assert (caught.value.code, caught.value.field) == ("fixed_at_creation", setting)
    assert "fixed when the bank was created: " in caught.value.message


def test_sending_a_fixed_value_unchanged_is_fine(world: World) -> None:
    """A18."""
    assert update_bank(world.person, "main", text_search="english").text_search == "english"


def test_a_change_of_settings_stands_in_the_ledger(world: World) -> None:
    changed = update_bank(world.person, "main", freshness_weight=0.2, name="Main")

    with acting_as(world.person):
        entry = LedgerEntry.objects.filter(bank_id=world.bank.id).get()
        content = LedgerContent.objects.filter(bank_id=world.bank.id, seq=entry.seq).get().content
    assert changed.freshness_weight == 0.2
    assert (entry.operation, entry.actor) == ("bank.updated", world.person.id)
    assert content == {"before": {"freshness_weight": 0.1}, "after": {"freshness_weight": 0.2}}
    assert verify(world.person, "main").valid


def test_a_change_to_what_is_there_already_leaves_no_entry(world: World) -> None:
    update_bank(world.person, "main", name="Main")

    with acting_as(world.person):
        assert not LedgerEntry.objects.filter(bank_id=world.bank.id).exists()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("name", ""),
        ("name", "x" * 121),
        ("description", 5),
        ("visibility", "public"),
        ("auto_link", "yes"),
        ("duplicate_threshold", 1.5),
        ("related_threshold", 0.99),
        ("acting_threshold", 0.1),
        ("freshness_weight", 0.9),
        ("freshness_days", 0),
        ("history_days", "7"),
        ("head_watermark", 5),
        ("created_by", "user_x"),
    ],
)
def test_a_bad_setting_is_refused_by_name(world: World, setting: str, value: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        update_bank(world.person, "main", **{setting: value})

    assert caught.value.field == setting


@pytest.mark.parametrize(
    ("setting", "value"),
    [("text_search", "klingon"), ("chunker", "axe"), ("embedding_model", "x"), ("name", None)],
)
def test_a_bank_is_not_made_with_a_bad_setting(world: World, setting: str, value: Any) -> None:
    with pytest.raises(InvalidArgument) as caught:
        create_bank(world.person, **({"name": "New"} | {setting: value}))

    assert caught.value.field == setting


def test_members_tune_their_own_banks_only(world: World) -> None:
    member = join(world, "member")
    own = create_bank(member, name="Own")

    assert update_bank(member, own.slug, history_days=30).history_days == 30
    with pytest.raises(RoleInsufficient):
        update_bank(member, "main", history_days=30)


def test_viewers_and_agents_make_and_tune_nothing(world: World) -> None:
    for actor in (join(world, "viewer"), world.caller):
        with pytest.raises(RoleInsufficient):
            create_bank(actor, name="New")
        with pytest.raises(RoleInsufficient):
            update_bank(actor, "main", history_days=30)


def test_a_stranger_neither_sees_nor_tunes_a_bank(world: World, stranger: World) -> None:
    with pytest.raises(NotFound):
        get_bank(stranger.person, world.bank.id)
    with pytest.raises(NotFound):
        update_bank(stranger.person, world.bank.id, history_days=30)


@pytest.mark.parametrize("reference", ["", "\x00", "\ud800", "no-such", "bank_x", "é" * 500])
def test_a_reference_that_names_nothing_is_not_found(world: World, reference: str) -> None:
    with pytest.raises(NotFound):
        get_bank(world.person, reference)


def test_the_id_of_another_kind_is_an_error_at_once(world: World) -> None:
    """B1."""
    with pytest.raises(WrongIdPrefix):
        get_bank(world.person, world.agent.id)


def test_who_sees_a_bank_is_what_the_docs_say(world: World, stranger: World) -> None:
    """A19, case 092: the table in docs/access.md, row by row."""
    admin, member, viewer = (join(world, role) for role in ("admin", "member", "viewer"))
    create_bank(member, name="Own", visibility="private")
    connected = create_agent(member, name="Connected")
    connect(member, agent=connected.id, bank="own")

    def seen_by(actor: Actor) -> list[tuple[str, str]]:
        return [(access.bank.slug, access.tier) for access in list_banks(actor).items]

    agent = Actor(organization_id=world.organization.id, kind="agent", id=connected.id)
    assert seen_by(world.person) == [("main", "full"), ("own", "full")]
    assert seen_by(admin) == [("main", "full"), ("own", "full")]
    assert seen_by(member) == [("main", "full"), ("own", "full")]
    assert seen_by(viewer) == [("main", "read")]
    assert seen_by(world.caller) == [("main", "read_write")]
    assert seen_by(agent) == [("main", "read"), ("own", "read_write")]
    assert seen_by(stranger.person) == [("main", "full")]


def test_another_members_private_bank_is_hidden(world: World) -> None:
    """Case 092."""
    make_bank(world, "secret", visibility="private")

    with pytest.raises(NotFound):
        get_bank(join(world, "member"), "secret")


def test_first_uses_at_once_make_one_own_bank(world: World) -> None:
    """D4"""
    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(lambda _: own_bank(world.caller), range(4)))

    [bank] = made
    assert own_bank(world.caller) == bank
    seen = [(access.bank.id, access.tier) for access in list_banks(world.caller).items]
    assert sorted(seen) == sorted([(bank, "full"), (world.bank.id, "read_write")])


def test_an_own_bank_is_seen_by_its_agent_and_by_administrators_alone(
    world: World, stranger: World
) -> None:
    """D4, A19"""
    bank = own_bank(world.caller)
    other = create_agent(world.person, name="Other")
    others = Actor(organization_id=world.organization.id, kind="agent", id=other.id)

    def seen_by(actor: Actor) -> bool:
        return bank in [access.bank.id for access in list_banks(actor).items]

    assert [seen_by(actor) for actor in (world.caller, world.person, join(world, "admin"))] == [
        True
    ] * 3
    assert [seen_by(actor) for actor in (others, join(world, "member"), stranger.person)] == [
        False
    ] * 3
    assert get_bank(world.caller, None).bank.id == world.bank.id
    with pytest.raises(InvalidArgument):
        own_bank(world.person)
