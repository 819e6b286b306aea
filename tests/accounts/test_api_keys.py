from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actor import Actor
from accounts.auth.api_keys import (
    authenticate_asking,
    authenticate_key,
    digest,
    new_secret,
    usable,
    well_formed,
)
from accounts.models import ApiKey
from accounts.questions import Question, Row
from accounts.services.agents import pause_agent
from accounts.services.api_keys import IssuedKey, issue_key, list_keys, revoke_key, rotate_key
from accounts.tenancy import acting_as
from memory_app.domain.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    RoleInsufficient,
    Unauthenticated,
)
from tests.factories import World

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

# Well-formed and never issued. Fixed, since parallel processes must collect the same parameters.
WELL_FORMED = "cpl_93TF7URJcyr4QsTtNFA0lB0V6tMV753jNCak"


def issued_for(world: World, **options: object) -> IssuedKey:
    return issue_key(world.person, agent=world.agent.id, **options)


def refusal(secret: str, **options: datetime) -> Unauthenticated:
    with pytest.raises(Unauthenticated) as caught:
        authenticate_key(secret, door="rest", **options)
    return caught.value


def test_a_new_secret_has_the_promised_form() -> None:
    secret = new_secret()

    assert secret.startswith("cpl_")
    assert len(secret) == 40
    assert well_formed(secret)


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "cpl_",
        "cpl_" + "a" * 36,
        "sk_" + "a" * 37,
        WELL_FORMED[:-1],
        WELL_FORMED + "0",
        WELL_FORMED.replace("cpl_", "CPL_"),
        "cpl_" + "é" * 36,
        "cpl_\x00" + "a" * 35,
    ],
)
def test_a_malformed_key_is_refused_without_asking_the_database(secret: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        refused = refusal(secret)

    assert refused.status == 401
    assert len(queries) == 0


def test_one_wrong_character_fails_the_checksum() -> None:
    secret = new_secret()
    changed = secret[:10] + ("a" if secret[10] != "a" else "b") + secret[11:]

    assert not well_formed(changed)


def test_a_key_opens_the_door_as_its_agent(world: World) -> None:
    issued = issued_for(world)

    actor = authenticate_key(issued.secret, door="mcp", client="curl/8", request_id="r-1")

    assert (actor.kind, actor.id, actor.organization_id) == (
        "agent",
        world.agent.id,
        world.organization.id,
    )
    assert (actor.key_id, actor.door, actor.client) == (issued.key.id, "mcp", "curl/8")


def test_only_the_digest_and_the_first_eight_characters_are_stored(world: World) -> None:
    issued = issued_for(world)

    with acting_as(world.person):
        stored = ApiKey.objects.filter(id=issued.key.id).values().get()

    assert stored["digest"] == digest(issued.secret)
    assert stored["preview"] == issued.secret[:8]
    assert issued.secret not in str(stored)


def test_a_key_records_who_made_it(world: World) -> None:
    assert issued_for(world).key.created_by == world.person.id


def test_unknown_expired_revoked_and_paused_keys_are_refused_alike(world: World) -> None:
    revoked, expired, paused = (issued_for(world) for _ in range(3))
    revoke_key(world.person, revoked.key.id)
    with acting_as(world.person):
        ApiKey.objects.filter(id=expired.key.id).update(expires_at=timezone.now())
    unknown = refusal(new_secret())
    answers = [refusal(revoked.secret), refusal(expired.secret)]
    pause_agent(world.person, world.agent.id)
    answers.append(refusal(paused.secret))

    assert {(answer.message, answer.hint) for answer in answers} == {
        (unknown.message, unknown.hint)
    }


def test_the_use_of_a_key_is_noted_at_most_once_a_minute(world: World) -> None:
    issued = issued_for(world)

    authenticate_key(issued.secret, door="rest", now=NOON)
    authenticate_key(issued.secret, door="rest", now=NOON + timedelta(seconds=59))
    first = list_keys(world.person).items[0].last_used_at
    authenticate_key(issued.secret, door="rest", now=NOON + timedelta(seconds=60))
    second = list_keys(world.person).items[0].last_used_at

    assert (first, second) == (NOON, NOON + timedelta(seconds=60))


def asked_with(secret: str) -> tuple[Actor, list[list[Row]] | None]:
    return authenticate_asking(
        secret,
        lambda actor: [
            Question(sql="SELECT %(who)s, count(*) FROM agents", values={"who": actor.id}),
            Question(sql="SELECT count(*) FROM organizations", values={}),
        ],
        door="rest",
    )


def test_a_known_key_answers_questions_of_its_own_organization_in_one_query(
    world: World, stranger: World
) -> None:
    secret = issued_for(world).secret
    first = asked_with(secret)

    with CaptureQueriesContext(connection) as queries:
        second = asked_with(secret)

    assert first == (second[0], None)
    assert second[1] == [[(world.agent.id, 1)], [(1,)]]
    assert len(queries) == 1


def test_a_known_key_is_refused_from_the_moment_it_is_revoked(world: World) -> None:
    issued = issued_for(world)
    asked_with(issued.secret)
    revoke_key(world.person, issued.key.id)

    with pytest.raises(Unauthenticated):
        asked_with(issued.secret)


def test_a_known_key_of_a_paused_agent_is_refused(world: World) -> None:
    secret = issued_for(world).secret
    asked_with(secret)
    pause_agent(world.person, world.agent.id)

    with pytest.raises(Unauthenticated):
        asked_with(secret)


def test_a_key_in_use_costs_one_query(world: World) -> None:
    issued = issued_for(world)
    authenticate_key(issued.secret, door="rest")

    with CaptureQueriesContext(connection) as queries:
        authenticate_key(issued.secret, door="rest")

    assert len(queries) == 1


@pytest.mark.parametrize(("seconds", "works"), [(59, True), (60, False), (61, False)])
def test_a_deadline_is_kept_to_the_second(seconds: int, works: bool) -> None:
    """Case 094: strictly before, refused at and after."""
    found = {
        "expires_at": NOON + timedelta(seconds=60),
        "revoked_at": None,
        "agent_paused_at": None,
    }

    assert usable(found, NOON + timedelta(seconds=seconds)) is works


@pytest.mark.parametrize("deadline", ["soon", 0, "2026-11-30", datetime(2027, 1, 1)])  # noqa: DTZ001
def test_a_deadline_that_is_no_instant_fails_closed(deadline: object) -> None:
    """Case 094."""
    found = {"expires_at": deadline, "revoked_at": None, "agent_paused_at": None}

    assert not usable(found, NOON)


@pytest.mark.parametrize("stored", ["infinity", "-infinity"])
def test_a_stored_deadline_out_of_range_fails_closed(world: World, stored: str) -> None:
    """Case 094."""
    issued = issued_for(world)
    with acting_as(world.person), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE api_keys SET expires_at = %s::timestamptz WHERE digest = %s",
            [stored, digest(issued.secret)],
        )

    assert refusal(issued.secret).status == 401


