from __future__ import annotations

import pytest

from accounts.services.api_keys import list_keys, revoke_key
from tests.factories import World
from tests.memory_app.rest.client import Rest, session_of


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer cpl_nothing"},
        {"Authorization": "Bearer cpl_" + "A" * 36},
        {"Authorization": "Basic dXNlcjpwYXNz"},
        {"Authorization": "Bearer cpl_ünïcode"},
    ],
)
def test_without_a_valid_key_nothing_is_answered(header: dict[str, str]) -> None:
    answer = Rest(None).get("memories", **header)

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "unauthenticated"


def test_revoked_key_is_refused_at_once(rest: Rest, world: World) -> None:
    assert rest.get("memories").status_code == 200

    revoke_key(world.person, list_keys(world.person).items[0].id)

    assert rest.get("memories").status_code == 401


def test_signed_in_person_reads_and_writes_with_the_csrf_token(world: World) -> None:
    session = session_of(world)

    saved = session.save("Saved from a browser.")

    assert saved["author"] == world.owner.id
    assert session.get(f"memories/{saved['id']}").status_code == 200


def test_write_of_a_session_without_the_csrf_token_is_refused(world: World) -> None:
    session = session_of(world)
    session.shared = {}

    answer = session.post("memories", {"content": "Forged."})

    assert answer.status_code == 403
    assert answer.json()["code"] == "forbidden"


def test_person_names_one_of_several_organizations(world: World) -> None:
    session = session_of(world)

    answer = session.get("/api/v1/organization", **{"X-Organization": world.organization.slug})

    assert answer.json()["id"] == world.organization.id


def test_person_has_no_way_into_a_strangers_organization(world: World, stranger: World) -> None:
    session = session_of(world)

    foreign = session.get("/api/v1/organization", **{"X-Organization": stranger.organization.slug})
    unknown = session.get("/api/v1/organization", **{"X-Organization": "no-such-organization"})

    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json()["detail"] == unknown.json()["detail"]


def test_key_over_its_rate_is_told_how_long_to_wait(rest: Rest, settings: object) -> None:
    settings.KEY_REQUESTS_PER_MINUTE = 3  # type: ignore[attr-defined]

    answers = [rest.get("/api/v1/organization") for _ in range(8)]

    assert answers[0]["RateLimit-Limit"] == "3"
    assert answers[0]["RateLimit-Remaining"] == "2"
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) >= 2
    assert refused[0].json()["code"] == "rate_limited"
    assert 1 <= int(refused[0]["Retry-After"]) <= 60
