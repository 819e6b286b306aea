"""Contract E over REST: saving, searching, the profile, repeats."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import World, make_world
from tests.memory_app.rest.client import Rest, rest_of

MEMORY_KEYS = {
    "id",
    "slug",
    "content",
    "tags",
    "author",
    "created_at",
    "updated_at",
    "pinned",
    "status",
    "created_watermark",
    "head_watermark",
    "hash",
}
RED, BLUE = "The garden gate is red.", "The kitchen window is blue."


@pytest.fixture
def world() -> World:
    return make_world(tier="full")


@pytest.fixture
def rest(world: World) -> Rest:
    return rest_of(world)


@pytest.fixture
def real(minilm: None) -> Rest:
    """A client of a bank with the real default embedder."""
    return rest_of(make_world(tier="full"))


def found(answer: Any) -> list[str]:
    """The contents a search answered with, in order."""
    assert answer.status_code == 200, answer.content
    return [hit["content"] for hit in answer.json()["memories"]]


def test_saved_statement_answers_with_the_record(rest: Rest, world: World) -> None:
    """E1, reply shapes: keys as the contract names them, absent instead of null."""
    answer = rest.post(
        "memories", {"content": RED, "tags": ["Garden", "garden", "Paint"]}, **{"User-Agent": "w/2"}
    )

    body = answer.json()
    memory = body["memory"]
    assert answer.status_code == 201
    assert body.keys() == {"status", "memory", "replaced", "queued_for_review"}
    assert memory.keys() >= MEMORY_KEYS
    assert None not in memory.values()
    assert memory["tags"] == ["garden", "paint"]
    assert memory["source"] == "w/2"
    assert memory["author"] == world.agent.id
    assert memory["hash"].startswith("0x")
    assert memory["created_at"].endswith("+00:00")
    assert answer["ETag"] == f'"{memory["head_watermark"]}"'


def test_hit_says_where_and_how_it_was_found(rest: Rest) -> None:
    """E2, reply shapes."""
    rest.save(RED)

    body = rest.get("search?q=garden gate").json()

    hit = body["memories"][0]
    assert body.keys() >= {"memories", "profile", "dropped"}
    assert hit.keys() >= MEMORY_KEYS | {"score", "rank", "matched", "via"}
    assert hit["rank"] == 1


def test_search_has_its_own_limits(rest: Rest) -> None:
    """E2: 1 to 50; 10 for a search, 20 for the profile."""
    statements = [{"content": f"Shelf {n} holds {n * 7} jars of plums."} for n in range(30)]
    rest.post("memories", {"memories": statements, "judge": False})

    assert len(found(rest.get("search?q=plums"))) == 10
    assert len(found(rest.get("profile"))) == 20
    assert len(found(rest.get("search?q=plums&limit=25"))) == 25
    assert rest.get("search?q=plums&limit=51").status_code == 400


def test_tags_are_carried_all(rest: Rest) -> None:
    """E2"""
    rest.save(RED, tags=["home", "paint"])
    rest.save(BLUE, tags=["home"])

    assert found(rest.get("search?q=the&tags=home,paint")) == [RED]
    assert found(rest.get("search?q=the&tags=home&tags=PAINT")) == [RED]
    assert sorted(found(rest.get("profile?tags=home"))) == sorted([RED, BLUE])


def test_every_hit_reaches_the_least_score_and_the_best_refused_is_said(real: Rest) -> None:
    """E2, case 066; an empty answer says the best score that was refused."""
    real.save("The cat sleeps on the sofa.")
    real.save("Invoices are due within thirty days.")

    hits = real.get("search?q=where does the cat sleep&min_score=0.3").json()["memories"]
    nothing = real.get("search?q=where does the cat sleep&min_score=1.0").json()

    assert all(hit["score"] >= 0.3 for hit in hits)
    assert hits[0]["content"] == "The cat sleeps on the sofa."
    assert nothing["memories"] == []
    assert 0.3 < nothing["best_refused_score"] < 1


def test_profile_is_pinned_then_often_recalled_then_newest(rest: Rest) -> None:
    """E3"""
    oldest = rest.save("The depot opens at dawn.")
    recalled = rest.save("Marten prefers the blue crane.")
    newest = rest.save("The lake freezes in January.")
    rest.post(f"memories/{oldest['id']}/pin")
    rest.get("search?q=Marten prefers the blue crane&limit=1")

    profile = rest.get("profile").json()

    assert [hit["id"] for hit in profile["memories"]] == [
        oldest["id"],
        recalled["id"],
        newest["id"],
    ]
    assert profile["profile"] is True


@pytest.mark.parametrize("path", ["profile", "search", "search?q="])
def test_profile_counts_nothing_and_embeds_nothing(
    rest: Rest, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """E3"""
    rest.save(RED)
    before = rest.get("/api/v1/usage").json()["operations"]
    monkeypatch.setattr("memory_app.services.recalling.embed_cached", lambda *_: 1 / 0)

    answer = rest.get(path)

    assert answer.json()["profile"] is True
    assert rest.get("/api/v1/usage").json()["operations"] == before


def test_exact_repeat_is_known_before_anything_is_embedded(
    rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E4: case and white space don't matter, tags are united."""
    first = rest.save(RED, tags=["a"])
    monkeypatch.setattr(
        "memory_app.services.memories.embedding.embed_texts", lambda *_, **__: 1 / 0
    )

    answer = rest.post("memories", {"content": "the  GARDEN gate\nis red.", "tags": ["b"]})

    body = answer.json()
    assert (answer.status_code, body["status"]) == (200, "known")
    assert body["memory"]["id"] == first["id"]
    assert body["memory"]["tags"] == ["a", "b"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The build takes 5 minutes.", "The build takes 6 minutes."),
        ("The door is open.", "The door is not open."),
        ("The meeting is on Monday.", "The meeting is on Tuesday."),
        ("Borehole BH-7 showed no benzene.", "Borehole BH-9 showed no benzene."),
        ("The tank holds 20 litres.", "The tank holds 20 gallons."),
        ("Anna reports to Peter.", "Peter reports to Anna."),
    ],
)
def test_texts_that_differ_in_what_matters_are_never_merged(
    real: Rest, first: str, second: str
) -> None:
    """E4"""
    one, two = real.save(first), real.save(second)

    assert one["id"] != two["id"]