def test_after_a_rotation_both_keys_work_until_the_grace_is_over(world: World) -> None:
    """Case 094."""
    old = issued_for(world, name="laptop")

    new = rotate_key(world.person, old.key.id, grace_seconds=60)
    with acting_as(world.person):
        deadline = ApiKey.objects.get(id=old.key.id).expires_at

    assert new.key.name == "laptop"
    assert authenticate_key(new.secret, door="rest", now=deadline).key_id == new.key.id
    just_before = deadline - timedelta(seconds=1)
    assert authenticate_key(old.secret, door="rest", now=just_before).key_id == old.key.id
    assert refusal(old.secret, now=deadline).status == 401


def test_a_rotation_without_grace_stops_the_old_key_at_once(world: World) -> None:
    old = issued_for(world)

    rotate_key(world.person, old.key.id)

    assert refusal(old.secret).status == 401


def test_a_grace_never_prolongs_a_key(world: World) -> None:
    soon = timezone.now() + timedelta(minutes=5)
    old = issued_for(world, expires_at=soon)

    rotate_key(world.person, old.key.id, grace_seconds=3600)

    with acting_as(world.person):
        assert ApiKey.objects.get(id=old.key.id).expires_at == soon


def test_a_key_is_rotated_once(world: World) -> None:
    old = issued_for(world)
    rotate_key(world.person, old.key.id, grace_seconds=60)

    with pytest.raises(Conflict):
        rotate_key(world.person, old.key.id, grace_seconds=60)


def test_a_stranger_finds_no_key(world: World, stranger: World) -> None:
    issued = issued_for(world)

    with pytest.raises(NotFound):
        revoke_key(stranger.person, issued.key.id)
    with pytest.raises(NotFound):
        rotate_key(stranger.person, issued.key.id)
    with pytest.raises(NotFound):
        issue_key(stranger.person, agent=world.agent.id)
    assert authenticate_key(issued.secret, door="rest").id == world.agent.id


def test_an_agent_issues_and_revokes_nothing(world: World) -> None:
    issued = issued_for(world)

    with pytest.raises(RoleInsufficient):
        issue_key(world.caller, agent=world.agent.id)
    with pytest.raises(RoleInsufficient):
        revoke_key(world.caller, issued.key.id)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("name", "x" * 121),
        ("name", "a\x00b"),
        ("expires_at", "yesterday"),
        ("expires_at", "2020-01-01T00:00:00Z"),
        ("expires_at", 5),
        ("requests_per_minute", 0),
        ("requests_per_minute", "10"),
    ],
)
def test_a_bad_option_is_refused_by_name(world: World, option: str, value: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        issued_for(world, **{option: value})

    assert caught.value.field == option
